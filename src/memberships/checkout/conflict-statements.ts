import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'

interface Place {
  provider: string
  account: string
}

/** Statements about the outcome of purchases that began here. */
export const conflictStatements = (storage: Storage) => ({
  checkout: storage.prepare<{ provider: string; id: string }, { account: string; data: string }>(
    'conflict-checkout',
    (db, p) =>
      db
        .selectFrom('facts')
        .select(['account', 'data'])
        .where('provider', '=', p.provider)
        .where('kind', '=', 'checkout')
        .where('id', '=', p.id),
  ),
  payment: storage.prepare<Place & { ref: string }, { status: string }>('conflict-payment', (db, p) =>
    db
      .selectFrom('payment_refs')
      .innerJoin('payments', (join) =>
        join
          .onRef('payments.provider', '=', 'payment_refs.provider')
          .onRef('payments.account', '=', 'payment_refs.account')
          .onRef('payments.id', '=', 'payment_refs.payment_id'),
      )
      .select('payments.status')
      .where('payment_refs.provider', '=', p.provider)
      .where('payment_refs.account', '=', p.account)
      .where('payment_refs.ref', '=', p.ref),
  ),
  checkoutsOf: storage.prepare<Place & { payment_id: string }, { data: string }>(
    'conflict-checkouts',
    (db, p) =>
      db
        .selectFrom('payment_refs')
        .innerJoin('facts', (join) =>
          join
            .onRef('facts.provider', '=', 'payment_refs.provider')
            .onRef('facts.account', '=', 'payment_refs.account')
            .on('facts.kind', '=', 'checkout')
            .on('facts.id', '=', sql<string>`substr(payment_refs.ref, 10)`),
        )
        .select('facts.data')
        .where('payment_refs.provider', '=', p.provider)
        .where('payment_refs.account', '=', p.account)
        .where('payment_refs.payment_id', '=', p.payment_id)
        .where('payment_refs.ref', 'like', 'checkout:%'),
  ),
})
