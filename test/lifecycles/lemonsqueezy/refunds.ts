import { from, type Lifecycle } from '../lifecycle.ts'
import {
  at,
  bought,
  type Invoice,
  lemonBook,
  lemonInvoice,
  lemonOrder,
  lemonSubscription,
  plans,
  renewed,
  says,
  today,
} from './objects.ts'

const shop = {
  ...plans,
  book: { name: 'Book', prices: [{ id: '2002', amount: 3000, currency: 'EUR', type: 'one_time' }] },
}

const refunded = { status: 'refunded', refunded: true } as const

/** The invoice of April, all of which went back. */
const april: Invoice = {
  id: '902',
  billing_reason: 'renewal',
  created_at: '2026-04-01T00:00:01.000000Z',
  ...refunded,
  refunded_at: '2026-04-10T10:00:00.000000Z',
  refunded_amount: 1200,
  ...at('2026-04-10T10:00:01Z'),
}

const events = from('https://docs.lemonsqueezy.com/help/webhooks/event-types', today)

/** Refunds of orders and of invoices. */
export const lemonRefunds: readonly Lifecycle[] = [
  {
    provider: 'lemonsqueezy',
    situation: 'The running month is refunded in full, and the subscription stays',
    plays: ['refund-full'],
    fact: {
      says: 'An invoice can be refunded alone; it then has the status refunded. subscription_payment_refunded tells it, and the subscription stays.',
      source: from(
        'https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object',
        today,
      ),
    },
    help: 'Cancel the subscription as well, or Lemon Squeezy charges the next month. Access stays to the end of the refunded one.',
    plans,
    steps: [
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'renewed',
        sends: [...bought, ...renewed('902', '2026-04-01', '2026-05-01')],
        sees: { open: { pro: true }, payments: ['1200 paid', '1200 paid'] },
      },
      {
        at: '2026-04-11T00:00:00Z',
        happens: 'refunded',
        sends: [says('2026-04-10T10:00:01Z', 'subscription_payment_refunded', lemonInvoice(april))],
        sees: {
          open: { pro: true },
          status: 'active',
          payments: ['1200 paid', '1200 refunded'],
          until: '2026-05-01T00:00:00.000Z',
        },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'A book is refunded in part, and then the rest',
    plays: ['refund-part', 'refund-full'],
    fact: {
      says: 'order_refunded tells a refund in full or in part. The order has the sum that went back in all.',
      source: from('https://docs.lemonsqueezy.com/api/orders/issue-refund', today),
    },
    help: 'Refund in your office or in Lemon Squeezy’s dashboard.',
    plans: shop,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'a third went back',
        sends: [
          says('2026-03-02T09:00:03Z', 'order_created', lemonBook()),
          says(
            '2026-03-02T10:00:03Z',
            'order_refunded',
            lemonBook({ refunded_amount: 1000, ...at('2026-03-02T10:00:01Z') }),
          ),
        ],
        sees: { open: { book: true }, payments: ['3000 partially_refunded'] },
      },
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'all went back',
        sends: [
          says(
            '2026-03-04T10:00:03Z',
            'order_refunded',
            lemonBook({
              ...refunded,
              refunded_at: '2026-03-04T10:00:00.000000Z',
              refunded_amount: 3000,
              ...at('2026-03-04T10:00:01Z'),
            }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'The first month is cancelled and refunded in full on the same day',
    plays: ['cancel-credited'],
    fact: {
      says: 'A cancelled subscription is valid until its next billing date. Only order_refunded names a refund of the order that began it.',
      source: events,
    },
    help: 'Nothing ends a subscription at once there. Access stays until Lemon Squeezy says that it is over.',
    plans,
    steps: [
      {
        at: '2026-03-10T12:00:00Z',
        happens: 'cancelled',
        sends: [
          ...bought,
          says(
            '2026-03-10T10:00:02Z',
            'subscription_cancelled',
            lemonSubscription({
              status: 'cancelled',
              cancelled: true,
              ends_at: '2026-04-01T00:00:00.000000Z',
              ...at('2026-03-10T10:00:02Z'),
            }),
          ),
        ],
        sees: { open: { pro: true }, ends: '2026-04-01T00:00:00.000Z', payments: ['1200 paid'] },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'refunded',
        sends: [
          says(
            '2026-03-10T14:00:03Z',
            'order_refunded',
            lemonOrder({
              ...refunded,
              refunded_at: '2026-03-10T14:00:00.000000Z',
              refunded_amount: 1200,
              ...at('2026-03-10T14:00:01Z'),
            }),
          ),
        ],
        sees: { open: { pro: true }, until: '2026-04-01T00:00:00.000Z', payments: ['1200 refunded'] },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'expired',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            'subscription_expired',
            lemonSubscription({
              status: 'expired',
              cancelled: true,
              ends_at: '2026-04-01T00:00:00.000000Z',
              ...at('2026-04-01T00:00:10Z'),
            }),
          ),
        ],
        sees: { open: { pro: false }, status: 'expired', operator: 'refunded' },
      },
    ],
  },
]
