import {
  type AccessRules,
  type Decision,
  type Grant,
  type Holdings,
  plansOpening,
  pricesOf,
} from '../../core/access/index.ts'
import type { Payment } from '../../core/dto/index.ts'
import {
  endsAt,
  hasPrice,
  isActive,
  isOnTrial,
  isPaid,
  isPaused,
  opensGate,
  paidUntil,
  paymentHasPrice,
  type Subscription,
} from '../../core/dto/index.ts'

/** Why a gate was open by the former decision, and until when if known. */
export interface FormerDecision extends Pick<Decision, 'reason' | 'by' | 'until'> {
  readonly reason: Exclude<Decision['reason'], 'none'>
}

/**
 * Decides about a gate by status words, as versions before coverage did; null where it was closed. It is frozen: the
 * upgrade alone asks it, and it goes with 2.1. Pure.
 */
export function formerDecision(
  gate: string,
  holdings: Holdings,
  rules: AccessRules,
  now: Date,
): FormerDecision | null {
  const prices = pricesOf(gate, rules.plans)
  const openers = plansOpening(gate, rules.plans)
  const at = now.toISOString()
  for (const s of holdings.subscriptions) {
    const opening = prices.some((price) => hasPrice(s, price))
      ? openingOf(s, holdings.payments, rules, now, prices)
      : openingBefore(s, holdings.payments, now, prices)
    if (opening !== null) return { reason: opening.reason, by: s.id, until: opening.until }
  }
  const kept = holdings.payments.length === 0 ? [] : prices.filter((price) => !isGiving(price, rules))
  for (const p of holdings.payments)
    if (opensGate(p, rules.unknownIsOneTime) && kept.some((price) => paymentHasPrice(p, price)))
      return { reason: 'payment', by: p.id, until: null }
  for (const { id, subscription, payments, open_until } of holdings.seats ?? []) {
    if (!prices.some((price) => hasPrice(subscription, price))) continue
    const opening = openingOf(subscription, payments, rules, now, prices)
    if (opening !== null) return { reason: 'seat', by: id, until: opening.until }
    if (open_until !== null && at < open_until) return { reason: 'seat', by: id, until: open_until }
  }
  for (const g of [...holdings.grants].sort((a, b) => Number(a.waits ?? false) - Number(b.waits ?? false)))
    if (
      (g.gate === gate || openers.includes(g.gate) || prices.includes(g.gate)) &&
      isCurrent(g, at) &&
      !isTakenBack(g, holdings.payments)
    )
      return { reason: g.source === 'gift' ? 'gift' : 'grant', by: g.id, until: g.expires_at }
  return null
}

interface Opening {
  readonly reason: 'subscription' | 'trial' | 'past_due'
  readonly until: string | null
}

type Rules = Omit<AccessRules, 'plans'>

function openingOf(
  s: Subscription,
  payments: readonly Payment[],
  rules: Rules,
  now: Date,
  prices: readonly string[],
): Opening | null {
  const own = paymentsOf(s, payments)
  if (isPaused(s, now))
    return isOpenInPause(s, rules) ? { reason: 'subscription', until: s.resumes_at } : null
  const left = stillPaid(s, own, rules, now)
  if (left !== null) return { reason: 'subscription', until: left }
  if (isOver(s, now)) return null
  if (isOnTrial(s) && s.opens_at !== null && now.toISOString() < s.opens_at) return null
  if (isActive(s) && isUnpaidYet(s, own, prices)) return null
  if (isActive(s)) return { reason: s.on_trial ? 'trial' : 'subscription', until: openUntil(s, rules) }
  const until = graceEnd(s, own, prices, rules.pastDueSeconds)
  return until !== null && now.toISOString() < until ? { reason: 'past_due', until } : null
}

// The price paid before an upgrade stays open while the upgrade is being paid.
function openingBefore(
  s: Subscription,
  payments: readonly Payment[],
  now: Date,
  prices: readonly string[],
): Opening | null {
  if (!isActive(s) || isPaused(s, now) || isOver(s, now)) return null
  const own = paymentsOf(s, payments)
  const present = s.items.flatMap(({ price_id }) => price_id ?? [])
  return isUnpaidYet(s, own, present) && wasPaidLast(own, prices)
    ? { reason: 'subscription', until: null }
    : null
}

// A one-time price that gives a plan for some months, or adds to a limit. Its gift opens the plan, not the payment.
function isGiving(id: string, { plans }: Pick<AccessRules, 'plans'>): boolean {
  return plans.some(({ prices }) =>
    prices.some((price) => price.id === id && (price.gives !== undefined || price.adds !== undefined)),
  )
}

// A member who ended it here gave up the rest, which `opens_at` records.
function stillPaid(
  s: Subscription,
  own: readonly Payment[],
  { openUntilPaid }: Rules,
  now: Date,
): string | null {
  const moment = now.toISOString()
  if (openUntilPaid?.has(s.provider) !== true || (s.opens_at !== null && moment < s.opens_at)) return null
  const until = paidAfterCancel(s, own)
  return until !== null && moment < until ? until : null
}

function isOver(s: Subscription, now: Date): boolean {
  const end = endsAt(s)
  return end !== null && end <= now.toISOString()
}

// A pause that the provider made itself after a failed payment opens nothing.
function isOpenInPause(s: Subscription, { openWhilePaused }: Rules): boolean {
  return (
    (s.status === 'active' || (s.status === 'paused' && s.provider_status === null)) &&
    openWhilePaused?.has(s.provider) === true
  )
}

function openUntil(s: Subscription, rules: Rules): string | null {
  return s.paused_at === null || isOpenInPause(s, rules) ? paidUntil(s) : s.paused_at
}

function graceEnd(
  s: Subscription,
  own: readonly Payment[],
  prices: readonly string[],
  seconds: number,
): string | null {
  if (!s.past_due || seconds === 0) return null
  if (own.some((p) => p.status === 'disputed') || !wasEverPaid(s, own)) return null
  if (isDearerThanPaid((s.unit_amount ?? 0) * (s.quantity ?? 1), own, prices)) return null
  const since = s.past_due_since ?? s.current_period_start ?? s.updated_at
  return new Date(Date.parse(since) + seconds * 1000).toISOString()
}

function wasEverPaid(s: Subscription, own: readonly Payment[]): boolean {
  if (own.some((p) => isPaid(p) && p.amount > 0)) return true
  const begun = s.trial_ends_at ?? s.started_at
  const failed = s.past_due_since ?? s.current_period_start
  if (begun === null || failed === null) return s.trial_ends_at === null
  const renewed = Date.parse(begun) + shortestDays[s.interval ?? 'day'] * (s.interval_count ?? 1) * dayMs
  return Date.parse(failed) >= renewed || (s.trial_ends_at === null && own.length === 0)
}

const shortestDays = { day: 1, week: 7, month: 28, year: 365 } as const

function isCurrent({ starts_at, expires_at }: Grant, at: string): boolean {
  return (starts_at === null || starts_at <= at) && (expires_at === null || expires_at > at)
}

function paymentsOf(s: Subscription, payments: readonly Payment[]): Payment[] {
  return payments.filter((p) => p.subscription_id === s.id && p.provider === s.provider)
}

function isUnpaidYet(s: Subscription, own: readonly Payment[], prices: readonly string[]): boolean {
  return (
    !s.on_trial &&
    own.some((p) => p.status === 'pending' && isFor(p, prices) && isDearerThanPaid(p.amount, own, prices))
  )
}

function isDearerThanPaid(amount: number, own: readonly Payment[], prices: readonly string[]): boolean {
  const settled = own.filter(isPaid)
  const others = settled.length > 0 ? settled : own.filter((p) => hasArrived(p) && !isFor(p, prices))
  if (others.length === 0 || others.some((p) => isFor(p, prices) || !namesPrice(p))) return false
  return others.every((p) => p.amount < amount)
}

function wasPaidLast(own: readonly Payment[], prices: readonly string[]): boolean {
  const [newest] = own.filter(hasArrived).sort(byNewest)
  return newest !== undefined && isPaid(newest) && newest.amount > 0 && isFor(newest, prices)
}

function paidAfterCancel(s: Subscription, own: readonly Payment[]): string | null {
  const { current_period_start: start, current_period_end: end } = s
  const ended = s.ended_at ?? s.canceled_at
  if (s.status !== 'canceled' || start === null || end === null || ended === null) return null
  const [newest] = own.filter(hasArrived).sort(byNewest)
  if (newest === undefined || newest.status !== 'paid' || newest.amount === 0) return null
  const isOfPeriod = Date.parse(momentOf(newest)) >= Date.parse(start) - dayMs
  return isOfPeriod && Date.parse(ended) < Date.parse(end) - hourMs ? end : null
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

function isTakenBack(
  { source, gate }: Pick<Grant, 'source' | 'gate'>,
  payments: readonly Payment[],
): boolean {
  if (source !== 'paid') return false
  const paid = payments.filter((p) => p.subscription_id !== null && p.status !== 'pending')
  const subscriptions = new Set(
    paid.filter((p) => paymentHasPrice(p, gate)).map(({ subscription_id }) => subscription_id),
  )
  const [newest] = paid
    .filter((p) => subscriptions.has(p.subscription_id) && (paymentHasPrice(p, gate) || !namesPrice(p)))
    .sort(byNewest)
  return newest?.status === 'refunded' || newest?.status === 'disputed'
}

function hasArrived({ status }: Payment): boolean {
  return status !== 'pending' && status !== 'failed'
}

function byNewest(a: Payment, b: Payment): number {
  return momentOf(a) < momentOf(b) ? 1 : -1
}

function isFor(p: Payment, prices: readonly string[]): boolean {
  return prices.some((id) => paymentHasPrice(p, id))
}

function namesPrice(p: Payment): boolean {
  return p.price_id !== null || p.items.some(({ price_id }) => price_id !== null)
}

function momentOf({ paid_at, updated_at }: Payment): string {
  return paid_at ?? updated_at
}
