import * as objects from '../../providers/chargebee/events.ts'
import { from, type Lifecycle, seconds } from '../lifecycle.ts'
import { made } from '../typed.ts'
import { bought, type Customer, february, invoice, january, plans, says, subscription } from './objects.ts'

const chargebeeCustomer = made<Customer>(objects.chargebeeCustomer)

const today = '2026-11-30'
const other = { customer_id: 'cus_2' } as const
const bob = chargebeeCustomer({
  id: 'cus_2',
  first_name: 'Bob',
  email: 'bob@example.com',
  updated_at: seconds('2026-02-01T11:00:00Z'),
  resource_version: Date.parse('2026-02-01T11:00:00Z'),
})

export const customers: readonly Lifecycle[] = [
  {
    provider: 'chargebee',
    situation: 'The customer is deleted in Chargebee in a paid month',
    plays: ['customer-deleted'],
    fact: {
      says: 'Deleting a customer deletes its subscriptions and invoices. customer_deleted has the subscriptions as they last were, marked as deleted.',
      source: from('https://apidocs.chargebee.com/docs/api/customers/delete-a-customer', today),
    },
    help: 'Cancel at the end of the term first, if the paid month should stay. The member can subscribe again.',
    plans,
    steps: [
      {
        at: '2026-01-21T12:00:00Z',
        happens: 'deleted',
        sends: [
          bought({}),
          says('2026-01-20T11:00:00Z', 'customer_deleted', {
            customer: chargebeeCustomer({
              updated_at: seconds('2026-01-20T11:00:00Z'),
              resource_version: Date.parse('2026-01-20T11:00:00Z'),
              deleted: true,
            }),
            subscriptions: [subscription('2026-01-20T11:00:00Z', january, { deleted: true })],
          }),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['900 paid'] },
      },
    ],
  },
  {
    provider: 'chargebee',
    situation: 'A customer is merged into another person’s, and the subscription moves along',
    plays: ['customer-merged'],
    fact: {
      says: 'Merging moves subscriptions, invoices and transactions to the other customer, in the background. The former customer stays. No event for it is documented.',
      source: from('https://apidocs.chargebee.com/docs/api/customers/merge-customers', today),
    },
    help: 'Merge only customers of one person. The subscription opens for the customer that Chargebee names.',
    plans,
    steps: [
      {
        at: '2026-01-16T12:00:00Z',
        happens: 'paid',
        sends: [bought({})],
        sees: { open: { pro: true }, payments: ['900 paid'] },
      },
      {
        at: '2026-02-16T12:00:00Z',
        happens: 'merged, and renewed under the other customer',
        sends: [
          says('2026-02-15T11:00:01Z', 'subscription_renewed', {
            customer: bob,
            subscription: subscription('2026-02-15T11:00:01Z', february, other),
            invoice: invoice('2', '2026-02-15T11:00:01Z', february, other),
          }),
        ],
        sees: { open: { pro: false }, openForBob: { pro: true } },
      },
    ],
  },
]
