import { polarBook, polarOrder, polarRefund } from '../../providers/polar/events.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { ended, manage, paid, plans, refunding, says } from './objects.ts'

const bookPaid = says('2026-03-02T09:00:02Z', 'order.paid', polarBook())

export const polarRefunds: readonly Lifecycle[] = [
  {
    provider: 'polar',
    situation: 'The seller revokes a subscription, and refunds its order',
    plays: ['cancel-credited', 'refund-full'],
    fact: {
      says: 'Revoking refunds nothing by itself; the seller refunds the order as well. A refund alone would not end the subscription.',
      source: manage,
    },
    help: 'Nothing: access ends with the subscription.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'revoked and refunded',
        sends: [
          says('2026-03-10T00:00:05Z', 'subscription.revoked', ended),
          says(
            '2026-03-10T00:05:05Z',
            'refund.created',
            polarRefund({
              created_at: '2026-03-10T00:05:00Z',
              order_id: 'ord_1',
              subscription_id: 'sub_1',
              amount: 1008,
              tax_amount: 192,
              revoke_benefits: false,
            }),
          ),
          says(
            '2026-03-10T00:05:06Z',
            'order.refunded',
            polarOrder({ status: 'refunded', refunded_amount: 1008, refunded_tax_amount: 192 }),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['1200 refunded'] },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'A refund of a book is pending for days, and then fails',
    plays: ['refund-pending', 'refund-failed'],
    fact: {
      says: 'refund.created may say pending. The order counts a refund only when it has succeeded; refund.updated says what became of it.',
      source: refunding,
    },
    help: 'Refund again in your office or in Polar’s dashboard.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'the refund is pending',
        sends: [bookPaid, says('2026-03-02T10:00:05Z', 'refund.created', polarRefund({ status: 'pending' }))],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-06T00:00:00Z',
        happens: 'it failed',
        sends: [says('2026-03-05T10:00:05Z', 'refund.updated', polarRefund({ status: 'failed' }))],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'polar',
    situation: 'A book is refunded, and the refund fails a week later',
    plays: ['refund-full', 'reversed'],
    fact: {
      says: 'A refund that had succeeded can fail or be cancelled later. Polar then takes it off the order, which is paid again.',
      source: refunding,
    },
    help: 'Refund again in your office or in Polar’s dashboard.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'all went back',
        sends: [
          bookPaid,
          says('2026-03-02T10:00:05Z', 'refund.created', polarRefund()),
          says(
            '2026-03-02T10:00:06Z',
            'order.refunded',
            polarBook({ status: 'refunded', refunded_amount: 2521, refunded_tax_amount: 479 }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
      {
        at: '2026-03-10T00:00:00Z',
        happens: 'it came back',
        sends: [
          says('2026-03-09T10:00:05Z', 'refund.updated', polarRefund({ status: 'failed' })),
          says('2026-03-09T10:00:06Z', 'order.updated', polarBook()),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
]
