import type { Storage } from '../../../core/storage/index.ts'
import type { IntentRow, Key, PaymentRow } from './rows.ts'
import { versioned } from './versioned.ts'

const updated = [
  'owner_id',
  'subscription_id',
  'status',
  'price_id',
  'data',
  'buyer',
  'unknown_since',
  'paid_at',
  'changed_at',
  'refunded',
  'sold',
] as const

/** Statements for payments, for the references that join their facts, and for checkouts that began here. */
export function paymentStatements(storage: Storage) {
  const payments = versioned<PaymentRow, 'provider' | 'account' | 'id'>(storage, {
    name: 'payment',
    table: 'payments',
    key: ['provider', 'account', 'id'],
    columns: ['provider', 'account', 'id', ...updated, 'unknown_step', 'revision'],
    updated,
  })
  return {
    payment: payments.find,
    paymentInsert: payments.insert,
    paymentUpdate: payments.update,
    paymentDelete: payments.remove,
    paymentOfRef: storage.prepare<Key & { ref: string }, { payment_id: string }>('payment-of-ref', (db, p) =>
      db
        .selectFrom('payment_refs')
        .select('payment_id')
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('ref', '=', p.ref),
    ),
    refsOfPayment: storage.prepare<Key & { payment_id: string }, { ref: string }>(
      'refs-of-payment',
      (db, p) =>
        db
          .selectFrom('payment_refs')
          .select('ref')
          .where('provider', '=', p.provider)
          .where('account', '=', p.account)
          .where('payment_id', '=', p.payment_id),
    ),
    refInsert: storage.prepareMany<Key & { ref: string; payment_id: string }>(
      'ref-insert',
      { all: ['provider', 'account', 'ref', 'payment_id'], key: ['provider', 'account', 'ref'] },
      (db, rows) =>
        db
          .insertInto('payment_refs')
          .values(rows)
          .onConflict((c) => c.columns(['provider', 'account', 'ref']).doNothing()),
    ),
    refMove: storage.prepare<Key & { ref: string; from: string; payment_id: string }>('ref-move', (db, p) =>
      db
        .updateTable('payment_refs')
        .set({ payment_id: p.payment_id })
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('ref', '=', p.ref)
        .where('payment_id', '=', p.from),
    ),
    intent: storage.prepare<{ id: string; provider: string }, IntentRow>('intent', (db, p) =>
      db
        .selectFrom('intents')
        .select(['id', 'checkout_id', 'price_id', 'quantity', 'member_id', 'status', 'language'])
        .where('id', '=', p.id)
        .where('provider', '=', p.provider),
    ),
  }
}
