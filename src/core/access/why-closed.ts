import {
  endsAt,
  hasPrice,
  isBeingAssigned,
  isEnded,
  isOnTrial,
  isPaid,
  isPaused,
  isUnknown,
  type Payment,
  paymentHasPrice,
  type Subscription,
} from '../dto/index.ts'
import { pricesOpening } from './bought.ts'
import { isLost, paymentsOf, termsIn } from './coverage.ts'
import { type Grant, type Holdings, openersOf } from './decide-gate.ts'
import { type AccessRules, graceEnd } from './opening.ts'

/** Why a gate is closed, for programs. The text `closed.{code}` says it to people. */
export type ClosedCode =
  | 'nothing'
  | 'first_payment'
  | 'never_paid'
  | 'paused'
  | 'paused_until'
  | 'trial_waits'
  | 'upgrade_unpaid'
  | 'trial_unpaid'
  | 'payment_failed'
  | 'grace_over'
  | 'disputed'
  | 'refunded'
  | 'payment_pending'
  | 'payment_unassigned'
  | 'ended_unpaid'
  | 'trial_over'
  | 'cancelled'
  | 'ended'
  | 'changed'
  | 'grant_over'
  | 'grant_later'
  | 'opens_later'
  | 'opens_paid'

/** The reason that a gate is closed, with its dates in ISO 8601 UTC. */
export interface ClosedReason {
  readonly code: ClosedCode
  /** When the payment, the pause, the trial's end or the cancellation happened. */
  readonly at: string | null
  /** When it ended, or will end. */
  readonly until: string | null
  /** The subscription, payment or grant that would open the gate. */
  readonly by: string | null
}

/** Explains why a gate that no holding opens is closed. The newest holding that could open it decides. Pure. */
export function whyClosed(gate: string, holdings: Holdings, rules: AccessRules, now: Date): ClosedReason {
  const openers = openersOf(gate, rules.plans)
  const { subscriptions, payments, grants } = holdings
  const prices = pricesOpening(openers, ...subscriptions, ...payments)
  const reasons = [
    ...subscriptions
      .filter((s) => prices.some((price) => hasPrice(s, price)))
      .map((s) => ofSubscription(s, holdings, rules, now)),
    ...payments
      .filter((p) => p.subscription_id === null && prices.some((price) => paymentHasPrice(p, price)))
      .map((p) => ofPayment(p, now)),
    ...grants
      .filter((g) => g.source !== 'paid' && (g.gate === gate || prices.includes(g.gate)))
      .map((g) => ofGrant(g, now)),
  ]
  const [newest] = reasons.sort((a, b) => (momentOf(a) < momentOf(b) ? 1 : -1))
  return newest ?? ofChange(prices, payments) ?? { code: 'nothing', at: null, until: null, by: null }
}

function momentOf({ at, until }: ClosedReason): string {
  return until ?? at ?? ''
}

function ofSubscription(
  s: Subscription,
  { payments }: Holdings,
  rules: AccessRules,
  now: Date,
): ClosedReason {
  const own = paymentsOf(s, payments)
  const because = (code: ClosedCode, at: string | null, until: string | null = null): ClosedReason => ({
    code,
    at,
    until,
    by: s.id,
  })
  if (s.status === 'incomplete') return because('first_payment', s.started_at ?? s.updated_at)
  // Some providers also say "expired" when the agreed periods are over, or after the last retry.
  if (s.status === 'expired' && s.ended_for !== 'term' && !own.some(isMoney))
    return because('never_paid', s.started_at ?? s.updated_at)
  const end = isEnded(s) ? (s.ended_at ?? s.canceled_at ?? s.updated_at) : endsAt(s)
  if (isEnded(s) || (end !== null && end <= now.toISOString())) return because(...ofEnd(s, own, end!))
  const lost = own.find(({ dispute }) => dispute === 'lost')
  const asked = { prices: itemPrices(s), at: now.toISOString(), termsOf: termsIn(rules.plans) }
  if (lost !== undefined && isLost(s, payments, asked)) return because('disputed', dayOf(lost))
  if (isPaused(s, now)) return because(s.resumes_at ? 'paused_until' : 'paused', s.paused_at, s.resumes_at)
  if (s.past_due || s.status === 'unpaid') return because(...ofFailure(s, own, rules))
  if (isOnTrial(s))
    return s.trial_ends_at !== null && s.trial_ends_at <= now.toISOString()
      ? because(
          own.some(({ status }) => status === 'failed') ? 'trial_unpaid' : 'trial_over',
          s.trial_ends_at,
        )
      : because('trial_waits', s.opens_at)
  return because('upgrade_unpaid', s.current_period_start)
}

type Said = [code: ClosedCode, at: string | null, until?: string | null]

function ofFailure(s: Subscription, own: readonly Payment[], rules: AccessRules): Said {
  const disputed = own.find(({ status }) => status === 'disputed')
  if (disputed) return ['disputed', dayOf(disputed)]
  const at = failedAt(s, own) ?? s.updated_at
  if (s.trial_ends_at !== null && !own.some(isMoney)) return ['trial_unpaid', at]
  const until = graceEnd(s, own, itemPrices(s), rules)
  return until === null ? ['payment_failed', at] : ['grace_over', at, until]
}

/** Tells a cancellation from other ends. A provider that gives up a subscription uses the same field. */
function ofEnd(s: Subscription, own: readonly Payment[], end: string): Said {
  if (wasCancelled(s)) return ['cancelled', s.canceled_at, end]
  const failed = failedAt(s, own)
  const isTrialOnly = s.trial_ends_at !== null && s.trial_ends_at <= end && !own.some(isMoney)
  if (failed !== null) return [isTrialOnly ? 'trial_unpaid' : 'ended_unpaid', failed, end]
  const [last] = own
  if (last?.status === 'disputed') return ['disputed', dayOf(last), end]
  if (last?.status === 'refunded') return ['refunded', dayOf(last), end]
  return isTrialOnly ? ['trial_over', s.trial_ends_at, end] : ['ended', null, end]
}

/** True if somebody cancelled before the end. A date equal to the end only says that it ended. Pure. */
export function wasCancelled({ canceled_at, ended_at, cancel_at_period_end, cancel_at }: Subscription) {
  return canceled_at !== null && (canceled_at !== ended_at || cancel_at_period_end || cancel_at !== null)
}

/** When the payment failed that was never made good; null where the last payment arrived or none is known. */
function failedAt(s: Subscription, own: readonly Payment[]): string | null {
  if (s.past_due_since !== null) return s.past_due_since
  const paid = own.find((p) => isPaid(p) && p.amount > 0)?.paid_at ?? ''
  // A payment still open after the membership ended never arrived.
  const isFailed = ({ status }: Payment) => status === 'failed' || (status === 'pending' && s.ended)
  const failed = own.find((p) => isFailed(p) && p.amount > 0 && p.updated_at > paid)
  if (failed === undefined) return s.past_due || s.status === 'unpaid' ? s.current_period_start : null
  // Each attempt updates the payment. The period that it was for began on the day of the first attempt.
  const period = s.current_period_start
  return period !== null && period > paid && period < failed.updated_at ? period : failed.updated_at
}

function itemPrices(s: Subscription): string[] {
  return s.items.flatMap(({ price_id }) => price_id ?? [])
}

function isMoney(p: Payment): boolean {
  return p.status !== 'failed' && p.status !== 'pending' && p.amount > 0
}

function dayOf({ paid_at, updated_at }: Payment): string {
  return paid_at ?? updated_at
}

function ofPayment(p: Payment, now: Date): ClosedReason {
  const codes: Partial<Record<Payment['status'], ClosedCode>> = {
    pending: 'payment_pending',
    failed: 'payment_failed',
    refunded: 'refunded',
    disputed: 'disputed',
  }
  const unassigned = isUnknown(p) || isBeingAssigned(p, now) ? 'payment_unassigned' : 'nothing'
  return { code: codes[p.status] ?? unassigned, at: dayOf(p), until: null, by: p.id }
}

function ofGrant({ id, starts_at, expires_at }: Grant, now: Date): ClosedReason {
  return starts_at !== null && starts_at > now.toISOString()
    ? { code: 'grant_later', at: starts_at, until: null, by: id }
    : { code: 'grant_over', at: expires_at, until: null, by: id }
}

/** The reason for a membership that was paid at this price and now has another. */
function ofChange(prices: readonly string[], payments: readonly Payment[]): ClosedReason | null {
  const paid = payments.find(
    (p) => p.subscription_id !== null && isPaid(p) && prices.some((price) => paymentHasPrice(p, price)),
  )
  return paid === undefined
    ? null
    : { code: 'changed', at: dayOf(paid), until: null, by: paid.subscription_id }
}
