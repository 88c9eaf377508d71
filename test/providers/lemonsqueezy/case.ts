import { lemonsqueezy as definition } from '../../../src/providers/lemonsqueezy/index.ts'
import type { ProviderCase } from '../case.ts'
import { lemonBook, lemonEvent, lemonInvoice, lemonOrder, lemonSubscription } from './events.ts'
import { expected } from './expected.ts'
import { told } from './told.ts'

const cancelled = {
  status: 'cancelled',
  status_formatted: 'Cancelled',
  cancelled: true,
  ends_at: '2026-04-01T00:00:00.000000Z',
  updated_at: '2026-03-02T09:30:00.000000Z',
}
const intent = { membership_intent: 'int_1' }

/** Lemon Squeezy in the tests of all providers. */
export const lemonsqueezy: ProviderCase = {
  definition,
  secret: 'forty-characters-of-ones-own-at-most',
  // Nothing in an order tells whether it was for a subscription.
  plans: {
    pro: { name: 'Pro', prices: ['1001'] },
    book: { name: 'Book', prices: [{ id: '2002', type: 'one_time' }] },
  },
  events: [
    lemonEvent('subscription_updated', lemonSubscription(), intent),
    lemonEvent('order_created', lemonOrder(), intent),
    lemonEvent('subscription_payment_success', lemonInvoice()),
    lemonEvent(
      'subscription_payment_refunded',
      lemonInvoice({ status: 'refunded', refunded: true, refunded_amount: 1200 }),
    ),
  ],
  story: {
    email: 'ann@example.com',
    plan: '1001',
    book: '2002',
    subscribes: [
      lemonEvent('order_created', lemonOrder(), intent),
      lemonEvent('subscription_created', lemonSubscription(), intent),
      lemonEvent('subscription_payment_success', lemonInvoice()),
    ],
    buys: [lemonEvent('order_created', lemonBook(), { membership_intent: 'int_2' })],
    cancels: [
      lemonEvent('subscription_cancelled', lemonSubscription(cancelled), intent),
      lemonEvent('subscription_updated', lemonSubscription(cancelled), intent),
    ],
    ends: [
      lemonEvent(
        'subscription_expired',
        lemonSubscription({
          ...cancelled,
          status: 'expired',
          status_formatted: 'Expired',
          updated_at: '2026-04-01T00:00:05.000000Z',
        }),
        intent,
      ),
    ],
    refunds: [
      lemonEvent(
        'order_refunded',
        lemonBook({
          status: 'refunded',
          refunded: true,
          refunded_at: '2026-03-02T10:00:00.000000Z',
          refunded_amount: 3000,
          updated_at: '2026-03-02T10:00:00.000000Z',
        }),
        { membership_intent: 'int_2' },
      ),
    ],
  },
  told,
  expected,
  isNoEvent: (file) => file.includes('Response--'),
}
