import { polar as definition } from '../../../src/providers/polar/index.ts'
import type { ProviderCase } from '../case.ts'
import {
  polarBook,
  polarCheckout,
  polarCustomer,
  polarEvent,
  polarOrder,
  polarRefund,
  polarSubscription,
} from './events.ts'
import { expected } from './expected.ts'
import { told } from './told.ts'

const cancelled = {
  cancel_at_period_end: true,
  canceled_at: '2026-03-02T09:30:00.5Z',
  ends_at: '2026-04-01T00:00:00Z',
}

/** Polar in the tests of all providers. */
export const polar: ProviderCase = {
  definition,
  secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
  events: [
    polarEvent('customer.created', '2026-02-28T23:58:00.5Z', polarCustomer()),
    polarEvent('subscription.updated', '2026-03-01T00:00:03.1Z', polarSubscription()),
    polarEvent('order.paid', '2026-03-01T00:00:03.2Z', polarOrder()),
    polarEvent('refund.created', '2026-03-02T10:00:00.5Z', polarRefund()),
    polarEvent('checkout.updated', '2026-03-01T00:00:02.1Z', polarCheckout()),
  ],
  story: {
    email: 'ann@example.com',
    plan: 'prod_pro_monthly',
    book: 'prod_book',
    subscribes: [
      polarEvent('customer.created', '2026-02-28T23:58:00.5Z', polarCustomer()),
      polarEvent(
        'subscription.created',
        '2026-03-01T00:00:01.6Z',
        polarSubscription({ status: 'incomplete', modified_at: null }),
      ),
      polarEvent('subscription.updated', '2026-03-01T00:00:02.2Z', polarSubscription()),
      polarEvent('subscription.active', '2026-03-01T00:00:02.3Z', polarSubscription()),
      polarEvent(
        'order.created',
        '2026-03-01T00:00:02Z',
        polarOrder({ status: 'pending', paid: false, modified_at: null }),
      ),
      polarEvent('order.paid', '2026-03-01T00:00:02.6Z', polarOrder()),
    ],
    buys: [
      polarEvent('order.created', '2026-03-02T09:00:02Z', polarBook({ modified_at: null })),
      polarEvent('order.paid', '2026-03-02T09:00:03Z', polarBook()),
    ],
    cancels: [
      polarEvent(
        'subscription.updated',
        '2026-03-02T09:30:01Z',
        polarSubscription({ ...cancelled, modified_at: '2026-03-02T09:30:00.75Z' }),
      ),
      polarEvent(
        'subscription.canceled',
        '2026-03-02T09:30:01.1Z',
        polarSubscription({ ...cancelled, modified_at: '2026-03-02T09:30:00.75Z' }),
      ),
    ],
    ends: [
      polarEvent(
        'subscription.revoked',
        '2026-04-01T00:00:05Z',
        polarSubscription({
          ...cancelled,
          status: 'canceled',
          ended_at: '2026-04-01T00:00:04Z',
          modified_at: '2026-04-01T00:00:04.2Z',
        }),
      ),
    ],
    refunds: [
      polarEvent('refund.created', '2026-03-02T10:00:00.5Z', polarRefund()),
      polarEvent(
        'order.refunded',
        '2026-03-02T10:00:01Z',
        polarBook({
          status: 'refunded',
          refunded_amount: 2521,
          refunded_tax_amount: 479,
          modified_at: '2026-03-02T10:00:00.75Z',
        }),
      ),
    ],
  },
  told,
  expected,
}
