import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'

interface Pair {
  kept: string
  merged: string
}

interface Member {
  member_id: string
}

/** Statements about checkouts in the life of an account. */
export function checkoutLifeStatements(storage: Storage) {
  return {
    /** Without its browser, a return page opens no session. The request to the provider names the buyer. */
    forgetBrowsers: storage.prepare<{ member_id: string }>('intents-forget', (db, p) =>
      db
        .updateTable('intents')
        .set({ browser: null, checkout_url: null, redirect: sql.lit('/'), request: null })
        .where('member_id', '=', p.member_id),
    ),
    // The id only finds the checkout elsewhere; it is not exported, and neither is the checkout's address.
    checkouts: storage.prepare<
      Member,
      {
        id: string
        provider: string
        mode: string
        plan: string
        price_id: string
        quantity: number
        status: string
        redirect: string
        created_at: string
        expires_at: string
        settled_at: string | null
        consent: string | null
      }
    >('export-checkouts', (db, p) =>
      db
        .selectFrom('intents')
        .select([
          'id',
          'provider',
          'mode',
          'plan',
          'price_id',
          'quantity',
          'status',
          'redirect',
          'created_at',
          'expires_at',
          'settled_at',
          'consent',
        ])
        .where('member_id', '=', p.member_id)
        .orderBy('created_at')
        .orderBy('id'),
    ),
    move: storage.prepare<Pair>('intents-merge', (db, p) =>
      db
        .updateTable('intents')
        .set({ member_id: p.kept, moved_from: p.merged })
        .where('member_id', '=', p.merged),
    ),
    moveBack: storage.prepare<Pair>('intents-unmerge', (db, p) =>
      db
        .updateTable('intents')
        .set({ member_id: p.merged, moved_from: null })
        .where('member_id', '=', p.kept)
        .where('moved_from', '=', p.merged),
    ),
    enterable: storage.prepare<object, { n: number }>('restored-enterable', (db) =>
      db.selectFrom('intents').select(sql<number>`count(*)`.as('n')).where('entered_at', 'is', null),
    ),
    endReturnPages: storage.prepare<{ at: string }>('restored-return-pages', (db, p) =>
      db.updateTable('intents').set({ entered_at: p.at }).where('entered_at', 'is', null),
    ),
  }
}
