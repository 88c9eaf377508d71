import type { Payment, Subscription } from '../../core/dto/index.ts'

/**
 * From when on the current period is news: at once when it was paid, else three days after it began. Stripe moves the
 * period first and collects an hour later (https://docs.stripe.com/billing/invoices/subscription), so that a subscription
 * is `active` in a period that may yet fail. What is still active after three days was paid in a way nobody told of.
 */
export const whenRenewed = (s: Subscription, payments: readonly Payment[]): string => {
  const start = s.current_period_start
  if (start === null || payments.some((p) => paidFor(p, s, start))) return ''
  return new Date(Date.parse(start) + waitMs).toISOString()
}

const waitMs = 3 * 86_400_000

/** Also what was given back later did arrive. */
const paidFor = (p: Payment, s: Subscription, start: string): boolean =>
  p.subscription_id === s.id &&
  p.provider === s.provider &&
  p.account === s.account &&
  p.status !== 'pending' &&
  p.status !== 'failed' &&
  (p.paid_at ?? p.updated_at) >= start
