import { polarBook, polarCheckout } from '../../providers/polar/events.ts'
import type { Lifecycle } from '../lifecycle.ts'
import {
  april,
  bought,
  charges,
  checkouts,
  failed,
  orders,
  paid,
  plans,
  renewal,
  says,
  subscription,
} from './objects.ts'

const charge = { id: 'ord_9', checkout_id: null, created_at: '2026-03-10T00:00:01Z' }

export const polarPayments: readonly Lifecycle[] = [
  {
    provider: 'polar',
    situation: 'The first payment fails on Polar’s page, and another card pays it',
    plays: ['first-fails'],
    fact: {
      says: 'After a failed payment the checkout is open again, so that the buyer can try another way to pay. The subscription and its order exist only after a payment.',
      source: checkouts,
    },
    help: 'Nothing: the member can pay with another card on the same page.',
    plans,
    steps: [
      {
        at: '2026-03-01T00:00:00Z',
        happens: 'not paid',
        sends: [says('2026-02-28T23:59:00Z', 'checkout.updated', polarCheckout({ status: 'open' }))],
        sees: { open: { pro: false } },
      },
      {
        at: '2026-03-01T00:05:00Z',
        happens: 'paid',
        sends: bought,
        sees: { open: { pro: true }, payments: ['1200 paid'] },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'A renewal needs a second factor, and the member pays it in Polar’s portal',
    plays: ['second-factor'],
    fact: {
      says: 'Nobody can answer the bank when a renewal is charged, so it counts as not paid. The buyer pays the order in the portal, where the bank asks.',
      source: charges,
    },
    help: 'Ask the member to pay in Polar’s portal.',
    plans,
    steps: [
      paid,
      {
        at: '2026-04-01T12:00:00Z',
        happens: 'the bank asks, and nobody is there',
        sends: failed,
        sees: {
          status: 'past_due',
          open: { pro: true },
          payments: ['1200 paid', '1200 pending'],
          mails: ['payment-failed'],
        },
      },
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'paid in the portal',
        sends: [
          says('2026-04-02T10:00:05Z', 'order.paid', renewal('ord_5', april, 'paid')),
          says('2026-04-02T10:00:06Z', 'subscription.active', subscription(april)),
        ],
        sees: {
          status: 'active',
          open: { pro: true },
          payments: ['1200 paid', '1200 paid'],
          until: '2026-05-01T00:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'The seller charges a member for a book as well, and the card is refused at first',
    plays: ['extra-charge-fails'],
    fact: {
      says: 'A charge without a checkout begins as a draft order, which charges nothing yet. When the charge fails, only the seller’s call has an error, and the order is a draft again.',
      source: orders,
    },
    help: 'Ask the member for another card, and finalize the same order again.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'refused',
        sends: [
          says(
            '2026-03-10T00:00:05Z',
            'order.created',
            polarBook({ ...charge, status: 'draft', paid: false }),
          ),
        ],
        sees: { open: { pro: true, book: false }, status: 'active', payments: ['1200 paid'], mails: [] },
      },
      {
        at: '2026-03-13T00:00:00Z',
        happens: 'charged',
        sends: [says('2026-03-12T00:00:05Z', 'order.paid', polarBook(charge))],
        sees: { open: { pro: true, book: true }, payments: ['1200 paid', '3000 paid'] },
      },
    ],
  },
]
