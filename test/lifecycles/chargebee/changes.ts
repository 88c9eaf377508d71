import { from, type Lifecycle, seconds } from '../lifecycle.ts'
import {
  bought,
  february,
  type Invoice,
  invoice,
  january,
  open,
  plans,
  type Subscription,
  says,
  subscription,
  transaction,
} from './objects.ts'

const today = '2026-11-30'
const change = '2026-01-25T11:00:00Z'
const twoPlans = {
  pro: plans.pro,
  team: { name: 'Team', prices: [{ id: 'team-EUR', amount: 2000, currency: 'EUR', interval: 'month' }] },
}
const team: Subscription = {
  subscription_items: [
    { item_price_id: 'team-EUR', item_type: 'plan', quantity: 1, unit_price: 2000, amount: 2000 },
  ],
}

/** A bill for the rest of the month, less a credit for what was paid. */
function difference(at: string, price: string, quantity: number, fields: Invoice = {}): Invoice {
  return invoice('2', at, change, {
    total: 1333,
    credits_applied: 600,
    amount_paid: 733,
    line_items: [
      {
        id: 'li_2',
        subscription_id: 'sub_1',
        entity_type: 'plan_item_price',
        entity_id: price,
        quantity,
        amount: 1333,
        date_from: seconds(change),
        date_to: seconds(february),
      },
    ],
    ...fields,
  })
}

const cancelledNow: Subscription = {
  status: 'cancelled',
  cancelled_at: seconds(change),
  next_billing_at: undefined,
}
const cancelling = from('https://www.chargebee.com/docs/2.0/cancellations.html', today)
const updating = from(
  'https://apidocs.chargebee.com/docs/api/subscriptions/update-subscription-for-items',
  today,
)
const pausing = from('https://www.chargebee.com/docs/pause-subscription.html', today)

export const changes: readonly Lifecycle[] = [
  {
    provider: 'chargebee',
    situation: 'The seller cancels a subscription immediately, without credits',
    plays: ['cancel-now'],
    fact: {
      says: 'Cancelled immediately, a subscription ends right away, although it could end with its term. Without credits nothing is given back.',
      source: cancelling,
    },
    setting: 'cancel immediately, and issue no credits',
    help: 'Cancel at the end of the term instead if the paid month should stay.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'paid',
        sends: [bought({})],
        sees: { open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-01-25T12:00:00Z',
        happens: 'cancelled',
        sends: [
          says(change, 'subscription_cancelled', {
            subscription: subscription(change, january, cancelledNow),
          }),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['900 paid'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'The seller cancels a subscription immediately, and refunds the rest of the month',
    plays: ['cancel-credited'],
    fact: {
      says: 'Cancelled immediately, a subscription ends right away. Prorated credits for the unused days can be refunded.',
      source: cancelling,
    },
    setting: 'cancel immediately, issue prorated credits, and refund them',
    help: 'Nothing: access ends with the cancellation, and the payment shows what went back.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'paid',
        sends: [bought({})],
        sees: { open: { pro: true }, payments: ['900 paid'] },
      },
      {
        at: '2026-01-25T12:00:00Z',
        happens: 'cancelled and refunded',
        sends: [
          says(change, 'subscription_cancelled', {
            subscription: subscription(change, january, cancelledNow),
          }),
          says('2026-01-25T11:00:01Z', 'payment_refunded', {
            transaction: {
              id: 'txn_9',
              object: 'transaction',
              customer_id: 'cus_1',
              subscription_id: 'sub_1',
              type: 'refund',
              status: 'success',
              amount: 600,
              currency_code: 'EUR',
              date: seconds(change),
              updated_at: seconds('2026-01-25T11:00:01Z'),
              resource_version: Date.parse('2026-01-25T11:00:01Z'),
              refunded_txn_id: 'txn_1',
              linked_credit_notes: [
                { cn_id: 'CN-1', applied_amount: 600, cn_status: 'refunded', cn_reference_invoice_id: '1' },
              ],
            },
            invoice: invoice('1', '2026-01-25T11:00:01Z', january, {
              issued_credit_notes: [{ cn_id: 'CN-1', cn_total: 600, cn_status: 'refunded' }],
            }),
          }),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['900 partially_refunded'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A dearer plan begins at once, and its difference is paid',
    plays: ['change-now'],
    fact: {
      says: 'A change takes effect at once unless it is asked for the end of the term. Its invoice has the rest of the term, less a prorated credit.',
      source: updating,
    },
    help: 'Nothing: the new plan is open.',
    plans: twoPlans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'paid',
        sends: [bought({})],
        sees: { open: { pro: true, team: false } },
      },
      {
        at: '2026-01-26T12:00:00Z',
        happens: 'changed',
        sends: [
          says('2026-01-25T11:00:01Z', 'subscription_changed', {
            subscription: subscription('2026-01-25T11:00:01Z', january, team),
            invoice: difference('2026-01-25T11:00:01Z', 'team-EUR', 1),
          }),
        ],
        sees: { open: { pro: false, team: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'Another plan is scheduled for the next term, and begins with its renewal',
    plays: ['change-later'],
    fact: {
      says: 'A change can be scheduled for the end of the term. Until then the subscription has its former items, and says that it has scheduled changes.',
      source: updating,
    },
    help: 'Nothing: the former plan stays open until then.',
    plans: twoPlans,
    steps: [
      {
        at: '2026-01-26T12:00:00Z',
        happens: 'scheduled',
        sends: [
          bought({}),
          says('2026-01-25T11:00:01Z', 'subscription_changes_scheduled', {
            subscription: subscription('2026-01-25T11:00:01Z', january, {
              has_scheduled_changes: true,
              changes_scheduled_at: seconds(february),
            }),
          }),
        ],
        sees: { open: { pro: true, team: false } },
      },
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'changed and paid',
        sends: [
          says('2026-02-15T11:00:01Z', 'subscription_renewed', {
            subscription: subscription('2026-02-15T11:00:01Z', february, team),
            invoice: invoice('2', '2026-02-15T11:00:01Z', february, {
              total: 2000,
              amount_paid: 2000,
              line_items: [
                {
                  id: 'li_2',
                  subscription_id: 'sub_1',
                  entity_type: 'plan_item_price',
                  entity_id: 'team-EUR',
                  quantity: 1,
                  unit_amount: 2000,
                  amount: 2000,
                  date_from: seconds(february),
                  date_to: seconds('2026-03-15T11:00:00Z'),
                },
              ],
            }),
          }),
        ],
        sees: { open: { pro: false, team: true }, payments: ['2000 paid', '900 paid'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A dearer plan begins at once for a member who pays by hand, and its invoice is not paid',
    plays: ['change-unpaid'],
    fact: {
      says: 'With auto-collection off no payment is tried, and the invoice of a change is due. The subscription has the new plan already.',
      source: from('https://support.chargebee.com/support/solutions/articles/247810', today),
    },
    setting: 'auto-collection is off for this subscription',
    help: 'Collect the invoice, or change the plan back. The plan that was paid stays open until then.',
    plans: twoPlans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'paid',
        sends: [bought({ auto_collection: 'off' })],
        sees: { open: { pro: true, team: false } },
      },
      {
        at: '2026-01-26T12:00:00Z',
        happens: 'the change is not paid',
        sends: [
          says('2026-01-25T11:00:01Z', 'subscription_changed', {
            subscription: subscription('2026-01-25T11:00:01Z', january, {
              subscription_items: team.subscription_items,
              auto_collection: 'off',
              due_invoices_count: 1,
            }),
            invoice: difference(
              '2026-01-25T11:00:01Z',
              'team-EUR',
              1,
              open('payment_due', { amount_due: 733 }),
            ),
          }),
        ],
        sees: { open: { pro: true, team: false }, payments: ['733 pending', '900 paid'] },
      },
      {
        at: '2026-01-29T12:00:00Z',
        happens: 'paid by hand',
        sends: [
          says('2026-01-28T11:00:00Z', 'payment_succeeded', {
            subscription: subscription('2026-01-28T11:00:00Z', january, {
              subscription_items: team.subscription_items,
              auto_collection: 'off',
            }),
            transaction: transaction('txn_2', '2026-01-28T11:00:00Z', '2', 'success'),
            invoice: difference('2026-01-28T11:00:00Z', 'team-EUR', 1),
          }),
        ],
        sees: { open: { pro: false, team: true } },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'Two more of a plan are added in the middle of the month',
    plays: ['quantity'],
    fact: {
      says: 'The quantity of an item can be changed in a running subscription. The difference is billed for the rest of the term.',
      source: updating,
    },
    help: 'Nothing: the new number counts.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'one is paid',
        sends: [bought({})],
        sees: { open: { pro: true }, quantity: 1 },
      },
      {
        at: '2026-01-26T12:00:00Z',
        happens: 'three',
        sends: [
          says('2026-01-25T11:00:01Z', 'subscription_changed', {
            subscription: subscription('2026-01-25T11:00:01Z', january, {
              subscription_items: [
                { item_price_id: 'pro-EUR', item_type: 'plan', quantity: 3, unit_price: 900, amount: 2700 },
              ],
            }),
            invoice: difference('2026-01-25T11:00:01Z', 'pro-EUR', 3),
          }),
        ],
        sees: { open: { pro: true }, quantity: 3 },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A subscription is paused immediately, and resumed within its month',
    plays: ['pause-now'],
    fact: {
      says: 'A pause may begin immediately. Service is suspended, nothing is credited for the unused days, and the term stays what it was.',
      source: pausing,
    },
    setting: 'pause immediately',
    help: 'Pause on the next renewal instead if the paid month should stay.',
    plans,
    steps: [
      {
        at: '2026-01-26T12:00:00Z',
        happens: 'paused',
        sends: [
          bought({}),
          says(change, 'subscription_paused', {
            subscription: subscription(change, january, {
              status: 'paused',
              pause_date: seconds(change),
              next_billing_at: undefined,
            }),
          }),
        ],
        sees: { open: { pro: false }, status: 'paused' },
      },
      {
        at: '2026-02-05T12:00:00Z',
        happens: 'resumed',
        sends: [
          says('2026-02-05T11:00:00Z', 'subscription_resumed', {
            subscription: subscription('2026-02-05T11:00:00Z', january),
          }),
        ],
        sees: { open: { pro: true }, status: 'active', until: '2026-02-15T11:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A pause is planned for the next renewal, and ends a month later with a payment',
    plays: ['pause-later'],
    fact: {
      says: 'A pause may begin on the next renewal, which is then not made. When it is resumed after its term, a new term begins and is billed.',
      source: pausing,
    },
    setting: 'pause on the next renewal',
    help: 'Nothing: the member can resume on the account page.',
    plans,
    steps: [
      {
        at: '2026-01-26T12:00:00Z',
        happens: 'a pause is planned',
        sends: [
          bought({}),
          says(change, 'subscription_pause_scheduled', {
            subscription: subscription(change, january, {
              pause_date: seconds(february),
              next_billing_at: undefined,
            }),
          }),
        ],
        sees: { open: { pro: true }, until: '2026-02-15T11:00:00.000Z', page: /then paused/ },
      },
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'paused',
        sends: [
          says('2026-02-15T11:00:01Z', 'subscription_paused', {
            subscription: subscription('2026-02-15T11:00:01Z', january, {
              status: 'paused',
              pause_date: seconds(february),
              next_billing_at: undefined,
            }),
          }),
        ],
        sees: { open: { pro: false }, status: 'paused' },
      },
      {
        at: '2026-03-21T12:00:00Z',
        happens: 'resumed and paid',
        sends: [
          says('2026-03-20T11:00:01Z', 'subscription_resumed', {
            subscription: subscription('2026-03-20T11:00:01Z', '2026-03-20T11:00:00Z'),
            invoice: invoice('2', '2026-03-20T11:00:01Z', '2026-03-20T11:00:00Z'),
          }),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['900 paid', '900 paid'] },
      },
    ],
  },
]
