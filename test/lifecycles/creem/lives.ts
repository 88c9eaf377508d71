import {
  creemBook,
  creemCheckout,
  creemDispute,
  creemEvent,
  creemRefund,
  creemSubscription,
  creemTransaction,
} from '../../providers/creem/events.ts'
import { from, type Lifecycle, type Message, type Step } from '../lifecycle.ts'

type Fields = Record<string, unknown>

const plans = {
  pro: {
    name: 'Pro',
    prices: [{ id: 'prod_pro_monthly', amount: 1200, currency: 'EUR', interval: 'month' }],
  },
  team: { name: 'Team', prices: [{ id: 'prod_team', amount: 3000, currency: 'EUR', interval: 'month' }] },
  book: { name: 'Book', prices: [{ id: 'prod_book', amount: 3000, currency: 'EUR' }] },
}

const says = (at: string, type: string, object: Fields): Message => ({
  at,
  event: creemEvent(type, at, object),
})

/** In a trial nothing was charged yet. */
const onTrial = (fields: Fields): Fields =>
  creemSubscription({
    status: 'trialing',
    last_transaction_id: undefined,
    last_transaction: undefined,
    last_transaction_date: undefined,
    current_period_end_date: '2026-03-08T00:00:00.000Z',
    next_transaction_date: '2026-03-08T00:00:00.000Z',
    ...fields,
  })

const trial = says('2026-03-01T00:00:10Z', 'subscription.trialing', onTrial({}))

const april = {
  current_period_start_date: '2026-04-01T00:00:00.000Z',
  current_period_end_date: '2026-05-01T00:00:00.000Z',
  next_transaction_date: '2026-05-01T00:00:00.000Z',
}
const second = (at: string): Fields =>
  creemTransaction({
    id: 'tran_2',
    period_start: Date.parse('2026-04-01T00:00:00Z'),
    period_end: Date.parse('2026-05-01T00:00:00Z'),
    created_at: Date.parse(at),
  })
const bought: readonly Message[] = [
  says('2026-03-01T00:00:10Z', 'checkout.completed', creemCheckout()),
  says('2026-03-01T00:00:11Z', 'subscription.paid', creemSubscription()),
]
const paid: Step = {
  at: '2026-03-02T00:00:00Z',
  happens: 'paid',
  sends: bought,
  sees: { open: { pro: true }, status: 'active', payments: ['1428 paid'] },
}
const recovered = (at: string): Message =>
  says(
    at,
    'subscription.paid',
    creemSubscription({
      ...april,
      last_transaction_id: 'tran_2',
      last_transaction: second(at),
      last_transaction_date: at,
    }),
  )
const today = '2026-11-30'
const managing = from('https://docs.creem.io/features/subscriptions/managing', today)
const units = (count: number, id = 'prod_pro_monthly'): Fields => ({
  items: [{ id: 'sitem_1', object: 'subscription_item', product_id: id, price_id: 'pprice_1', units: count }],
})

const webhooks = from('https://docs.creem.io/code/webhooks')

export const creemLives: readonly Lifecycle[] = [
  {
    provider: 'creem',
    situation: 'A trial of a week ends, and its first charge fails',
    plays: ['trial-unpaid'],
    fact: {
      says: 'Trialing comes before the first payment; past due means that a payment attempt has failed and is tried again.',
      source: from('https://docs.creem.io/features/subscriptions/introduction'),
    },
    help: 'The member subscribes again, or pays with another card in Creem’s portal.',
    plans,
    steps: [
      {
        at: '2026-03-05T12:00:00Z',
        happens: 'in the trial',
        sends: [trial],
        sees: { status: 'trialing', open: { pro: true } },
      },
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'the first charge failed',
        sends: [says('2026-03-08T00:10:00Z', 'subscription.past_due', onTrial({ status: 'past_due' }))],
        sees: { open: { pro: false } },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A trial of a week ends as expired, while its status stays trialing',
    plays: ['trial-unpaid'],
    fact: {
      says: 'subscription.expired means that the period ended without a payment. It is not final: retries may follow, and the status may stay.',
      source: from('https://docs.creem.io/code/webhooks'),
    },
    help: 'Nothing: access opens when a retry is paid.',
    plans,
    steps: [
      {
        at: '2026-03-05T12:00:00Z',
        happens: 'in the trial',
        sends: [trial],
        sees: { status: 'trialing', open: { pro: true } },
      },
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'expired',
        sends: [says('2026-03-08T00:10:00Z', 'subscription.expired', onTrial({}))],
        sees: { open: { pro: false } },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A renewal fails and recovers at a retry',
    plays: ['retry-recovers'],
    fact: {
      says: 'Past due means that a payment failed and is tried again; subscription.paid tells the success. No page says how often it is tried.',
      source: from('https://docs.creem.io/features/subscriptions/introduction'),
    },
    help: 'The member changes the card in Creem’s portal.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: [
          says('2026-04-01T00:00:10Z', 'subscription.past_due', creemSubscription({ status: 'past_due' })),
        ],
        sees: { open: { pro: true }, status: 'past_due', mails: ['payment-failed'] },
      },
      {
        at: '2026-04-06T00:00:00Z',
        happens: 'a retry was paid',
        sends: [recovered('2026-04-05T00:00:10Z')],
        sees: { open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A period ends as expired, and is paid days later',
    plays: ['retry-recovers'],
    fact: {
      says: 'subscription.expired says that the period ended without a payment. It is not final: retries may follow until it is cancelled.',
      source: webhooks,
    },
    help: 'Nothing: access goes on in the days of grace, and a paid retry renews it.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'expired',
        sends: [says('2026-04-01T00:10:00Z', 'subscription.expired', creemSubscription())],
        sees: { open: { pro: true }, status: 'past_due' },
      },
      {
        at: '2026-04-06T00:00:00Z',
        happens: 'paid',
        sends: [recovered('2026-04-05T00:00:10Z')],
        sees: { open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'The member cancels at the end of the month, and the subscription then ends',
    plays: ['cancel-at-end'],
    fact: {
      says: 'scheduled_cancel keeps the subscription until its period ends. subscription.canceled is final.',
      source: from('https://docs.creem.io/features/subscriptions/refunds-and-cancellations'),
    },
    help: 'Nothing: the member can take it back on the account page until then.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled at the end',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'subscription.scheduled_cancel',
            creemSubscription({ status: 'scheduled_cancel', canceled_at: '2026-03-10T00:00:00.000Z' }),
          ),
        ],
        sees: { ends: '2026-04-01T00:00:00.000Z', open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'ended',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            'subscription.canceled',
            creemSubscription({ status: 'canceled', canceled_at: '2026-04-01T00:00:00.000Z' }),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled' },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A book is refunded in full',
    plays: ['refund-full'],
    fact: {
      says: 'refund.created has the refunded sum and the transaction, whose status is then refunded.',
      source: webhooks,
    },
    help: 'Refund in your office or in Creem’s dashboard.',
    plans,
    steps: [
      {
        at: '2026-03-02T09:30:00Z',
        happens: 'bought',
        sends: [says('2026-03-02T09:00:10Z', 'checkout.completed', creemBook())],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'refunded',
        sends: [says('2026-03-02T10:00:10Z', 'refund.created', creemRefund())],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A bank charges a book back, and no message tells how it ends',
    plays: ['dispute'],
    fact: {
      says: 'dispute.created has the sum and the transaction, whose status is then chargeback. It is the only message about a dispute.',
      source: from('https://docs.creem.io/code/webhooks', today),
    },
    help: 'Refund the payment in Creem’s dashboard if the dispute is lost. Write to Creem if it is won.',
    plans,
    steps: [
      {
        at: '2026-03-02T09:30:00Z',
        happens: 'bought',
        sends: [says('2026-03-02T09:00:10Z', 'checkout.completed', creemBook())],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'disputed',
        sends: [
          says(
            '2026-03-11T10:00:10Z',
            'dispute.created',
            creemDispute({ created_at: Date.parse('2026-03-11T10:00:00Z') }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A part of a book is refunded',
    plays: ['refund-part'],
    fact: {
      says: 'A payment can be refunded in full or in part. refund.created has the refunded sum.',
      source: from('https://docs.creem.io/features/subscriptions/refunds-and-cancellations', today),
    },
    help: 'Refund in your office or in Creem’s dashboard.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'a third went back',
        sends: [
          says('2026-03-02T09:00:10Z', 'checkout.completed', creemBook()),
          says('2026-03-02T10:00:10Z', 'refund.created', creemRefund({ refund_amount: 1000 })),
        ],
        sees: { open: { book: true }, payments: ['3000 partially_refunded'] },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A trial of a week ends, and is paid',
    plays: ['trial-paid'],
    fact: {
      says: 'Trialing comes before the first payment is collected. subscription.paid tells that payment and its period.',
      source: from('https://docs.creem.io/features/subscriptions/introduction', today),
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [
      {
        at: '2026-03-05T12:00:00Z',
        happens: 'in the trial',
        sends: [trial],
        sees: { status: 'trialing', open: { pro: true }, until: '2026-03-08T00:00:00.000Z', payments: [] },
      },
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'paid',
        sends: [
          says(
            '2026-03-08T00:00:10Z',
            'subscription.paid',
            creemSubscription({
              last_transaction: creemTransaction({
                period_start: Date.parse('2026-03-08T00:00:00Z'),
                period_end: Date.parse('2026-04-08T00:00:00Z'),
                created_at: Date.parse('2026-03-08T00:00:05Z'),
              }),
              last_transaction_date: '2026-03-08T00:00:05.000Z',
              current_period_start_date: '2026-03-08T00:00:00.000Z',
              current_period_end_date: '2026-04-08T00:00:00.000Z',
              next_transaction_date: '2026-04-08T00:00:00.000Z',
            }),
          ),
        ],
        sees: {
          status: 'active',
          open: { pro: true },
          until: '2026-04-08T00:00:00.000Z',
          payments: ['1428 paid'],
        },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A change to a dearer plan is charged at once, and a new period begins',
    plays: ['change-now'],
    fact: {
      says: 'proration-charge-immediately charges the difference at once, and begins a new billing cycle on that day.',
      source: managing,
    },
    setting: 'update_behavior is proration-charge-immediately',
    help: 'Nothing: the new plan is open, and the former one is closed.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'changed and charged',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'subscription.update',
            creemSubscription({
              product: {
                id: 'prod_team',
                object: 'product',
                price: 3000,
                currency: 'EUR',
                billing_type: 'recurring',
                billing_period: 'every-month',
              },
              ...units(1, 'prod_team'),
              last_transaction_id: 'tran_2',
              last_transaction: creemTransaction({
                id: 'tran_2',
                amount: 2200,
                amount_paid: 2618,
                period_start: Date.parse('2026-03-10T00:00:00Z'),
                period_end: Date.parse('2026-04-10T00:00:00Z'),
                created_at: Date.parse('2026-03-10T00:00:05Z'),
              }),
              last_transaction_date: '2026-03-10T00:00:05.000Z',
              current_period_start_date: '2026-03-10T00:00:00.000Z',
              current_period_end_date: '2026-04-10T00:00:00.000Z',
              next_transaction_date: '2026-04-10T00:00:00.000Z',
            }),
          ),
          says(
            '2026-03-10T00:00:11Z',
            'subscription.paid',
            creemSubscription({
              product: {
                id: 'prod_team',
                object: 'product',
                price: 3000,
                currency: 'EUR',
                billing_type: 'recurring',
                billing_period: 'every-month',
              },
              ...units(1, 'prod_team'),
              last_transaction_id: 'tran_2',
              last_transaction: creemTransaction({
                id: 'tran_2',
                amount: 2200,
                amount_paid: 2618,
                period_start: Date.parse('2026-03-10T00:00:00Z'),
                period_end: Date.parse('2026-04-10T00:00:00Z'),
                created_at: Date.parse('2026-03-10T00:00:05Z'),
              }),
              last_transaction_date: '2026-03-10T00:00:05.000Z',
              current_period_start_date: '2026-03-10T00:00:00.000Z',
              current_period_end_date: '2026-04-10T00:00:00.000Z',
              next_transaction_date: '2026-04-10T00:00:00.000Z',
            }),
          ),
        ],
        sees: { open: { team: true, pro: false }, status: 'active', payments: ['1428 paid', '2618 paid'] },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'The number of seats grows within the month',
    plays: ['quantity'],
    fact: {
      says: 'The units of an item are its seats, and can be changed in a running subscription. subscription.update has them.',
      source: managing,
    },
    help: 'Nothing: the new number counts.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: bought,
        sees: { open: { pro: true }, quantity: 1 },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'three seats',
        sends: [says('2026-03-10T00:00:10Z', 'subscription.update', creemSubscription(units(3)))],
        sees: { open: { pro: true }, quantity: 3 },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'Cancelled at once in Creem’s dashboard, without a refund',
    plays: ['cancel-now'],
    fact: {
      says: 'Cancelled immediately, a subscription ends and is charged no more. The answer still names the end of the period that was paid; nothing is refunded by that.',
      source: from('https://docs.creem.io/features/subscriptions/refunds-and-cancellations', today),
    },
    help: 'Refund the payment as well if access has to end at once. The paid month stays open otherwise.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'subscription.canceled',
            creemSubscription({ status: 'canceled', canceled_at: '2026-03-10T00:00:00.000Z' }),
          ),
        ],
        sees: { open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      { at: '2026-04-02T00:00:00Z', happens: 'the paid month is over', sees: { open: { pro: false } } },
    ],
  },
  {
    provider: 'creem',
    situation: 'Paused in Creem’s dashboard within the paid month, and resumed after it',
    plays: ['pause-now'],
    fact: {
      says: 'A pause stops billing and keeps the subscription for later. No page says that the days that were paid before it end.',
      source: from('https://docs.creem.io/api-reference/endpoint/pause-subscription', today),
    },
    help: 'Nothing: the paid month stays. End the pause in Creem’s dashboard.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'paused',
        sends: [says('2026-03-10T00:00:10Z', 'subscription.paused', creemSubscription({ status: 'paused' }))],
        sees: { open: { pro: true }, page: /then paused/ },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the paid month is over',
        sees: { open: { pro: false } },
      },
      {
        at: '2026-05-11T00:00:00Z',
        happens: 'resumed and paid',
        sends: [
          says(
            '2026-05-10T00:00:10Z',
            'subscription.paid',
            creemSubscription({
              last_transaction_id: 'tran_2',
              last_transaction: creemTransaction({
                id: 'tran_2',
                period_start: Date.parse('2026-05-10T00:00:00Z'),
                period_end: Date.parse('2026-06-10T00:00:00Z'),
                created_at: Date.parse('2026-05-10T00:00:05Z'),
              }),
              last_transaction_date: '2026-05-10T00:00:05.000Z',
              current_period_start_date: '2026-05-10T00:00:00.000Z',
              current_period_end_date: '2026-06-10T00:00:00.000Z',
              next_transaction_date: '2026-06-10T00:00:00.000Z',
            }),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1428 paid', '1428 paid'] },
      },
    ],
  },
]
