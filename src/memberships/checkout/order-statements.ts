import type { Storage } from '../../core/storage/index.ts'

/** The orders that purchases keep. */
export const orderStatements = (storage: Storage) => ({
  /** The order of what a member bought, as it was shown and agreed to; the newest. */
  ordered: storage.prepare<{ member: string; provider: string; price: string }, { consent: string | null }>(
    'intent-ordered',
    (db, p) =>
      db
        .selectFrom('intents')
        .select('consent')
        .where('member_id', '=', p.member)
        .where('provider', '=', p.provider)
        .where('price_id', '=', p.price)
        .where('consent', 'is not', null)
        .orderBy('created_at', 'desc')
        .limit(1),
  ),
})
