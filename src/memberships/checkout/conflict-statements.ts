import { sql } from 'kysely'
import { type Storage, sameAccount } from '../../core/storage/index.ts'

interface Place {
  provider: string
  account: string
}

/** Statements about the outcome of purchases that began here. */
export function conflictStatements(storage: Storage) {
  return {
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
    payment: storage.prepare<Place & { ref: string }, { status: string; subscription_id: string | null }>(
      'conflict-payment',
      (db, p) =>
        db
          .selectFrom('payment_refs')
          .innerJoin('payments', (join) =>
            sameAccount(join, 'payments', 'payment_refs').onRef(
              'payments.id',
              '=',
              'payment_refs.payment_id',
            ),
          )
          .select(['payments.status', 'payments.subscription_id'])
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
            sameAccount(join, 'facts', 'payment_refs')
              .on('facts.kind', '=', 'checkout')
              .on('facts.id', '=', sql<string>`substr(payment_refs.ref, 10)`),
          )
          .select('facts.data')
          .where('payment_refs.provider', '=', p.provider)
          .where('payment_refs.account', '=', p.account)
          .where('payment_refs.payment_id', '=', p.payment_id)
          .where('payment_refs.ref', 'like', 'checkout:%'),
    ),
  }
}
