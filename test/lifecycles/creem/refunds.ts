import { creemBook, creemDispute, creemRefund, creemTransaction } from '../../providers/creem/events.ts'
import { from, type Lifecycle } from '../lifecycle.ts'
import { type Fields, plans, says, today, webhooks } from './objects.ts'

/** A refund that moved no money, or not yet. */
function unmade(status: string, fields: Fields = {}): Fields {
  return creemRefund({
    status,
    transaction: creemTransaction({
      id: 'tran_2',
      amount: 3000,
      amount_paid: 3000,
      type: 'payment',
      order: 'ord_2',
      subscription: undefined,
    }),
    ...fields,
  })
}

export const creemRefunds: readonly Lifecycle[] = [
  {
    provider: 'creem',
    situation: 'A book is refunded in full',
    plays: ['refund-full'],
    fact: {
      says: 'refund.created has the refunded sum and the transaction, whose status is then refunded.',
      source: webhooks,
    },
    help: 'Refund in your office or in Creem’s dashboard.',
    plans,
    steps: [
      {
        at: '2026-03-02T09:30:00Z',
        happens: 'bought',
        sends: [says('2026-03-02T09:00:10Z', 'checkout.completed', creemBook())],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'refunded',
        sends: [says('2026-03-02T10:00:10Z', 'refund.created', creemRefund())],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A bank charges a book back, and no message tells how it ends',
    plays: ['dispute'],
    fact: {
      says: 'dispute.created has the sum and the transaction, whose status is then chargeback. It is the only message about a dispute.',
      source: from('https://docs.creem.io/code/webhooks', today),
    },
    help: 'Refund the payment in Creem’s dashboard if the dispute is lost. Write to Creem if it is won.',
    plans,
    steps: [
      {
        at: '2026-03-02T09:30:00Z',
        happens: 'bought',
        sends: [says('2026-03-02T09:00:10Z', 'checkout.completed', creemBook())],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'disputed',
        sends: [
          says(
            '2026-03-11T10:00:10Z',
            'dispute.created',
            creemDispute({ created_at: Date.parse('2026-03-11T10:00:00Z') }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A part of a book is refunded',
    plays: ['refund-part'],
    fact: {
      says: 'A payment can be refunded in full or in part. refund.created has the refunded sum.',
      source: from('https://docs.creem.io/features/subscriptions/refunds-and-cancellations', today),
    },
    help: 'Refund in your office or in Creem’s dashboard.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'a third went back',
        sends: [
          says('2026-03-02T09:00:10Z', 'checkout.completed', creemBook()),
          says('2026-03-02T10:00:10Z', 'refund.created', creemRefund({ refund_amount: 1000 })),
        ],
        sees: { open: { book: true }, payments: ['3000 partially_refunded'] },
      },
    ],
  },
  {
    provider: 'creem',
    situation: 'A refund of a book is pending at first, and another one fails',
    plays: ['refund-pending', 'refund-failed'],
    fact: {
      says: 'A refund is pending, succeeded, canceled or failed. The transaction is refunded when it succeeded. refund.created is the only message about it.',
      source: from(
        'https://github.com/armitage-labs/creem/blob/main/packages/creem-io/types/webhooks.ts',
        today,
      ),
    },
    help: 'Look at the refund in Creem’s dashboard. Refund again if it failed.',
    plans,
    steps: [
      {
        at: '2026-03-02T09:30:00Z',
        happens: 'bought',
        sends: [says('2026-03-02T09:00:10Z', 'checkout.completed', creemBook())],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'the refund is pending',
        sends: [says('2026-03-02T10:00:10Z', 'refund.created', unmade('pending'))],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'another refund failed',
        sends: [says('2026-03-04T10:00:10Z', 'refund.created', unmade('failed', { id: 'ref_2' }))],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
]
