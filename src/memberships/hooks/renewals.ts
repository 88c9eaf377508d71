import type { Payment, Subscription } from '../../core/dto/index.ts'

/**
 * Returns when the current period counts as renewed: at once when it was paid, else three days after its start. Stripe
 * starts the period first and collects an hour later, so an `active` subscription may yet fail
 * (https://docs.stripe.com/billing/invoices/subscription). A subscription still active after three days was paid in a
 * way no event reported.
 */
export function whenRenewed(s: Subscription, payments: readonly Payment[]): string {
  const start = s.current_period_start
  if (start === null || payments.some((p) => paidFor(p, s, start))) return ''
  return new Date(Date.parse(start) + waitMs).toISOString()
}

const waitMs = 3 * 86_400_000

/** A payment that was refunded later counts, because the money did arrive. */
function paidFor(p: Payment, s: Subscription, start: string): boolean {
  return (
    p.subscription_id === s.id &&
    p.provider === s.provider &&
    p.account === s.account &&
    p.status !== 'pending' &&
    p.status !== 'failed' &&
    (p.paid_at ?? p.updated_at) >= start
  )
}
