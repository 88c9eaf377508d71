import { deepFreeze } from './common.ts'
import { invoiceAddress } from './outside.ts'
import type { Payment, PaymentData } from './payment.ts'
import type { Plan, Price } from './plan.ts'
import { hideSold, withSoldOf } from './sold.ts'
import type { Subscription, SubscriptionData, SubscriptionRules, SubscriptionStatus } from './subscription.ts'
import { type Version1Read, watchedItems, watchVersion1 } from './version1.ts'

/** True if its status alone opens gates; a trial counts. */
export function isActive(s: SubscriptionData): boolean {
  return s.status === 'active' || s.status === 'trialing'
}
/** Decided by the status alone, not by the trial's dates. */
export function isOnTrial(s: SubscriptionData): boolean {
  return s.status === 'trialing'
}
/** True while it is active with a planned end. */
export function isOnGracePeriod(s: SubscriptionData): boolean {
  return isActive(s) && (s.cancel_at_period_end || s.cancel_at !== null)
}
/** True if a payment failed and is still open. */
export function isPastDue(s: SubscriptionData): boolean {
  return s.status === 'past_due'
}
/** True if it is over at the provider: cancelled, or expired before its first payment. */
export function isEnded(s: Pick<SubscriptionData, 'status'>): boolean {
  return s.status === 'canceled' || s.status === 'expired'
}
/** True if it has the price, first or in any of its items. */
export function hasPrice(s: SubscriptionData, priceId: string): boolean {
  return s.price_id === priceId || s.items.some((item) => item.price_id === priceId)
}

/** True during a pause, when nothing is paid. */
export function isPaused(
  s: Pick<SubscriptionData, 'status' | 'paused_at' | 'resumes_at'>,
  now: Date,
): boolean {
  const moment = now.toISOString()
  if (s.status === 'paused') return true
  return s.paused_at !== null && s.paused_at <= moment && (s.resumes_at === null || moment < s.resumes_at)
}

/** The end of the known paid period, or null. An end planned for a later period does not extend it. */
export function paidUntil(s: SubscriptionData): string | null {
  return earlier(s.cancel_at, s.current_period_end ?? s.trial_ends_at)
}

/** The planned end of a subscription, or null. */
export function endsAt(s: SubscriptionData): string | null {
  return earlier(s.cancel_at, s.cancel_at_period_end ? s.current_period_end : null)
}

function earlier(a: string | null, b: string | null): string | null {
  return a === null || b === null ? (a ?? b) : a < b ? a : b
}

/** Builds the DTO: frozen data with the rules as non-enumerable getters, so that JSON contains the data alone. */
export function toSubscription(data: SubscriptionData): Subscription {
  const made = Object.assign(Object.create(rules) as SubscriptionRules, unsaid, deepFreeze(data))
  return Object.freeze(hideSold(Object.assign(made, { items: watchedItems(data.items) })))
}

/** Reports fields of version 1 that code asks a subscription for; null stops it. */
export function watchSubscriptions(report: ((read: Version1Read) => void) | null): () => void {
  return watchVersion1(rules, report)
}

// Fields that providers and rows of older versions may omit.
const unsaid = { scheduled_change: null, past_due_since: null, opens_at: null }

const rules = Object.defineProperties(
  {},
  {
    active: {
      get(this: SubscriptionData) {
        return isActive(this)
      },
    },
    on_trial: {
      get(this: SubscriptionData) {
        return isOnTrial(this)
      },
    },
    on_grace_period: {
      get(this: SubscriptionData) {
        return isOnGracePeriod(this)
      },
    },
    past_due: {
      get(this: SubscriptionData) {
        return isPastDue(this)
      },
    },
    ended: {
      get(this: SubscriptionData) {
        return isEnded(this)
      },
    },
    hasPrice: {
      value(this: SubscriptionData, priceId: string) {
        return hasPrice(this, priceId)
      },
    },
  },
)

// Sorted from the status a member most wants to see to the least important.
const order: Record<SubscriptionStatus, number> = {
  active: 0,
  trialing: 1,
  past_due: 2,
  paused: 3,
  unpaid: 4,
  incomplete: 5,
  canceled: 6,
  expired: 7,
}

/** Sorts best first: by status, then later paid period, later start, and id. */
export function compareSubscriptions(a: SubscriptionData, b: SubscriptionData): number {
  return (
    order[a.status] - order[b.status] ||
    compareText(b.current_period_end, a.current_period_end) ||
    compareText(b.started_at, a.started_at) ||
    compareText(a.id, b.id)
  )
}

function compareText(a: string | null, b: string | null): number {
  const [left, right] = [a ?? '', b ?? '']
  return left < right ? -1 : left > right ? 1 : 0
}

/** Returns the best subscription with the price, or null. */
export function bestForPrice<S extends SubscriptionData>(
  subscriptions: readonly S[],
  priceId: string,
): S | null {
  let best: S | null = null
  for (const candidate of subscriptions) {
    if (!hasPrice(candidate, priceId)) continue
    if (best === null || compareSubscriptions(candidate, best) < 0) best = candidate
  }
  return best
}

/**
 * Builds the payment for templates and hooks. Its invoice is a link only if it is an https address or our own page of
 * that payment.
 */
export function toPayment(data: PaymentData): Payment {
  const invoice_url = invoiceAddress(data)
  return deepFreeze(
    hideSold(invoice_url === data.invoice_url ? data : withSoldOf(data, { ...data, invoice_url })),
  )
}

/** True if somebody failed to pay it. A bill that was cancelled and a page that nobody paid on are no failures. */
export function hasFailed(p: Pick<PaymentData, 'status' | 'waived'>): boolean {
  return p.status === 'failed' && p.waived !== true
}

/** True for a payment that was neither fully refunded nor lost to a dispute. */
export function isPaid(p: PaymentData): boolean {
  return p.status === 'paid' || p.status === 'partially_refunded'
}

/**
 * True for a payment that opens gates by itself. A subscription's payment never does, even before the subscription is
 * named; the subscription opens them. `boughtOnce`: providers whose payments of unknown purpose count as one-time.
 */
export function opensGate(p: PaymentData, boughtOnce?: ReadonlySet<string>): boolean {
  return (
    isPaid(p) &&
    p.subscription_id === null &&
    (p.purpose === 'one_time' || (p.purpose === 'unknown' && boughtOnce?.has(p.provider) === true))
  )
}

/** True for a paid payment of unknown purpose. */
export function isUnknown(p: PaymentData): boolean {
  return isPaid(p) && p.purpose === 'unknown'
}

/** The time for a provider to state a payment's purpose. After it the member and the operator are notified. */
export const beingAssignedMs = 600_000

/** True once a paid payment's purpose has been unknown for ten minutes. An operator then has to decide. */
export function isBeingAssigned(p: PaymentData, now: Date): boolean {
  return isUnknown(p) && Date.parse(p.paid_at ?? p.updated_at) + beingAssignedMs <= now.getTime()
}

/** True if the payment was for the price, alone or as an item, whether or not the money stayed. */
export function paymentHasPrice(p: PaymentData, priceId: string): boolean {
  return p.price_id === priceId || p.items.some((item) => item.price_id === priceId)
}

/**
 * The group in which a member holds one plan at a time, and has one trial. Default: the plan itself. Groups of one name
 * are one group across providers.
 */
export function groupOf({ group, id }: { readonly group?: string | null; readonly id: string }): string {
  return group ?? id
}

/**
 * Lists a one-time price and its equivalents at other providers. A plan's only price is equivalent to the only price of
 * the plan of that name there. Pure.
 */
export function sameOnce(price: Price, plans: readonly Plan[]): readonly string[] {
  // A top-up adds each time.
  if (price.adds !== undefined) return []
  const single = plans
    .filter(({ id, prices }) => id === price.plan && prices.length === 1)
    .flatMap(({ prices }) => prices)
    .filter(({ type, retired }) => type === 'one_time' || retired)
    .map(({ id }) => id)
  return single.includes(price.id) ? single : [price.id]
}
