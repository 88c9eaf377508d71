import { paypal as definition } from '../../../src/providers/paypal/index.ts'
import type { ProviderCase } from '../case.ts'
import { paypalSign, sandboxCertificate } from './certificate.ts'
import {
  paypalCapture,
  paypalDispute,
  paypalEvent,
  paypalOrder,
  paypalRefund,
  paypalSale,
  paypalSubscription,
} from './events.ts'
import { expected } from './expected.ts'
import { told } from './told.ts'

const cancelled = {
  status: 'CANCELLED',
  status_update_time: '2026-03-02T09:30:00Z',
  update_time: '2026-03-02T09:30:00Z',
}

/** PayPal in the tests of all providers. */
export const paypal: ProviderCase = {
  definition,
  secret: '96605875FF6516633',
  options: { certificate: sandboxCertificate },
  plans: {
    pro: { name: 'Pro', prices: [{ id: 'P-PRO-MONTHLY', amount: 1200, currency: 'USD', interval: 'month' }] },
    book: { name: 'Book', prices: [{ id: 'book', amount: 3000, currency: 'USD' }] },
  },
  // A sale says its subscription and no payer: https://developer.paypal.com/docs/api/payments/v1/#sale_get
  isSubscriberUnnamed: true,
  sign: paypalSign,
  delivered: (file, object) => {
    const type = objects.find(([pattern]) => pattern.test(file))?.[1]
    return type === undefined
      ? undefined
      : paypalEvent(type, '2022-01-01T00:00:00Z', object as Record<string, unknown>)
  },
  events: [
    paypalEvent('BILLING.SUBSCRIPTION.ACTIVATED', '2026-03-01T00:00:20Z', paypalSubscription()),
    paypalEvent('PAYMENT.SALE.COMPLETED', '2026-03-01T00:00:30Z', paypalSale()),
    paypalEvent('PAYMENT.CAPTURE.COMPLETED', '2026-03-02T09:00:20Z', paypalCapture()),
    paypalEvent('CHECKOUT.ORDER.COMPLETED', '2026-03-02T09:00:21Z', paypalOrder()),
    paypalEvent('PAYMENT.CAPTURE.REFUNDED', '2026-03-02T10:00:20Z', paypalRefund()),
    paypalEvent('CUSTOMER.DISPUTE.CREATED', '2026-03-03T10:00:20Z', paypalDispute()),
  ],
  story: {
    email: 'ann@example.com',
    plan: 'P-PRO-MONTHLY',
    book: 'book',
    subscribes: [
      paypalEvent(
        'BILLING.SUBSCRIPTION.CREATED',
        '2026-02-28T23:59:20Z',
        paypalSubscription({
          status: 'APPROVAL_PENDING',
          status_update_time: '2026-02-28T23:59:00Z',
          update_time: undefined,
          subscriber: undefined,
          billing_info: undefined,
        }),
      ),
      paypalEvent('BILLING.SUBSCRIPTION.ACTIVATED', '2026-03-01T00:00:20Z', paypalSubscription()),
      paypalEvent('PAYMENT.SALE.COMPLETED', '2026-03-01T00:00:30Z', paypalSale()),
    ],
    buys: [
      paypalEvent(
        'CHECKOUT.ORDER.APPROVED',
        '2026-03-02T08:59:20Z',
        paypalOrder({ status: 'APPROVED', update_time: undefined }, { payments: undefined }),
      ),
      paypalEvent('PAYMENT.CAPTURE.COMPLETED', '2026-03-02T09:00:20Z', paypalCapture()),
      paypalEvent('CHECKOUT.ORDER.COMPLETED', '2026-03-02T09:00:21Z', paypalOrder()),
    ],
    cancels: [
      paypalEvent(
        'BILLING.SUBSCRIPTION.CANCELLED',
        '2026-03-02T09:30:20Z',
        paypalSubscription(cancelled, { next_billing_time: undefined }),
      ),
    ],
    ends: [
      paypalEvent(
        'BILLING.SUBSCRIPTION.EXPIRED',
        '2026-04-01T00:00:20Z',
        paypalSubscription(
          {
            status: 'EXPIRED',
            status_update_time: '2026-04-01T00:00:00Z',
            update_time: '2026-04-01T00:00:00Z',
          },
          { next_billing_time: undefined },
        ),
      ),
    ],
    refunds: [paypalEvent('PAYMENT.CAPTURE.REFUNDED', '2026-03-02T10:00:20Z', paypalRefund())],
  },
  told,
  expected,
}

/** Answers of PayPal's API, and the message that shows the same object. */
const objects: readonly (readonly [RegExp, string])[] = [
  [/^CreateSubscription/, 'BILLING.SUBSCRIPTION.CREATED'],
  [/^GetSubscriptionDetails/, 'BILLING.SUBSCRIPTION.UPDATED'],
  [/^capture\.completed/, 'PAYMENT.CAPTURE.COMPLETED'],
  [/^(refund\.|RefundCaptured)/, 'PAYMENT.CAPTURE.REFUNDED'],
  [/^order\.(captured|capture_declined|refunded)/, 'CHECKOUT.ORDER.COMPLETED'],
  [/^order\./, 'CHECKOUT.ORDER.APPROVED'],
  [/^dispute/, 'CUSTOMER.DISPUTE.RESOLVED'],
  [/^(GetPlans|ListSub|UpdateSub|VerifyWeb)/, 'BILLING.PLAN.UPDATED'],
]
