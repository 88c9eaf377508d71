import type { Lifecycle } from '../lifecycle.ts'
import {
  bookBought,
  disputeEvents,
  disputes,
  dodoDispute,
  dodoRefund,
  dodoSubscription,
  paid,
  plans,
  refunds,
  says,
  subscriptions,
} from './objects.ts'

const inquiry = { created_at: '2026-03-10T10:00:00Z', dispute_stage: 'pre_dispute' } as const

export const dodoRefunds: readonly Lifecycle[] = [
  {
    provider: 'dodo',
    situation: 'A refund of a book is pending for three days, and is then made',
    plays: ['refund-pending', 'refund-full'],
    fact: {
      says: 'A refund is pending until it has succeeded or failed. Only these two are sent: refund.succeeded and refund.failed.',
      source: refunds,
    },
    help: 'Nothing: the book closes when the money went back.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'the refund is pending',
        sends: [bookBought],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-06T00:00:00Z',
        happens: 'all went back',
        sends: [says('2026-03-05T10:00:05Z', 'refund.succeeded', dodoRefund())],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'Cancelled at once in Dodo’s dashboard, and its payment refunded',
    plays: ['cancel-credited', 'refund-full'],
    fact: {
      says: 'A cancellation refunds nothing by itself. The seller refunds the payment as well, within 30 days.',
      source: subscriptions,
    },
    help: 'Nothing: cancel and refund, and access ends.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled and refunded',
        sends: [
          says(
            '2026-03-10T10:00:05Z',
            'subscription.cancelled',
            dodoSubscription({ status: 'cancelled', cancelled_at: '2026-03-10T10:00:00Z' }),
          ),
          says(
            '2026-03-10T10:05:05Z',
            'refund.succeeded',
            dodoRefund({ payment_id: 'pay_1', amount: 1200, created_at: '2026-03-10T10:05:00Z' }),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['1200 refunded'] },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A bank asks about a book before any dispute, and withdraws the question',
    plays: ['inquiry'],
    fact: {
      says: 'A dispute names its stage, and pre_dispute comes before the formal dispute. dispute.cancelled says that it was withdrawn, and that nothing is left to do.',
      source: disputeEvents,
    },
    help: 'Answer in Dodo’s dashboard within four days.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'asked',
        sends: [bookBought, says('2026-03-10T10:00:05Z', 'dispute.opened', dodoDispute(inquiry))],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-13T00:00:00Z',
        happens: 'withdrawn',
        sends: [
          says(
            '2026-03-12T10:00:05Z',
            'dispute.cancelled',
            dodoDispute({ ...inquiry, dispute_status: 'dispute_cancelled' }),
          ),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'A Visa dispute about a book is settled at once by the rule for small amounts',
    plays: ['dispute-lost'],
    fact: {
      says: 'Visa disputes of up to 100 dollars are refunded at once, unless the seller sets another threshold. Each appears as a lost dispute.',
      source: disputes,
    },
    setting: 'Visa Rapid Dispute Resolution is on, as it is by default',
    help: 'Lower the threshold in Dodo’s dashboard if you want to contest such disputes.',
    plans,
    steps: [
      { at: '2026-03-03T00:00:00Z', happens: 'paid', sends: [bookBought], sees: { open: { book: true } } },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'refunded by the bank’s rule',
        sends: [
          says(
            '2026-03-10T10:00:05Z',
            'dispute.lost',
            dodoDispute({ ...inquiry, dispute_status: 'dispute_lost', is_resolved_by_rdr: true }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
    ],
  },
]
