import { from, type Lifecycle, seconds } from '../lifecycle.ts'
import { changes } from './changes.ts'
import { customers } from './customers.ts'
import {
  bought,
  cancelled,
  cancelledUnpaid,
  definition,
  february,
  type Invoice,
  invoice,
  january,
  open,
  plans,
  renewedUnpaid,
  type Subscription,
  says,
  subscription,
  transaction,
} from './objects.ts'
import { payments } from './payments.ts'
import { refunds } from './refunds.ts'

export { says } from './objects.ts'

const withBook = invoice('1', '2026-01-15T11:00:01Z', '2026-01-15T11:00:00Z', {
  total: 3900,
  amount_paid: 3900,
  line_items: [
    ...(invoice('1', '2026-01-15T11:00:01Z', '2026-01-15T11:00:00Z').line_items ?? []),
    {
      id: 'li_book',
      subscription_id: 'sub_1',
      entity_type: 'charge_item_price',
      entity_id: 'book-EUR',
      quantity: 1,
      unit_amount: 3000,
      amount: 3000,
      date_from: seconds('2026-01-15T11:00:00Z'),
      date_to: seconds('2026-01-15T11:00:00Z'),
    },
  ],
})

const ofParent: Invoice = { customer_id: 'cus_parent', payment_owner: 'cus_parent' }
const notCounted: Subscription = { due_invoices_count: undefined }

const boughtByParent = says('2026-01-15T11:00:01Z', 'subscription_created', {
  subscription: subscription('2026-01-15T11:00:01Z', january, notCounted),
  invoice: invoice('1', '2026-01-15T11:00:01Z', january, ofParent),
})

export const chargebeeLives: readonly Lifecycle[] = [
  {
    provider: 'chargebee',
    situation: 'An extra charge stays open while the plan is paid each month',
    plays: ['extra-charge-fails'],
    fact: {
      says: 'due_invoices_count counts every invoice of the subscription that is due, also one for an extra charge.',
      source: definition,
    },
    help: 'Collect or void the invoice in Chargebee; the paid plan stays open meanwhile.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'paid',
        sends: [bought({})],
        sees: { open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-02-12T12:00:00Z',
        happens: 'a late fee is open, within the paid month',
        sends: [
          says('2026-01-20T11:00:01Z', 'invoice_generated', {
            subscription: subscription('2026-01-20T11:00:01Z', january, {
              due_invoices_count: 1,
              total_dues: 500,
            }),
            invoice: invoice('9', '2026-01-20T11:00:01Z', '2026-01-20T11:00:00Z', {
              ...open('payment_due', { amount_due: 500 }),
              recurring: false,
              total: 500,
              line_items: [
                {
                  id: 'li_9',
                  subscription_id: 'sub_1',
                  entity_type: 'adhoc',
                  description: 'Late fee',
                  quantity: 1,
                  unit_amount: 500,
                  amount: 500,
                },
              ],
            }),
          }),
        ],
        sees: { payments: ['500 pending', '900 paid'], open: { pro: true } },
      },
      {
        at: '2026-03-12T12:00:00Z',
        happens: 'the renewal was paid, the fee is open still',
        sends: [
          says('2026-02-15T11:00:01Z', 'subscription_renewed', {
            subscription: subscription('2026-02-15T11:00:01Z', '2026-02-15T11:00:00Z', {
              due_invoices_count: 1,
              total_dues: 500,
            }),
            invoice: invoice('2', '2026-02-15T11:00:01Z', '2026-02-15T11:00:00Z'),
          }),
        ],
        sees: {
          payments: ['500 pending', '900 paid', '900 paid'],
          until: '2026-03-15T11:00:00.000Z',
          open: { pro: true },
        },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'Dunning gave up one invoice and kept the subscription active, and later months are paid',
    plays: ['dunning-stopped'],
    fact: {
      says: 'Dunning may end with keeping the subscription active; stopping it marks the invoice as not paid, and the subscription stays active.',
      source: from('https://www.chargebee.com/docs/payments/2.0/dunning/dunning-v2'),
    },
    setting: 'dunning ends with: keep the subscription active',
    help: 'Collect the given-up invoice in Chargebee, or write it off. Later months open as they are paid.',
    plans,
    steps: [
      { at: '2026-01-16T12:00:00Z', happens: 'paid', sends: [bought({})], sees: { open: { pro: true } } },
      {
        at: '2026-03-10T12:00:00Z',
        happens: 'February was given up',
        sends: [
          says('2026-02-15T11:00:01Z', 'subscription_renewed', {
            subscription: subscription('2026-02-15T11:00:01Z', '2026-02-15T11:00:00Z', {
              due_invoices_count: 1,
            }),
            invoice: invoice(
              '2',
              '2026-02-15T11:00:01Z',
              '2026-02-15T11:00:00Z',
              open('payment_due', { dunning_status: 'in_progress' }),
            ),
          }),
          says('2026-02-27T11:00:00Z', 'payment_failed', {
            subscription: subscription('2026-02-27T11:00:00Z', '2026-02-15T11:00:00Z', {
              due_invoices_count: 1,
            }),
            transaction: transaction('txn_2', '2026-02-27T11:00:00Z', '2', 'failure'),
            invoice: invoice(
              '2',
              '2026-02-27T11:00:00Z',
              '2026-02-15T11:00:00Z',
              open('not_paid', { dunning_status: 'exhausted' }),
            ),
          }),
        ],
        sees: { payments: ['900 failed', '900 paid'], open: { pro: false } },
      },
      {
        at: '2026-03-20T12:00:00Z',
        happens: 'March is paid',
        sends: [
          says('2026-03-15T11:00:01Z', 'subscription_renewed', {
            subscription: subscription('2026-03-15T11:00:01Z', '2026-03-15T11:00:00Z', {
              due_invoices_count: 1,
            }),
            invoice: invoice('3', '2026-03-15T11:00:01Z', '2026-03-15T11:00:00Z'),
          }),
        ],
        sees: { open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'With consolidated invoices no renewal is paid, and no invoice is counted',
    plays: ['dunning-past-due'],
    fact: {
      says: 'due_invoices_count is not supported with consolidated invoicing, nor where a parent pays in a hierarchy: such invoices are not counted.',
      source: definition,
    },
    setting: 'consolidated invoicing is on',
    help: 'Collect the consolidated invoice in Chargebee. The member sees what is due on the account page.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'paid',
        sends: [bought(notCounted)],
        sees: { open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'the renewal is due and was not paid',
        sends: [
          says('2026-02-15T11:00:01Z', 'subscription_renewed', {
            subscription: subscription('2026-02-15T11:00:01Z', '2026-02-15T11:00:00Z', notCounted),
            invoice: invoice(
              '2',
              '2026-02-15T11:00:01Z',
              '2026-02-15T11:00:00Z',
              open('payment_due', {
                dunning_status: 'in_progress',
                next_retry_at: seconds('2026-02-18T11:00:00Z'),
              }),
            ),
          }),
        ],
        sees: { open: { pro: true }, status: 'past_due', mails: ['payment-failed'] },
      },
      {
        at: '2026-03-10T12:00:00Z',
        happens: 'the retries are over, and so is the grace',
        sends: [
          says('2026-02-27T11:00:00Z', 'payment_failed', {
            subscription: subscription('2026-02-27T11:00:00Z', '2026-02-15T11:00:00Z', notCounted),
            transaction: transaction('txn_2', '2026-02-27T11:00:00Z', '2', 'failure'),
            invoice: invoice(
              '2',
              '2026-02-27T11:00:00Z',
              '2026-02-15T11:00:00Z',
              open('not_paid', { dunning_status: 'exhausted' }),
            ),
          }),
        ],
        sees: { payments: ['900 failed', '900 paid'], open: { pro: false } },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A parent account gets the invoices, which are not counted, and pays no renewal',
    plays: ['own'],
    fact: {
      says: 'In an account hierarchy the invoices of a subscription may be those of its parent account. due_invoices_count does not count them.',
      source: definition,
    },
    setting: 'account hierarchy: the parent has the invoices',
    help: 'Collect the invoice from the parent account in Chargebee.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'paid',
        sends: [boughtByParent],
        sees: { open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'the renewal is due and was not paid',
        sends: [
          says('2026-02-15T11:00:01Z', 'subscription_renewed', {
            subscription: subscription('2026-02-15T11:00:01Z', '2026-02-15T11:00:00Z', notCounted),
            invoice: invoice(
              '2',
              '2026-02-15T11:00:01Z',
              '2026-02-15T11:00:00Z',
              open('payment_due', {
                ...ofParent,
                dunning_status: 'in_progress',
                next_retry_at: seconds('2026-02-18T11:00:00Z'),
              }),
            ),
          }),
        ],
        sees: { open: { pro: true }, status: 'past_due', mails: ['payment-failed'] },
      },
      {
        at: '2026-03-10T12:00:00Z',
        happens: 'the retries are over, and so is the grace',
        sends: [
          says('2026-02-27T11:00:00Z', 'payment_failed', {
            subscription: subscription('2026-02-27T11:00:00Z', '2026-02-15T11:00:00Z', notCounted),
            transaction: transaction('txn_2', '2026-02-27T11:00:00Z', '2', 'failure'),
            invoice: invoice(
              '2',
              '2026-02-27T11:00:00Z',
              '2026-02-15T11:00:00Z',
              open('not_paid', { ...ofParent, dunning_status: 'exhausted' }),
            ),
          }),
        ],
        sees: { open: { pro: false } },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A SEPA debit runs for five days at a renewal, and then arrives',
    plays: ['debit-paid'],
    fact: {
      says: 'While a bank debit runs, its transaction is in_progress, and the invoice names it so in linked_payments.',
      source: from('https://apidocs.chargebee.com/docs/api/invoices'),
    },
    help: 'Nothing: a running debit keeps access.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'paid',
        sends: [bought({})],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'the debit runs',
        sends: [
          says('2026-02-15T11:00:01Z', 'subscription_renewed', {
            subscription: subscription('2026-02-15T11:00:01Z', '2026-02-15T11:00:00Z', {
              due_invoices_count: 1,
            }),
            invoice: invoice(
              '2',
              '2026-02-15T11:00:01Z',
              '2026-02-15T11:00:00Z',
              open('payment_due', {
                linked_payments: [{ txn_id: 'txn_2', txn_status: 'in_progress', applied_amount: 900 }],
              }),
            ),
          }),
          says('2026-02-15T11:00:02Z', 'transaction_created', {
            transaction: transaction('txn_2', '2026-02-15T11:00:02Z', '2', 'in_progress'),
          }),
        ],
        sees: { payments: ['900 paid', '900 pending'], open: { pro: true }, status: 'active', mails: [] },
      },
      {
        at: '2026-02-20T12:00:00Z',
        happens: 'the debit arrived',
        sends: [
          says('2026-02-20T11:00:00Z', 'payment_succeeded', {
            subscription: subscription('2026-02-20T11:00:00Z', '2026-02-15T11:00:00Z'),
            transaction: transaction('txn_2', '2026-02-20T11:00:00Z', '2', 'success'),
            invoice: invoice('2', '2026-02-20T11:00:00Z', '2026-02-15T11:00:00Z'),
          }),
        ],
        sees: { open: { pro: true }, status: 'active', mails: ['receipt'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A SEPA debit runs for five days at a renewal, and then fails',
    plays: ['debit-fails'],
    fact: {
      says: 'A debit that the bank refuses ends as failure, and its invoice stays payment_due while dunning goes on.',
      source: from('https://apidocs.chargebee.com/docs/api/transactions'),
    },
    help: 'The member pays with another account or card by the link on the account page.',
    plans,
    steps: [
      { at: '2026-01-16T12:00:00Z', happens: 'paid', sends: [bought({})], sees: { open: { pro: true } } },
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'the debit runs',
        sends: [
          says('2026-02-15T11:00:01Z', 'subscription_renewed', {
            subscription: subscription('2026-02-15T11:00:01Z', '2026-02-15T11:00:00Z', {
              due_invoices_count: 1,
            }),
            invoice: invoice(
              '2',
              '2026-02-15T11:00:01Z',
              '2026-02-15T11:00:00Z',
              open('payment_due', {
                linked_payments: [{ txn_id: 'txn_2', txn_status: 'in_progress', applied_amount: 900 }],
              }),
            ),
          }),
        ],
        sees: { payments: ['900 paid', '900 pending'], open: { pro: true }, mails: [] },
      },
      {
        at: '2026-02-20T12:00:00Z',
        happens: 'the bank refused it',
        sends: [
          says('2026-02-20T11:00:00Z', 'payment_failed', {
            subscription: subscription('2026-02-20T11:00:00Z', '2026-02-15T11:00:00Z', {
              due_invoices_count: 1,
            }),
            transaction: transaction('txn_2', '2026-02-20T11:00:00Z', '2', 'failure'),
            invoice: invoice(
              '2',
              '2026-02-20T11:00:00Z',
              '2026-02-15T11:00:00Z',
              open('payment_due', {
                dunning_status: 'in_progress',
                linked_payments: [{ txn_id: 'txn_2', txn_status: 'failure', applied_amount: 900 }],
              }),
            ),
          }),
        ],
        sees: { open: { pro: true }, status: 'past_due', mails: ['payment-failed'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'Dunning cancels the subscription after its last retry',
    plays: ['dunning-cancels'],
    fact: {
      says: 'Dunning may end with a cancellation, whose reason is not_paid; the invoice is marked as not paid.',
      source: from('https://www.chargebee.com/docs/payments/2.0/dunning/dunning-v2'),
    },
    setting: 'dunning ends with: cancel the subscription',
    help: 'The member can subscribe again. Collect the old invoice in Chargebee, or write it off.',
    plans,
    steps: [
      { at: '2026-01-16T12:00:00Z', happens: 'paid', sends: [bought({})], sees: { open: { pro: true } } },
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'the renewal failed',
        sends: [renewedUnpaid],
        sees: { open: { pro: true }, status: 'past_due' },
      },
      {
        at: '2026-02-28T12:00:00Z',
        happens: 'cancelled',
        sends: [cancelledUnpaid],
        sees: { open: { pro: false }, status: 'canceled' },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'Dunning cancels the subscription, and its invoice is paid after that',
    plays: ['dunning-cancels', 'invoice-paid-late'],
    fact: {
      says: 'Payment can be collected for an invoice that is not paid, also after its subscription is cancelled. The invoice is paid then.',
      source: from('https://apidocs.chargebee.com/docs/api/invoices'),
    },
    setting: 'dunning ends with: cancel the subscription',
    help: 'Nothing: what is paid opens its month. Void the invoice in Chargebee if nobody should pay it.',
    plans,
    steps: [
      {
        at: '2026-02-28T12:00:00Z',
        happens: 'cancelled, because the renewal was not paid',
        sends: [bought({}), renewedUnpaid, cancelledUnpaid],
        sees: { open: { pro: false }, status: 'canceled' },
      },
      {
        at: '2026-03-02T12:00:00Z',
        happens: 'its invoice is paid',
        sends: [
          says('2026-03-01T11:00:00Z', 'payment_succeeded', {
            subscription: cancelled('2026-03-01T11:00:00Z', { due_invoices_count: 0 }),
            transaction: transaction('txn_3', '2026-03-01T11:00:00Z', '2', 'success'),
            invoice: invoice('2', '2026-03-01T11:00:00Z', february, { dunning_status: 'success' }),
          }),
        ],
        sees: { payments: ['900 paid', '900 paid'], open: { pro: true }, until: '2026-03-15T11:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A book is billed once with the first month of a plan',
    plays: ['own'],
    fact: {
      says: 'A charge among the items of a subscription is billed once, on an invoice of the subscription.',
      source: definition,
    },
    help: 'Nothing: the book stays open, also after the month ends.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'both are paid by one invoice',
        sends: [
          says('2026-01-15T11:00:01Z', 'subscription_created', {
            subscription: subscription('2026-01-15T11:00:01Z', january, {
              charged_items: [{ item_price_id: 'book-EUR', last_charged_at: seconds(january) }],
            }),
            invoice: withBook,
          }),
        ],
        sees: { open: { pro: true, book: true } },
      },
      {
        at: '2026-03-01T12:00:00Z',
        happens: 'the month was cancelled and is over',
        sends: [
          says('2026-02-15T11:00:00Z', 'subscription_cancelled', {
            subscription: subscription('2026-02-15T11:00:00Z', january, {
              status: 'cancelled',
              cancelled_at: seconds('2026-02-15T11:00:00Z'),
              next_billing_at: undefined,
            }),
          }),
        ],
        sees: { open: { pro: false, book: true } },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A renewal fails and recovers at a retry',
    plays: ['retry-recovers'],
    fact: {
      says: 'While dunning runs, the invoice is payment_due with its next retry. A payment makes it paid.',
      source: from('https://apidocs.chargebee.com/docs/api/invoices'),
    },
    help: 'The member pays by the link on the account page.',
    plans,
    steps: [
      { at: '2026-01-16T12:00:00Z', happens: 'paid', sends: [bought({})], sees: { open: { pro: true } } },
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'the renewal failed',
        sends: [renewedUnpaid],
        sees: { open: { pro: true }, status: 'past_due', mails: ['payment-failed'] },
      },
      {
        at: '2026-02-19T12:00:00Z',
        happens: 'a retry was paid',
        sends: [
          says('2026-02-18T11:00:00Z', 'payment_succeeded', {
            subscription: subscription('2026-02-18T11:00:00Z', february),
            transaction: transaction('txn_2', '2026-02-18T11:00:00Z', '2', 'success'),
            invoice: invoice('2', '2026-02-18T11:00:00Z', february),
          }),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['900 paid', '900 paid'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'The member cancels at the end of the month, and takes it back',
    plays: ['cancel-at-end', 'cancel-undone'],
    fact: {
      says: 'A planned end has the status non_renewing, with cancelled_at in the future. Removing it makes the subscription active.',
      source: definition,
    },
    help: 'Nothing: the member can take it back on the account page.',
    plans,
    steps: [
      {
        at: '2026-01-21T12:00:00Z',
        happens: 'cancelled at the end',
        sends: [
          bought({}),
          says('2026-01-20T11:00:00Z', 'subscription_cancellation_scheduled', {
            subscription: subscription('2026-01-20T11:00:00Z', january, {
              status: 'non_renewing',
              cancelled_at: seconds(february),
              next_billing_at: undefined,
            }),
          }),
        ],
        sees: { ends: '2026-02-15T11:00:00.000Z', open: { pro: true }, until: '2026-02-15T11:00:00.000Z' },
      },
      {
        at: '2026-01-26T12:00:00Z',
        happens: 'taken back',
        sends: [
          says('2026-01-25T11:00:00Z', 'subscription_scheduled_cancellation_removed', {
            subscription: subscription('2026-01-25T11:00:00Z', january),
          }),
        ],
        sees: { ends: null, open: { pro: true }, status: 'active' },
      },
    ],
  },
  ...payments,
  ...changes,
  ...refunds,
  ...customers,
]
