import { from, type Lifecycle } from '../lifecycle.ts'
import { paddleCustomer, paid, plans, says, today } from './objects.ts'

/** What happens to the customer at Paddle. */
export const paddleCustomers: readonly Lifecycle[] = [
  {
    provider: 'paddle',
    situation: 'The seller archives the customer, since Paddle deletes none',
    plays: ['customer-deleted'],
    fact: {
      says: 'Customers cannot be deleted. An archived one buys nothing new, and stays related to what there is; it can be used again.',
      source: from('https://developer.paddle.com/api-reference/about/delete-entities', today),
    },
    help: 'Nothing: the subscription goes on. Cancel it in Paddle’s dashboard if it has to end.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'archived',
        sends: [says('2026-03-11T00:00:05Z', 'customer.updated', paddleCustomer({ status: 'archived' }))],
        sees: { open: { pro: true }, status: 'active', until: '2026-04-01T00:00:00.000Z' },
      },
    ],
  },
]
