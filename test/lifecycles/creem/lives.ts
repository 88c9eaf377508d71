import {
  creemBook,
  creemCheckout,
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
]
