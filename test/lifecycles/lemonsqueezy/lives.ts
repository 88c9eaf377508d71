import {
  lemonEvent,
  lemonInvoice,
  lemonOrder,
  lemonSubscription,
} from '../../providers/lemonsqueezy/events.ts'
import { from, type Lifecycle, type Message } from '../lifecycle.ts'

type Fields = Record<string, unknown>

const plans = {
  pro: { name: 'Pro', prices: [{ id: '1001', amount: 1200, currency: 'EUR', interval: 'month' }] },
}

const says = (at: string, name: string, object: Fields & { type: string; id: string }): Message => ({
  at,
  event: lemonEvent(name, object),
})

const bought: readonly Message[] = [
  says('2026-03-01T00:00:03Z', 'order_created', lemonOrder()),
  says('2026-03-01T00:00:04Z', 'subscription_created', lemonSubscription()),
  says('2026-03-01T00:00:05Z', 'subscription_payment_success', lemonInvoice()),
]

const at = (moment: string): Fields => ({ updated_at: `${moment.slice(0, -1)}.000000Z` })
const renewal = (moment: string, fields: Fields = {}) =>
  lemonInvoice({
    id: '902',
    billing_reason: 'renewal',
    created_at: '2026-04-01T00:00:01.000000Z',
    ...at(moment),
    ...fields,
  })
const failed: readonly Message[] = [
  says(
    '2026-04-01T00:00:10Z',
    'subscription_updated',
    lemonSubscription({
      status: 'past_due',
      renews_at: '2026-04-04T00:00:00.000000Z',
      ...at('2026-04-01T00:00:10Z'),
    }),
  ),
  says(
    '2026-04-01T00:00:11Z',
    'subscription_payment_failed',
    renewal('2026-04-01T00:00:11Z', { status: 'pending' }),
  ),
]
const recovery = from('https://docs.lemonsqueezy.com/help/online-store/recovery-dunning')

const pausing = from('https://docs.lemonsqueezy.com/api/subscriptions/update-subscription')

export const lemonLives: readonly Lifecycle[] = [
  {
    provider: 'lemonsqueezy',
    situation: 'Paused with mode void within the paid month',
    fact: {
      says: 'A pause stops the collection of payments. With mode void the seller does not serve meanwhile, with mode free the seller goes on.',
      source: pausing,
    },
    help: 'Choose the mode free in the dashboard where the member should keep access.',
    plans,
    steps: [
      { at: '2026-03-02T00:00:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-03-21T12:00:00Z',
        happens: 'paused, within the paid month',
        sends: [
          says(
            '2026-03-20T11:00:00Z',
            'subscription_paused',
            lemonSubscription({
              status: 'paused',
              pause: { mode: 'void', resumes_at: '2026-06-01T00:00:00.000000Z' },
              updated_at: '2026-03-20T11:00:00.000000Z',
            }),
          ),
        ],
        sees: { open: { pro: true } },
      },
      { at: '2026-04-02T12:00:00Z', happens: 'the paid month is over', sees: { open: { pro: false } } },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'Paused with mode free, so that the seller serves on without payment',
    fact: {
      says: 'With mode free, the seller continues to offer the service without charging for it.',
      source: pausing,
    },
    help: 'End the pause in the dashboard when the member should pay again.',
    plans,
    steps: [
      { at: '2026-03-02T00:00:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-04-21T12:00:00Z',
        happens: 'a free month',
        sends: [
          says(
            '2026-03-20T11:00:00Z',
            'subscription_paused',
            lemonSubscription({
              status: 'paused',
              pause: { mode: 'free', resumes_at: '2026-06-01T00:00:00.000000Z' },
              updated_at: '2026-03-20T11:00:00.000000Z',
            }),
          ),
        ],
        sees: { open: { pro: true } },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'A renewal fails and recovers at a retry',
    fact: {
      says: 'A failed renewal is tried four times in two weeks. The subscription is past_due meanwhile, and subscription_payment_recovered tells the success.',
      source: recovery,
    },
    help: 'The member changes the card in the customer portal.',
    plans,
    steps: [
      { at: '2026-03-02T00:00:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: failed,
        sees: { open: { pro: true }, status: 'past_due', mails: ['payment-failed'] },
      },
      {
        at: '2026-04-09T00:00:00Z',
        happens: 'a retry was paid',
        sends: [
          says('2026-04-08T00:00:10Z', 'subscription_payment_recovered', renewal('2026-04-08T00:00:10Z')),
          says(
            '2026-04-08T00:00:11Z',
            'subscription_updated',
            lemonSubscription({ renews_at: '2026-05-01T00:00:00.000000Z', ...at('2026-04-08T00:00:11Z') }),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1200 paid', '1200 paid'] },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'All four retries fail, and the subscription is unpaid, then expired',
    fact: {
      says: 'After the four tries the subscription is unpaid. As set, it expires after some days or stays unpaid.',
      source: recovery,
    },
    help: 'Choose in the store’s settings what follows the last retry. The member can subscribe again.',
    plans,
    steps: [
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: [...bought, ...failed],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-16T00:00:00Z',
        happens: 'unpaid after two weeks',
        sends: [
          says(
            '2026-04-15T00:00:10Z',
            'subscription_updated',
            lemonSubscription({ status: 'unpaid', ...at('2026-04-15T00:00:10Z') }),
          ),
        ],
        sees: { open: { pro: false }, status: 'unpaid' },
      },
      {
        at: '2026-05-16T00:00:00Z',
        happens: 'expired',
        sends: [
          says(
            '2026-05-15T00:00:10Z',
            'subscription_expired',
            lemonSubscription({
              status: 'expired',
              ends_at: '2026-05-15T00:00:00.000000Z',
              ...at('2026-05-15T00:00:10Z'),
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'expired' },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'The member cancels, keeps the paid month, and resumes',
    fact: {
      says: 'A cancelled subscription is valid until ends_at. It can be resumed until then.',
      source: from('https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object'),
    },
    help: 'Nothing: the member can resume on the account page.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled',
        sends: [
          ...bought,
          says(
            '2026-03-10T00:00:10Z',
            'subscription_cancelled',
            lemonSubscription({
              status: 'cancelled',
              cancelled: true,
              ends_at: '2026-04-01T00:00:00.000000Z',
              ...at('2026-03-10T00:00:10Z'),
            }),
          ),
        ],
        sees: { open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'resumed',
        sends: [
          says('2026-03-20T00:00:10Z', 'subscription_resumed', lemonSubscription(at('2026-03-20T00:00:10Z'))),
        ],
        sees: { open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'A trial ends, and its first charge fails',
    fact: {
      says: 'After a trial the first renewal is charged; a failed one is past_due like any other.',
      source: 'unknown',
    },
    help: 'The member changes the card in the customer portal.',
    plans,
    steps: [
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'in the trial',
        sends: [
          says(
            '2026-03-01T00:00:04Z',
            'subscription_created',
            lemonSubscription({
              status: 'on_trial',
              trial_ends_at: '2026-03-08T00:00:00.000000Z',
              renews_at: '2026-03-08T00:00:00.000000Z',
            }),
          ),
        ],
        sees: { open: { pro: true }, status: 'trialing' },
      },
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'the first charge failed',
        sends: [
          says(
            '2026-03-08T00:00:10Z',
            'subscription_updated',
            lemonSubscription({
              status: 'past_due',
              trial_ends_at: '2026-03-08T00:00:00.000000Z',
              renews_at: '2026-03-11T00:00:00.000000Z',
              ...at('2026-03-08T00:00:10Z'),
            }),
          ),
          says(
            '2026-03-08T00:00:11Z',
            'subscription_payment_failed',
            lemonInvoice({
              status: 'pending',
              created_at: '2026-03-08T00:00:01.000000Z',
              ...at('2026-03-08T00:00:11Z'),
            }),
          ),
        ],
        sees: { open: { pro: false } },
      },
    ],
  },
]
