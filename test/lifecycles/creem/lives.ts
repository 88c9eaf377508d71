import { creemEvent, creemSubscription } from '../../providers/creem/events.ts'
import { from, type Lifecycle, type Message } from '../lifecycle.ts'

type Fields = Record<string, unknown>

const plans = {
  pro: {
    name: 'Pro',
    prices: [{ id: 'prod_pro_monthly', amount: 1200, currency: 'EUR', interval: 'month' }],
  },
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

export const creemLives: readonly Lifecycle[] = [
  {
    provider: 'creem',
    situation: 'A trial of a week ends, and its first charge fails',
    fact: {
      says: 'Trialing comes before the first payment; past due means that a payment attempt has failed and is tried again.',
      source: from('https://docs.creem.io/features/subscriptions/introduction'),
    },
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
    fact: {
      says: 'subscription.expired means that the period ended without a payment. It is not final: retries may follow, and the status may stay.',
      source: from('https://docs.creem.io/code/webhooks'),
    },
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
]
