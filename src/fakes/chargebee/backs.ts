import type { Charge, Dispute, Json, Refund } from '../engine/index.ts'
import type { Account } from './account.ts'
import { type Bill, billPaidBy } from './bills.ts'
import { revision } from './shapes.ts'

/** Money that went back: given, or taken by a bank. */
export type Back = Refund | Dispute

/** All of it. */
export const listBacks = ({ world: { store } }: Account): Back[] => [
  ...store.list('refund'),
  ...store.list('dispute').filter(({ status }) => status !== 'won'),
]

const noteIdOf = ({ id }: Back): string => `CN-${id.slice('txn_'.length)}`
const reasonOf = ({ kind }: Back): string => (kind === 'dispute' ? 'chargeback' : 'other')

const shared = (account: Account, one: Back, bill: Bill | undefined): Json => ({
  customer_id: bill?.customer,
  ...(bill?.subscription ? { subscription_id: bill.subscription } : {}),
  date: one.created,
  currency_code: one.currency.toUpperCase(),
  ...revision(account, one.id),
})

/** https://apidocs.chargebee.com/docs/api/transactions */
export const toBack = (account: Account, one: Back): Json => {
  const bill = billPaidBy(account, one.payment)
  const note = toCreditNote(account, one)
  return {
    id: one.id,
    type: 'refund',
    status: 'success',
    amount: one.amount,
    payment_method: one.kind === 'dispute' ? 'chargeback' : 'card',
    refunded_txn_id: one.charge,
    linked_credit_notes: [
      {
        cn_id: note.id,
        applied_amount: one.amount,
        applied_at: one.created,
        cn_reason_code: note.reason_code,
        cn_date: one.created,
        cn_total: one.amount,
        cn_status: 'refunded',
        cn_reference_invoice_id: bill?.id,
      },
    ],
    ...shared(account, one, bill),
    object: 'transaction',
  }
}

/** https://apidocs.chargebee.com/docs/api/credit_notes */
export const toCreditNote = (account: Account, one: Back): Json => {
  const bill = billPaidBy(account, one.payment)
  return {
    id: noteIdOf(one),
    reference_invoice_id: bill?.id,
    type: 'refundable',
    reason_code: reasonOf(one),
    status: 'refunded',
    total: one.amount,
    amount_refunded: one.amount,
    amount_available: 0,
    linked_refunds: [
      { txn_id: one.id, applied_amount: one.amount, applied_at: one.created, txn_status: 'success' },
    ],
    ...(one.kind === 'refund' && one.reason !== null ? { notes: [one.reason] } : {}),
    ...shared(account, one, bill),
    object: 'credit_note',
  }
}

/** A try to get an invoice's money, as a transaction. */
export const toPayment = (account: Account, one: Charge, bill: Bill): Json => ({
  id: one.id,
  type: 'payment',
  status: one.status === 'paid' ? 'success' : one.status === 'failed' ? 'failure' : 'in_progress',
  customer_id: bill.customer,
  ...(bill.subscription === null ? {} : { subscription_id: bill.subscription }),
  date: one.created,
  amount: one.amount,
  currency_code: one.currency.toUpperCase(),
  payment_method: 'card',
  linked_invoices: [{ invoice_id: bill.id, applied_amount: one.amount }],
  ...revision(account, one.id),
  object: 'transaction',
})
