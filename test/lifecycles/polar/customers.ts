import { polarCustomer } from '../../providers/polar/events.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { customers, ended, paid, plans, says } from './objects.ts'

export const polarCustomers: readonly Lifecycle[] = [
  {
    provider: 'polar',
    situation: 'The seller deletes the customer at Polar, which ends the subscription',
    plays: ['customer-deleted'],
    fact: {
      says: 'Deleting a customer ends all subscriptions at once, and takes back all that they gave. Orders stay.',
      source: customers,
    },
    help: 'Nothing: the member can subscribe again. Cancel at the end of the period first, and the paid month stays open.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'deleted',
        sends: [
          says(
            '2026-03-10T00:00:04Z',
            'customer.deleted',
            polarCustomer({ deleted_at: '2026-03-10T00:00:00Z' }),
          ),
          says('2026-03-10T00:00:05Z', 'subscription.revoked', ended),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['1200 paid'] },
      },
    ],
  },
]
