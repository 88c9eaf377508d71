import type { Lifecycle } from '../lifecycle.ts'
import { seconds } from '../lifecycle.ts'
import {
  bookCharge,
  chargeObject,
  disputeObject,
  first,
  page,
  paidBook,
  paidMonth,
  paidRenewal,
  plans,
  refundObject,
  says,
  second,
  subscription,
} from './objects.ts'

const refunds = page('refunds')
const disputes = page('disputes/how-disputes-work')

function bookDispute(status: 'needs_response' | 'warning_needs_response' | 'warning_closed' | 'won') {
  return disputeObject({ amount: 3000, status })
}
function monthDispute(status: 'needs_response' | 'lost') {
  return disputeObject({ amount: 900, status, created: seconds('2026-03-10T10:00:00Z') })
}

export const stripeRefunds: readonly Lifecycle[] = [
  {
    provider: 'stripe',
    situation: 'A book is refunded in part, and then the rest',
    plays: ['refund-part', 'refund-full'],
    fact: {
      says: 'A charge can be refunded several times, up to its amount. It names what went back in amount_refunded, and is refunded when all of it did.',
      source: refunds,
    },
    help: 'Refund in your office or in Stripe’s dashboard.',
    plans,
    steps: [
      paidBook,
      {
        at: '2026-03-03T12:00:00Z',
        happens: 'a third went back',
        sends: [
          says('2026-03-03T10:00:00Z', 'refund.created', refundObject({ amount: 1000 })),
          says('2026-03-03T10:00:01Z', 'charge.refunded', bookCharge({ amount_refunded: 1000 })),
        ],
        sees: { open: { book: true }, payments: ['3000 partially_refunded'], page: /Bought on 2 March/ },
      },
      {
        at: '2026-03-05T12:00:00Z',
        happens: 'all went back',
        sends: [
          says(
            '2026-03-05T10:00:00Z',
            'refund.created',
            refundObject({ id: 're_2', amount: 2000, created: seconds('2026-03-05T10:00:00Z') }),
          ),
          says(
            '2026-03-05T10:00:01Z',
            'charge.refunded',
            bookCharge({ amount_refunded: 3000, refunded: true }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A refund waits for the seller’s balance, and fails',
    plays: ['refund-pending', 'refund-failed'],
    fact: {
      says: 'A refund that the balance does not cover is pending. It fails if the buyer’s bank disputes the charge before, or cannot take it.',
      source: refunds,
    },
    help: 'Add to your balance at Stripe, and refund again if the refund failed.',
    plans,
    steps: [
      paidBook,
      {
        at: '2026-03-03T12:00:00Z',
        happens: 'a refund is pending',
        sends: [
          says(
            '2026-03-03T10:00:00Z',
            'refund.created',
            refundObject({ amount: 3000, status: 'pending', pending_reason: 'insufficient_funds' }),
          ),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
      },
      {
        at: '2026-03-06T12:00:00Z',
        happens: 'the refund failed',
        sends: [
          says(
            '2026-03-06T10:00:00Z',
            'refund.failed',
            refundObject({ amount: 3000, status: 'failed', failure_reason: 'declined' }),
          ),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A refund is made, and the buyer’s bank returns it',
    plays: ['refund-full', 'reversed'],
    fact: {
      says: 'A bank may return a refund, up to 30 days later. Its status is then failed, and the money is the seller’s again.',
      source: page('refunds#failed-refunds'),
    },
    help: 'Pay the buyer back in another way and end the access, or leave both as they were.',
    plans,
    steps: [
      {
        at: '2026-03-03T12:00:00Z',
        happens: 'refunded',
        sends: [
          ...(paidBook.sends ?? []),
          says('2026-03-03T10:00:00Z', 'refund.created', refundObject({ amount: 3000 })),
          says(
            '2026-03-03T10:00:01Z',
            'charge.refunded',
            bookCharge({ amount_refunded: 3000, refunded: true }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
      {
        at: '2026-03-20T12:00:00Z',
        happens: 'returned by the bank',
        sends: [
          says(
            '2026-03-20T10:00:00Z',
            'refund.failed',
            refundObject({ amount: 3000, status: 'failed', failure_reason: 'expired_or_canceled_card' }),
          ),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'The seller cancels at once in Stripe’s dashboard, and refunds the month',
    plays: ['cancel-credited', 'refund-full'],
    fact: {
      says: 'The dashboard can refund the last payment while it cancels a subscription at once. The charge is then refunded, and the subscription deleted.',
      source: page('billing/subscriptions/cancel'),
    },
    help: 'Nothing: the money went back, and access ended.',
    plans,
    steps: [
      paidMonth,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled and refunded',
        sends: [
          says(
            '2026-03-10T10:00:00Z',
            'customer.subscription.deleted',
            subscription(first, {
              status: 'canceled',
              canceled_at: seconds('2026-03-10T10:00:00Z'),
              ended_at: seconds('2026-03-10T10:00:00Z'),
              cancellation_details: { reason: 'cancellation_requested' },
            }),
          ),
          says(
            '2026-03-10T10:00:01Z',
            'charge.refunded',
            chargeObject({ amount: 900, amount_captured: 900, amount_refunded: 900, refunded: true }),
          ),
          says(
            '2026-03-10T10:00:02Z',
            'refund.created',
            refundObject({ amount: 900, created: seconds('2026-03-10T10:00:00Z') }),
          ),
        ],
        sees: { open: { pro: false }, payments: ['900 refunded'], status: 'canceled' },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A bank disputes the payment of a book, and the seller wins',
    plays: ['dispute', 'dispute-won'],
    fact: {
      says: 'A dispute takes the amount from the seller when it opens. A won dispute gives it back.',
      source: disputes,
    },
    help: 'Answer the dispute in Stripe’s dashboard before its due date.',
    plans,
    steps: [
      paidBook,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'disputed',
        sends: [says('2026-03-10T10:00:00Z', 'charge.dispute.created', bookDispute('needs_response'))],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'won',
        sends: [says('2026-05-01T10:00:00Z', 'charge.dispute.closed', bookDispute('won'))],
        sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A bank disputes the payment of a month, the seller loses, and the next month is paid',
    plays: ['dispute', 'dispute-lost'],
    fact: {
      says: 'A lost dispute leaves the amount with the buyer. The subscription continues, and is billed again.',
      source: disputes,
    },
    help: 'Cancel the subscription if you want no more payments of this buyer.',
    plans,
    steps: [
      paidMonth,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'disputed, in the running month',
        sends: [says('2026-03-10T10:00:00Z', 'charge.dispute.created', monthDispute('needs_response'))],
        sees: { open: { pro: true }, payments: ['900 disputed'], status: 'active' },
      },
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'lost',
        sends: [says('2026-03-20T10:00:00Z', 'charge.dispute.closed', monthDispute('lost'))],
        sees: { open: { pro: false }, payments: ['900 disputed'] },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the next month is paid',
        sends: [
          says(
            '2026-04-01T00:00:01Z',
            'customer.subscription.updated',
            subscription(second, { latest_invoice: 'in_2' }),
            { latest_invoice: 'in_1' },
          ),
          paidRenewal('2026-04-01T01:00:00Z'),
        ],
        sees: {
          open: { pro: true },
          payments: ['900 disputed', '900 paid'],
          mailSays: /renews on 1 May 2026/,
        },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'A bank only asks about the payment of a book, and closes the inquiry',
    plays: ['inquiry'],
    fact: {
      says: 'An inquiry is a dispute whose status begins with warning. It takes no money, and ends as warning_closed unless it becomes a dispute.',
      source: disputes,
    },
    help: 'Answer the inquiry in Stripe’s dashboard, so that it becomes no dispute.',
    plans,
    steps: [
      paidBook,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'the bank asks',
        sends: [
          says('2026-03-10T10:00:00Z', 'charge.dispute.created', bookDispute('warning_needs_response')),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
      },
      {
        at: '2026-07-11T00:00:00Z',
        happens: 'closed',
        sends: [says('2026-07-10T10:00:00Z', 'charge.dispute.closed', bookDispute('warning_closed'))],
        sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
      },
    ],
  },
]
