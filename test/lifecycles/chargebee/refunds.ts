import * as objects from '../../providers/chargebee/events.ts'
import { from, type Lifecycle, type Message, seconds } from '../lifecycle.ts'
import { made } from '../typed.ts'
import { type Invoice, plans, says, type Transaction } from './objects.ts'

const chargebeeBook = made<Invoice>(objects.chargebeeBook)
const chargebeePayment = made<Transaction>(objects.chargebeePayment)
const chargebeeRefund = made<Transaction>(objects.chargebeeRefund)

const today = '2026-11-30'
const bookBought: Message = says('2026-03-02T09:00:02Z', 'payment_succeeded', {
  transaction: chargebeePayment({
    id: 'txn_2',
    subscription_id: undefined,
    amount: 3000,
    date: seconds('2026-03-02T09:00:01Z'),
    updated_at: seconds('2026-03-02T09:00:02Z'),
    resource_version: Date.parse('2026-03-02T09:00:02Z'),
    linked_invoices: [{ invoice_id: '2', applied_amount: 3000, invoice_total: 3000, invoice_status: 'paid' }],
  }),
  invoice: chargebeeBook(),
})

/** A refund of the book, or a step of it. */
function refund(
  at: string,
  type: Parameters<typeof says>[1],
  status: Transaction['status'],
  fields: { readonly id: string; readonly amount: number; readonly payment_method?: 'chargeback' },
): Message {
  return says(at, type, {
    transaction: chargebeeRefund({
      id: fields.id,
      amount: fields.amount,
      payment_method: fields.payment_method,
      status,
      date: seconds(at),
      updated_at: seconds(at),
      resource_version: Date.parse(at),
      linked_credit_notes: [
        {
          cn_id: `CN-${fields.id}`,
          applied_amount: fields.amount,
          cn_status: status === 'success' ? 'refunded' : 'refund_due',
          cn_reference_invoice_id: '2',
        },
      ],
    }),
  })
}

const ofTransactions = from('https://apidocs.chargebee.com/docs/api/transactions', today)

export const refunds: readonly Lifecycle[] = [
  {
    provider: 'chargebee',
    situation: 'A third of a book is refunded, and later the rest',
    plays: ['refund-part', 'refund-full'],
    fact: {
      says: 'An invoice can be refunded in parts. Each refund is a transaction of its own with a credit note for the invoice.',
      source: from('https://apidocs.chargebee.com/docs/api/credit_notes', today),
    },
    help: 'Refund in your office or in Chargebee.',
    plans,
    steps: [
      {
        at: '2026-03-04T12:00:00Z',
        happens: 'a third went back',
        sends: [
          bookBought,
          refund('2026-03-04T10:00:00Z', 'payment_refunded', 'success', { id: 'txn_3', amount: 1000 }),
        ],
        sees: { open: { book: true }, payments: ['3000 partially_refunded'] },
      },
      {
        at: '2026-03-06T12:00:00Z',
        happens: 'all went back',
        sends: [refund('2026-03-06T10:00:00Z', 'payment_refunded', 'success', { id: 'txn_4', amount: 2000 })],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'The refund of a debit is in progress for days, and then fails',
    plays: ['refund-pending', 'refund-failed'],
    fact: {
      says: 'refund_initiated is sent when a refund by direct debit begins. Its transaction is in_progress for two to seven days, and ends as success or failure.',
      source: ofTransactions,
    },
    help: 'Refund again in Chargebee, or by a bank transfer that you record there.',
    plans,
    steps: [
      {
        at: '2026-03-04T12:00:00Z',
        happens: 'the refund is in progress',
        sends: [
          bookBought,
          refund('2026-03-04T10:00:00Z', 'refund_initiated', 'in_progress', { id: 'txn_3', amount: 3000 }),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'the refund failed',
        sends: [
          refund('2026-03-08T10:00:00Z', 'transaction_updated', 'failure', { id: 'txn_3', amount: 3000 }),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A bank charges a book back, and Chargebee records a refund',
    plays: ['dispute', 'dispute-lost'],
    fact: {
      says: 'When the gateway reports a chargeback, Chargebee creates a credit note and records a refund, whose payment method is chargeback. Some gateways do not report the loss.',
      source: from('https://www.chargebee.com/docs/payments/configuring-chargeback-management.html', today),
    },
    setting: 'chargeback management is on: create credit note and record refund',
    help: 'Answer the bank at your gateway. If you win, open the book again by a grant.',
    plans,
    steps: [
      {
        at: '2026-03-11T12:00:00Z',
        happens: 'charged back',
        sends: [
          bookBought,
          refund('2026-03-11T10:00:00Z', 'payment_refunded', 'success', {
            id: 'txn_3',
            amount: 3000,
            payment_method: 'chargeback',
          }),
        ],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
      {
        at: '2026-05-11T12:00:00Z',
        happens: 'the bank decided for the buyer, and nothing more is sent',
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
]
