import { dodo as definition } from '../../../src/providers/dodo/index.ts'
import type { ProviderCase } from '../case.ts'
import { dodoBook, dodoDispute, dodoEvent, dodoPayment, dodoRefund, dodoSubscription } from './events.ts'
import { expected } from './expected.ts'
import { told } from './told.ts'

const cancelled = { cancel_at_next_billing_date: true, cancelled_at: '2026-03-02T09:30:00.5Z' }

// As they come: four at once, of one moment.
const paid = '2026-03-01T00:00:20.854Z'

/** Dodo Payments in the tests of all providers. */
export const dodo: ProviderCase = {
  definition,
  secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
  events: [
    dodoEvent('subscription.active', paid, dodoSubscription()),
    dodoEvent('payment.succeeded', paid, dodoPayment()),
    dodoEvent('refund.succeeded', '2026-03-02T10:00:01Z', dodoRefund()),
    dodoEvent('dispute.opened', '2026-03-02T10:00:01Z', dodoDispute()),
  ],
  story: {
    email: 'ann@example.com',
    plan: 'pdt_pro_monthly',
    book: 'pdt_book',
    subscribes: [
      dodoEvent('payment.processing', '2026-03-01T00:00:01Z', dodoPayment({ status: 'processing' })),
      dodoEvent('payment.succeeded', paid, dodoPayment()),
      dodoEvent('subscription.active', paid, dodoSubscription()),
      dodoEvent('subscription.renewed', paid, dodoSubscription()),
      dodoEvent('subscription.updated', paid, dodoSubscription()),
    ],
    buys: [dodoEvent('payment.succeeded', '2026-03-02T09:00:02Z', dodoBook())],
    cancels: [dodoEvent('subscription.updated', '2026-03-02T09:30:01Z', dodoSubscription(cancelled))],
    ends: [
      dodoEvent(
        'subscription.cancelled',
        '2026-04-01T00:00:05Z',
        dodoSubscription({ ...cancelled, status: 'cancelled' }),
      ),
    ],
    refunds: [dodoEvent('refund.succeeded', '2026-03-02T10:00:01Z', dodoRefund())],
  },
  told,
  expected,
}
