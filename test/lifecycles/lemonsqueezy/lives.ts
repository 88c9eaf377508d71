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

const pausing = from('https://docs.lemonsqueezy.com/api/subscriptions/update-subscription')

export const lemonLives: readonly Lifecycle[] = [
  {
    provider: 'lemonsqueezy',
    situation: 'Paused with mode void within the paid month',
    fact: {
      says: 'A pause stops the collection of payments. With mode void the seller does not serve meanwhile, with mode free the seller goes on.',
      source: pausing,
    },
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
]
