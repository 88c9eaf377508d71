import type { Charge, Dispute, Json, Refund } from '../engine/index.ts'
import type { Account } from './account.ts'
import { type Bill, billPaidBy } from './bills.ts'
import { revision } from './shapes.ts'

/** Money that went back, by refund or by dispute. */
export type Back = Refund | Dispute

/** Lists all refunds and disputes. */
export function listBacks({ world: { store } }: Account): Back[] {
  return [...store.list('refund'), ...store.list('dispute').filter(({ status }) => status !== 'won')]
}

function noteIdOf({ id }: Back): string {
  return `CN-${id.slice('txn_'.length)}`
}
function reasonOf({ kind }: Back): string {
  return kind === 'dispute' ? 'chargeback' : 'other'
}

function shared(account: Account, back: Back, bill: Bill | undefined): Json {
  return {
    customer_id: bill?.customer,
    ...(bill?.subscription ? { subscription_id: bill.subscription } : {}),
    date: back.created,
    currency_code: back.currency.toUpperCase(),
    ...revision(account, back.id),
  }
}

/** https://apidocs.chargebee.com/docs/api/transactions */
export function toBack(account: Account, back: Back): Json {
  const bill = billPaidBy(account, back.payment)
  const note = toCreditNote(account, back)
  return {
    id: back.id,
    type: 'refund',
    status: 'success',
    amount: back.amount,
    payment_method: back.kind === 'dispute' ? 'chargeback' : 'card',
    refunded_txn_id: back.charge,
    gateway: 'chargebee',
    linked_credit_notes: [
      {
        cn_id: note.id,
        applied_amount: back.amount,
        applied_at: back.created,
        cn_reason_code: note.reason_code,
        cn_date: back.created,
        cn_total: back.amount,
        cn_status: 'refunded',
        cn_reference_invoice_id: bill?.id,
      },
    ],
    ...shared(account, back, bill),
    object: 'transaction',
  }
}

/** https://apidocs.chargebee.com/docs/api/credit_notes */
export function toCreditNote(account: Account, back: Back): Json {
  const bill = billPaidBy(account, back.payment)
  return {
    id: noteIdOf(back),
    reference_invoice_id: bill?.id,
    type: 'refundable',
    reason_code: reasonOf(back),
    status: 'refunded',
    price_type: 'tax_exclusive',
    sub_total: back.amount,
    total: back.amount,
    amount_refunded: back.amount,
    amount_available: 0,
    linked_refunds: [
      { txn_id: back.id, applied_amount: back.amount, applied_at: back.created, txn_status: 'success' },
    ],
    ...(back.kind === 'refund' && back.reason !== null ? { notes: [back.reason] } : {}),
    ...shared(account, back, bill),
    object: 'credit_note',
  }
}

/** Shows an attempt to collect an invoice as a transaction. */
export function toPayment(account: Account, charge: Charge, bill: Bill): Json {
  return {
    id: charge.id,
    type: 'payment',
    status: charge.status === 'paid' ? 'success' : charge.status === 'failed' ? 'failure' : 'in_progress',
    customer_id: bill.customer,
    ...(bill.subscription === null ? {} : { subscription_id: bill.subscription }),
    date: charge.created,
    amount: charge.amount,
    currency_code: charge.currency.toUpperCase(),
    payment_method: 'card',
    gateway: 'chargebee',
    linked_invoices: [
      {
        invoice_id: bill.id,
        invoice_status: bill.status,
        applied_amount: charge.amount,
        applied_at: charge.created,
      },
    ],
    ...revision(account, charge.id),
    object: 'transaction',
  }
}
