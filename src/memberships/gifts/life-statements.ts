import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'
import { boughtWith } from '../ledger/index.ts'

interface Pair {
  kept: string
  merged: string
}

/** Statements about gifts when accounts become one, and two again. */
export function giftLifeStatements(storage: Storage) {
  return {
    /** Gifts of both accounts are looked at soon, because the time of each depends on what else opens its plan. */
    giftsDue: storage.prepare<Pair & { at: string }>('gifts-due-merge', (db, p) =>
      db
        .updateTable('gifts')
        .set({ look_at: p.at, revision: sql<number>`revision + 1` })
        .where('status', '=', sql.lit('redeemed'))
        .where('member_id', 'in', [p.kept, p.merged]),
    ),
    /** Gifts that a returning customer paid for: an event of their payment may have named the kept account. */
    giftsBack: storage.prepare<Pair>('gifts-unmerge', (db, p) =>
      db
        .updateTable('gifts')
        .set({ buyer_id: p.merged, revision: sql<number>`revision + 1` })
        .where('buyer_id', '=', p.kept)
        .where(({ exists }) => exists(boughtWith(db, p))),
    ),
    /** Months that a returning customer bought for itself within the merge. */
    ownGiftsBack: storage.prepare<Pair>('gifts-own-unmerge', (db, p) =>
      db
        .updateTable('gifts')
        .set({ member_id: p.merged, revision: sql<number>`revision + 1` })
        .where('member_id', '=', p.kept)
        .where('code_hash', 'is', null)
        .where(({ exists }) => exists(boughtWith(db, p))),
    ),
    /**
     * Codes of a restored copy that somebody may have redeemed since. A gift that was not mailed yet keeps its day.
     */
    hold: storage.prepare<{ at: string }>('gifts-hold', (db, p) =>
      db
        .updateTable('gifts')
        .set({ held_at: p.at, look_at: null, revision: sql<number>`revision + 1` })
        .where('status', '=', sql.lit('ready'))
        .where('code_hash', 'is not', null)
        .where('held_at', 'is', null)
        .where(({ eb, or }) =>
          or([eb('sent_at', 'is not', null), eb('send_at', 'is', null), eb('send_at', '<=', p.at)]),
        ),
    ),
    /** Counts gifts that are held, or that `hold` would hold. */
    heldCount: storage.prepare<{ at: string }, { n: number | string }>('gifts-held', (db, p) =>
      db
        .selectFrom('gifts')
        .select(sql<number>`count(*)`.as('n'))
        .where('status', '=', sql.lit('ready'))
        .where(({ and, eb, or }) =>
          or([
            eb('held_at', 'is not', null),
            and([
              eb('code_hash', 'is not', null),
              or([eb('sent_at', 'is not', null), eb('send_at', 'is', null), eb('send_at', '<=', p.at)]),
            ]),
          ]),
        ),
    ),
    /** Empties the address and the message of gifts that were sent to an address. An unsent one is sent first. */
    forgetAddress: storage.prepare<{ email: string }>('gifts-forget-address', (db, p) =>
      db
        .updateTable('gifts')
        .set({ to_email: null, message: null, revision: sql<number>`revision + 1` })
        .where('to_email', '=', p.email)
        .where('sent_at', 'is not', null),
    ),
  }
}
