import { paypalEvent, paypalSale, paypalSubscription, usd } from '../../providers/paypal/events.ts'
import { from, type Message } from '../lifecycle.ts'

export type Fields = Record<string, unknown>

export const plans = {
  pro: { name: 'Pro', prices: [{ id: 'P-PRO-MONTHLY', amount: 1200, currency: 'USD', interval: 'month' }] },
  year: { name: 'Year', prices: [{ id: 'P-YEAR', amount: 19900, currency: 'USD', interval: 'year' }] },
  book: { name: 'Book', prices: [{ id: 'book', amount: 3000, currency: 'USD' }] },
}

export function says(at: string, type: string, resource: Fields): Message {
  return {
    at,
    event: paypalEvent(type, at, resource),
  }
}

/** A subscription as it is at that moment. */
export function subscription(at: string, fields: Fields = {}, billing: Fields = {}) {
  return paypalSubscription({ update_time: at, ...fields }, billing)
}

export function regular(completed: number, total = 0): Fields {
  return {
    tenure_type: 'REGULAR',
    sequence: 1,
    cycles_completed: completed,
    cycles_remaining: total === 0 ? 0 : total - completed,
    total_cycles: total,
  }
}
export function trial(completed: number): Fields {
  return {
    tenure_type: 'TRIAL',
    sequence: 1,
    cycles_completed: completed,
    cycles_remaining: 1 - completed,
    total_cycles: 1,
  }
}

export const bought: readonly Message[] = [
  says('2026-03-01T00:00:20Z', 'BILLING.SUBSCRIPTION.ACTIVATED', subscription('2026-03-01T00:00:05Z')),
  says('2026-03-01T00:00:30Z', 'PAYMENT.SALE.COMPLETED', paypalSale()),
]

export function failedCharge(time: string, next: string | null, more: Fields = {}): Fields {
  return {
    last_failed_payment: {
      amount: usd('12.0'),
      time,
      reason_code: 'PAYMENT_DENIED',
      ...(next === null ? {} : { next_payment_retry_time: next }),
    },
    ...more,
  }
}

export const retries = from(
  'https://developer.paypal.com/docs/subscriptions/customize/payment-failure-retry/',
)

export const today = '2026-11-30'
export const refunds = from('https://developer.paypal.com/docs/api/payments/v2/', today)
