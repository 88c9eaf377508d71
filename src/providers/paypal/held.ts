import type { Price } from '../../core/dto/index.ts'
import { intervalsAfter } from '../calendar.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { obj } from '../narrow.ts'
import { amountOf } from './facts.ts'
import { type Held, planOf, readHeldNote } from './notes.ts'
import type { Subscription } from './payload.ts'
import { type Cost, costOf, isListed, lastPaid } from './periods.ts'

/** Plan of a subscription, its cost, and its plan from the next payment on. */
export interface Sold {
  readonly sold: Pick<SubscriptionSnapshot, 'price_id' | 'product_id' | 'quantity'>
  readonly cost: Cost
  /** True if the amount is the site's own price. */
  readonly isListed: boolean
  readonly scheduled_change: SubscriptionSnapshot['scheduled_change']
}

/**
 * Returns the plan that was paid for. When a buyer agrees to a new plan, it replaces the old one at once but
 * is charged with the next period: "The new price is effective starting on the next billing cycle." Until
 * then the subscription keeps the paid plan.
 * https://developer.paypal.com/docs/subscriptions/customize/revise-subscriptions/
 */
export function soldBy(raw: Subscription, priceOf: (id: string) => Price | undefined): Sold {
  const { plan, quantity } = planOf(raw)
  const next = obj(raw.plan)
  const cost = costOf(next, raw, plan === null ? undefined : priceOf(plan))
  const held = heldBy(raw, cost)
  if (held === null) {
    const sold = { price_id: plan, product_id: null, quantity }
    return { sold, cost, isListed: isListed(next, cost), scheduled_change: null }
  }
  // The plan in the answer is the next one.
  const stated = held.plan === plan ? next : {}
  const heldCost = held.plan === plan ? cost : costOf(stated, raw, priceOf(held.plan))
  return {
    sold: { price_id: held.plan, product_id: null, quantity: held.quantity },
    cost: heldCost,
    isListed: isListed(stated, heldCost),
    scheduled_change: { price_id: plan ?? '', quantity: quantity ?? 1, at: held.until },
  }
}

/** Returns the paid plan if it differs from PayPal's; null if it is the same. */
export function heldBy(raw: Subscription, cost: Cost): Held | null {
  const held = readHeldNote(raw)
  const { plan, quantity } = planOf(raw)
  if (held === null || plan === null) return null
  const isOther = plan !== held.plan || (quantity ?? 1) !== held.quantity
  return isOther && !isPaid(raw, held, cost) ? held : null
}

/**
 * Returns true if the new plan was paid: in the period after the held one, and with at least its cost. From
 * the next period on its price may have been raised.
 */
function isPaid(raw: Subscription, { until }: Held, cost: Cost): boolean {
  const { unit_amount, currency, interval, interval_count: times } = cost
  const paidAt = Date.parse(lastPaid(raw) ?? '') + slackMs
  const since = Date.parse(until)
  if (!(paidAt >= since)) return false
  const paid = amountOf(obj(obj(raw.billing_info).last_payment).amount)
  if (paid.amount === null || unit_amount === null || paid.currency !== currency) return true
  if (interval !== null && paidAt >= intervalsAfter(since, interval, times ?? 1)) return true
  return paid.amount >= unit_amount * (planOf(raw).quantity ?? 1)
}

// A period is charged during its day, at no fixed time.
const slackMs = 12 * 3_600_000
