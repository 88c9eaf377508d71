import { creemSubscription, creemTransaction } from '../../providers/creem/events.ts'
import { from, type Lifecycle } from '../lifecycle.ts'
import { april, onTrial, paid, plans, recovered, says, today, trial, webhooks } from './objects.ts'

export const creemPayments: readonly Lifecycle[] = [
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
    situation: 'A renewal fails, every retry fails, and Creem cancels the subscription',
    plays: ['dunning-cancels'],
    fact: {
      says: 'Creem retries a failed payment by its own schedule. When all retries are used up, the subscription is canceled, which is final.',
      source: from('https://docs.creem.io/code/webhooks', today),
    },
    help: 'The member subscribes again.',
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
        at: '2026-04-16T00:00:00Z',
        happens: 'cancelled after the last retry',
        sends: [
          says(
            '2026-04-15T00:00:10Z',
            'subscription.canceled',
            creemSubscription({ status: 'canceled', canceled_at: '2026-04-15T00:00:00.000Z' }),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['1428 paid'] },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'Creem cancels after its last retry, and names the month that was not paid',
    plays: ['dunning-cancels'],
    fact: {
      says: 'A canceled subscription names a period. No page says whether that is the paid one, when retries have failed.',
      source: 'unknown',
    },
    help: 'The member subscribes again.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            'subscription.past_due',
            creemSubscription({ ...april, status: 'past_due' }),
          ),
        ],
        sees: { open: { pro: true }, status: 'past_due', mails: ['payment-failed'] },
      },
      {
        at: '2026-04-16T00:00:00Z',
        happens: 'cancelled after the last retry',
        sends: [
          says(
            '2026-04-15T00:00:10Z',
            'subscription.canceled',
            creemSubscription({ ...april, status: 'canceled', canceled_at: '2026-04-15T00:00:00.000Z' }),
          ),
        ],
        sees: { open: { pro: false }, payments: ['1428 paid'] },
      },
    ],
  },
]
