import { type Lifecycle, seconds } from '../lifecycle.ts'
import { bought, customerObject, first, page, paidBook, plans, says, subscription } from './objects.ts'

export const stripeCustomers: readonly Lifecycle[] = [
  {
    provider: 'stripe',
    situation: 'The seller deletes the customer at Stripe, which cancels the subscription at once',
    plays: ['customer-deleted'],
    fact: {
      says: 'Deleting a customer cancels its active subscriptions at once, and cannot be undone. No payment is given back by that.',
      source: page('api/customers/delete'),
    },
    help: 'Delete no customer who has paid time. Give free access by hand if it happened.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'a month and a book are paid',
        sends: [...bought, ...(paidBook.sends ?? [])],
        sees: { open: { pro: true, book: true }, payments: ['3000 paid', '900 paid'] },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'the customer is deleted, and only the book stays',
        sends: [
          says(
            '2026-03-10T10:00:00Z',
            'customer.subscription.deleted',
            subscription(first, {
              status: 'canceled',
              canceled_at: seconds('2026-03-10T10:00:00Z'),
              ended_at: seconds('2026-03-10T10:00:00Z'),
            }),
          ),
          says('2026-03-10T10:00:01Z', 'customer.deleted', customerObject()),
        ],
        sees: { open: { pro: false, book: true }, status: 'canceled' },
      },
    ],
  },
]
