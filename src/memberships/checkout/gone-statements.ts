import type { Storage } from '../../core/storage/index.ts'

/** Only reads; to end what it finds is for the caller. */
export const goneStatements = (storage: Storage) => ({
  /** Queries for customers that their provider deleted. */
  livingOf: storage.prepare<{ provider: string; account: string; customer_id: string }, { id: string }>(
    'subscriptions-living-of',
    (db, p) =>
      db
        .selectFrom('subscriptions')
        .select('id')
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('owner_id', '=', p.customer_id)
        .where('status', 'not in', ['canceled', 'expired'])
        .orderBy('id'),
  ),
})
