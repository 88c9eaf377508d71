import { from, type Lifecycle } from '../lifecycle.ts'
import { at, bought, lemonInvoice, lemonSubscription, plans, says, today } from './objects.ts'

/** Another quantity. */
export const lemonChanges: readonly Lifecycle[] = [
  {
    provider: 'lemonsqueezy',
    situation: 'The number of seats grows within the month, and the difference is paid at once',
    plays: ['quantity'],
    fact: {
      says: 'The quantity of a subscription’s item can be changed. With invoice_immediately a prorated invoice is made and charged at once.',
      source: from('https://docs.lemonsqueezy.com/api/subscription-items/update-subscription-item', today),
    },
    setting: 'invoice_immediately: true',
    help: 'Nothing: the new number counts.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid for one seat',
        sends: bought,
        sees: { open: { pro: true }, quantity: 1, payments: ['1200 paid'] },
      },
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'three seats',
        sends: [
          says(
            '2026-03-11T00:00:10Z',
            'subscription_updated',
            lemonSubscription({
              first_subscription_item: {
                id: 701,
                subscription_id: 401,
                price_id: 801,
                quantity: 3,
                is_usage_based: false,
                created_at: '2026-03-01T00:00:02.000000Z',
                updated_at: '2026-03-11T00:00:10.000000Z',
              },
              ...at('2026-03-11T00:00:10Z'),
            }),
          ),
          says(
            '2026-03-11T00:00:11Z',
            'subscription_payment_success',
            lemonInvoice({
              id: '902',
              billing_reason: 'updated',
              total: 1632,
              created_at: '2026-03-11T00:00:09.000000Z',
              ...at('2026-03-11T00:00:11Z'),
            }),
          ),
        ],
        sees: { open: { pro: true }, quantity: 3, payments: ['1200 paid', '1632 paid'] },
      },
    ],
  },
]
