import { from, type Lifecycle, type Message } from '../lifecycle.ts'
import { bookBought, paddleAdjustment, paddleSubscription, paid, plans, says, today } from './objects.ts'

type Adjusted = NonNullable<Parameters<typeof paddleAdjustment>[0]>

/** An adjustment of some cents of a transaction. */
function adjusted(at: string, total: string, fields: Adjusted = {}): Message {
  return says(
    at,
    'adjustment.created',
    paddleAdjustment({
      created_at: at,
      items: [{ id: 'adjitm_1', item_id: 'txnitm_1', type: 'full', amount: total, proration: null }],
      totals: { subtotal: total, tax: '0', total, fee: '0', earnings: total, currency_code: 'EUR' },
      ...fields,
    }),
  )
}

const adjusting = from(
  'https://developer.paddle.com/build/transactions/create-transaction-adjustments',
  today,
)
const adjustments = from('https://developer.paddle.com/api-reference/adjustments', today)

/** Refunds and chargebacks. */
export const paddleRefunds: readonly Lifecycle[] = [
  {
    provider: 'paddle',
    situation: 'The running month is refunded in full, and the subscription stays',
    plays: ['refund-full'],
    fact: {
      says: 'An approved adjustment refunds all of a transaction. It changes neither the transaction nor the subscription.',
      source: adjusting,
    },
    help: 'Cancel the subscription at once as well, or access stays to the end of the month, and Paddle charges the next one.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'refunded',
        sends: [
          adjusted('2026-03-10T10:00:00Z', '1200', { transaction_id: 'txn_1', subscription_id: 'sub_1' }),
        ],
        sees: { open: { pro: true }, until: '2026-04-01T00:00:00.000Z', payments: ['1200 refunded'] },
      },
      {
        at: '2026-03-13T00:00:00Z',
        happens: 'cancelled at once',
        sends: [
          says(
            '2026-03-12T00:00:05Z',
            'subscription.canceled',
            paddleSubscription({
              status: 'canceled',
              canceled_at: '2026-03-12T00:00:00Z',
              current_billing_period: null,
              next_billed_at: null,
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled' },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A book is refunded in part, and then the rest',
    plays: ['refund-part', 'refund-full'],
    fact: {
      says: 'A transaction may have several adjustments, each for a part of it.',
      source: adjusting,
    },
    help: 'Refund in your office or in Paddle’s dashboard.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'a third went back',
        sends: [...bookBought, adjusted('2026-03-02T10:00:00Z', '1000', { type: 'partial' })],
        sees: { open: { book: true }, payments: ['3000 partially_refunded'] },
      },
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'all went back',
        sends: [adjusted('2026-03-04T10:00:00Z', '2000', { id: 'adj_2', type: 'partial' })],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'Cancelled at once, and the rest of the month is refunded',
    plays: ['cancel-credited'],
    fact: {
      says: 'Paddle refunds nothing by itself when a subscription is cancelled within its period. The seller creates an adjustment for a part of the payment.',
      source: from('https://developer.paddle.com/build/lifecycle/subscription-cancellation', today),
    },
    help: 'Nothing: the member can subscribe again.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'cancelled and refunded in part',
        sends: [
          says(
            '2026-03-11T00:00:05Z',
            'subscription.canceled',
            paddleSubscription({
              status: 'canceled',
              canceled_at: '2026-03-11T00:00:00Z',
              current_billing_period: null,
              next_billed_at: null,
            }),
          ),
          adjusted('2026-03-11T00:10:00Z', '800', {
            type: 'partial',
            transaction_id: 'txn_1',
            subscription_id: 'sub_1',
          }),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['1200 partially_refunded'] },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'The bank charges a purchase back, and nothing follows',
    plays: ['dispute', 'dispute-lost'],
    fact: {
      says: 'For a chargeback Paddle creates an adjustment for the whole sum. Another one follows only if Paddle contests it with success.',
      source: adjustments,
    },
    help: 'Nothing: the book stays closed.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'charged back',
        sends: [...bookBought, adjusted('2026-03-10T10:00:00Z', '3000', { action: 'chargeback' })],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
      {
        at: '2026-07-11T00:00:00Z',
        happens: 'no reversal within four months',
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
    ],
  },
  {
    provider: 'paddle',
    situation: 'A chargeback is announced, and Paddle refunds the purchase to avoid it',
    plays: ['inquiry'],
    fact: {
      says: 'The adjustment chargeback_warning announces a chargeback, and Paddle may refund to avoid it. No page says that the warning itself moves money.',
      source: from(
        'https://www.paddle.com/help/manage/risk-prevention/understanding-chargebacks-with-paddle',
        today,
      ),
    },
    help: 'Look up the payment in Paddle. If it went back without an adjustment for a refund, refund it in your office.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'announced',
        sends: [...bookBought, adjusted('2026-03-10T10:00:00Z', '3000', { action: 'chargeback_warning' })],
        sees: { open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'refunded',
        sends: [adjusted('2026-03-11T10:00:00Z', '3000', { id: 'adj_2' })],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
]
