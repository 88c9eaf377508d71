import type { Payment } from '../dto/payment.ts'
import type { Plan } from '../dto/plan.ts'
import {
  endsAt,
  hasPrice,
  isActive,
  isEnded,
  isOnTrial,
  isPaid,
  isPaused,
  opensGate,
  paidUntil,
  paymentHasPrice,
} from '../dto/rules.ts'
import {
  isDearerThanPaid,
  isTakenBack,
  isUnpaidYet,
  paidAfterCancel,
  paymentsOf,
  periodCost,
  wasPaidLast,
} from '../dto/settled.ts'
import type { Subscription } from '../dto/subscription.ts'
import {
  type Coverage,
  coverageOf,
  coveredAt,
  isChangeUnpaid,
  isLost,
  isMoneyBack,
  isRenewalDue,
  type TermsOf,
  termsIn,
} from './coverage.ts'

/** Access given by hand. */
export interface Grant {
  readonly id: string
  readonly gate: string
  /** manual, gift, comp, seat */
  readonly source: string
  readonly reason: string | null
  readonly starts_at: string | null
  readonly expires_at: string | null
  /** True during the time of a gift that starts only once nothing else opens its gate. */
  readonly waits?: boolean
}

/** A member's seat in a group that its owner pays for, with the subscription and its payments. */
export interface Seat {
  readonly id: string
  readonly subscription: Subscription
  readonly payments: readonly Payment[]
  /** Until then the seat stays open, whatever happens to the subscription; null: it ends with the subscription. */
  readonly open_until: string | null
}

/** A member's subscriptions, payments, grants and seats. */
export interface Holdings {
  readonly subscriptions: readonly Subscription[]
  readonly payments: readonly Payment[]
  readonly grants: readonly Grant[]
  /** Seats that other members pay for. Default: none. */
  readonly seats?: readonly Seat[]
}

/** The reason behind an open gate, see {@link Decision}. */
export type Ground = 'paid' | 'goodwill' | 'trial' | 'running' | 'grace' | 'derived' | 'grant'

/** Why a gate is open, and until when if known; or why it is closed. */
export interface Decision {
  readonly open: boolean
  readonly gate: string
  readonly reason: 'subscription' | 'trial' | 'past_due' | 'payment' | 'seat' | 'gift' | 'grant' | 'none'
  /** The subscription, payment, seat or grant that decided. */
  readonly by: string | null
  readonly until: string | null
  /**
   * The reason behind it: `paid`, a payment for the running period; `goodwill`, one that was refunded in full while
   * the provider goes on; `trial`; `running`, the provider's word without a payment known here; `grace`, the days after
   * a failed renewal; `derived`, a right from somebody's purchase (a seat, a gift, time paid before a change); `grant`.
   * Null while it is closed.
   */
  readonly ground: Ground | null
  /** The payment behind it; null where none is known or needed. */
  readonly payment: string | null
  /** The moment at which content that waits for paid time opens; null where nothing is paid now. Absent for other
   *  content. */
  readonly opens_at?: string | null
}

/** The rules of access besides a member's holdings. */
export interface AccessRules {
  readonly plans: readonly Plan[]
  /** The time that a failed renewal keeps its gates open. */
  readonly pastDueSeconds: number
  /** Providers whose subscriptions stay open during a requested pause. Default: none. */
  readonly openWhilePaused?: ReadonlySet<string>
  /** Providers whose payments of unknown purpose count as one-time. Default: none. */
  readonly unknownIsOneTime?: ReadonlySet<string>
  /** Providers that may cancel within a paid period without a refund. Default: none. */
  readonly openUntilPaid?: ReadonlySet<string>
}

/** The rules about time and money. The site's plans only tell the period of a price that a subscription had before. */
export type PeriodRules = Omit<AccessRules, 'plans'> & Partial<Pick<AccessRules, 'plans'>>

/**
 * Decides whether a member's holdings open a gate: a price id, a plan or a feature. Pure. The first reason that opens
 * it is returned.
 */
export const decideGate = (gate: string, holdings: Holdings, rules: AccessRules, now: Date): Decision =>
  decideOpening({ gate, openers: plansOpening(gate, rules.plans), plans: rules.plans }, holdings, rules, now)

/** Decides whether a member's holdings open one plan, without other plans of its name or with its features. Pure. */
export const decidePlan = (plan: Plan, holdings: Holdings, rules: PeriodRules, now: Date): Decision =>
  decideOpening({ gate: plan.id, openers: [plan.id], plans: [plan] }, holdings, rules, now)

interface Opening {
  readonly gate: string
  /** The plans that open it, by name. */
  readonly openers: readonly string[]
  /** The plans whose prices may open it. */
  readonly plans: readonly Plan[]
}

const decideOpening = (
  { gate, openers, plans }: Opening,
  holdings: Holdings,
  rules: PeriodRules,
  now: Date,
): Decision => {
  const prices = pricesOf(gate, plans)
  const opens = (
    [reason, by, until]: [Decision['reason'], string, string | null],
    [ground, payment]: readonly [Ground, string | null],
  ): Decision => ({ open: true, gate, reason, by, until, ground, payment })
  const backing = (s: Subscription, payments: readonly Payment[], reason: Decision['reason']) =>
    groundOf(reason, coverageOf(s, payments, termsOf(rules)), prices, now)

  for (const s of holdings.subscriptions) {
    const opening = prices.some((price) => hasPrice(s, price))
      ? openingOf(s, holdings.payments, rules, now, prices)
      : openingBefore(s, holdings.payments, rules, now, prices)
    if (opening !== null)
      return opens([opening.reason, s.id, opening.until], backing(s, holdings.payments, opening.reason))
  }
  const kept = holdings.payments.length === 0 ? [] : prices.filter((price) => !isGiving(price, plans))
  for (const p of holdings.payments)
    if (
      opensGate(p, rules.unknownIsOneTime)
        ? kept.some((price) => paymentHasPrice(p, price))
        : isBoughtBeside(p, kept, plans, holdings.subscriptions)
    )
      return opens(['payment', p.id, null], ['paid', p.id])
  for (const { id, subscription, payments, open_until } of holdings.seats ?? []) {
    if (!prices.some((price) => hasPrice(subscription, price))) continue
    const opening = openingOf(subscription, payments, rules, now, prices)
    const paidBy = () => ['derived', backing(subscription, payments, 'subscription')[1]] as const
    if (opening !== null) return opens(['seat', id, opening.until], paidBy())
    const asked = { prices, at: now.toISOString(), termsOf: termsOf(rules) }
    // The date alone backs nothing: the money for the seat must still be the site's.
    if (open_until !== null && asked.at < open_until && !isMoneyBack(subscription, payments, asked))
      return opens(['seat', id, open_until], paidBy())
  }
  for (const g of [...holdings.grants].sort((a, b) => Number(a.waits ?? false) - Number(b.waits ?? false)))
    if (
      (g.gate === gate || openers.includes(g.gate) || prices.includes(g.gate)) &&
      isCurrent(g, now) &&
      !isTakenBack(g, holdings.payments)
    )
      return opens(
        [g.source === 'gift' ? 'gift' : 'grant', g.id, g.expires_at],
        [g.source === 'gift' || g.source === 'paid' ? 'derived' : 'grant', null],
      )
  return { open: false, gate, reason: 'none', by: null, until: null, ground: null, payment: null }
}

const termsOf = ({ plans }: PeriodRules): TermsOf | undefined =>
  plans === undefined ? undefined : termsIn(plans)

const groundOf = (
  reason: Decision['reason'],
  coverage: readonly Coverage[],
  prices: readonly string[],
  now: Date,
): readonly [Ground, string | null] => {
  if (reason === 'trial') return ['trial', null]
  if (reason === 'past_due') return ['grace', null]
  const at = now.toISOString()
  const paid = coveredAt(coverage, prices, at)
  if (paid !== null) return ['paid', paid.payment_id]
  const back = coveredAt(coverage, prices, at, 'returned')
  return back === null ? ['running', null] : ['goodwill', back.payment_id]
}

/**
 * True for a one-time price on the invoice of a subscription: it was bought once and stays open like any other. The
 * subscription's own prices are its periods.
 */
const isBoughtBeside = (
  p: Payment,
  prices: readonly string[],
  plans: readonly Plan[],
  subscriptions: readonly Subscription[],
): boolean => {
  if (!isPaid(p) || p.subscription_id === null || p.items.length < 2) return false
  const isOnce = (id: string) =>
    plans.some((plan) =>
      plan.prices.some(
        (price) => price.id === id && price.provider === p.provider && price.type === 'one_time',
      ),
    )
  return p.items.some(
    ({ price_id, billed_for, amount }) =>
      price_id !== null &&
      prices.includes(price_id) &&
      (amount ?? 0) >= 0 &&
      (billed_for === 'once' || (billed_for === undefined && isOnce(price_id))) &&
      !subscriptions.some((s) => s.id === p.subscription_id && hasPrice(s, price_id)),
  )
}

/**
 * The reason a subscription opens the gates of its prices (or of `prices` among them), and until when; null where it
 * opens none.
 */
export const openingOf = (
  s: Subscription,
  payments: readonly Payment[],
  rules: PeriodRules,
  now: Date,
  prices: readonly string[] = s.items.flatMap(({ price_id }) => price_id ?? []),
): Pick<Decision, 'reason' | 'until'> | null => {
  const own = paymentsOf(s, payments)
  if (isLost(s, payments, { prices, at: now.toISOString(), termsOf: termsOf(rules) })) return null
  if (isPaused(s, now))
    return isOpenInPause(s, rules) && !isClosedHere(s, now)
      ? { reason: 'subscription', until: s.resumes_at }
      : null
  const left = stillPaid(s, own, rules, now)
  if (left !== null) return { reason: 'subscription', until: left }
  if (isEnded(s)) return paidAfterEnd(s, payments, rules, now, prices)
  if (isOver(s, now)) return null
  if (isOnTrial(s) && s.opens_at !== null && now.toISOString() < s.opens_at) return null
  if (isActive(s) && isChangePending(s, payments, rules, prices)) return null
  if (isActive(s)) return { reason: s.on_trial ? 'trial' : 'subscription', until: openUntil(s, rules) }
  // The word says that something is unpaid, not that this period is.
  const paid = owes(s) && !isClosedHere(s, now) ? paidNow(s, payments, rules, now, prices) : null
  if (paid !== null) return { reason: 'subscription', until: paid.until }
  if (s.past_due && isChangeUnpaid(s, coverageOf(s, payments, termsOf(rules)), now.toISOString())) return null
  const until = graceEnd(s, own, prices, rules.pastDueSeconds)
  return until !== null && now.toISOString() < until ? { reason: 'past_due', until } : null
}

// A planned change to a cheaper price renews what was paid, like any renewal.
const isChangePending = (
  s: Subscription,
  payments: readonly Payment[],
  rules: PeriodRules,
  prices: readonly string[],
): boolean =>
  isUnpaidYet(s, paymentsOf(s, payments), prices) &&
  isRenewalDue(s, payments, prices, termsOf(rules)) !== true

const owes = (s: Subscription): boolean => s.status === 'past_due' || s.status === 'unpaid'

const isClosedHere = (s: Subscription, now: Date): boolean =>
  s.opens_at !== null && now.toISOString() < s.opens_at

const paidNow = (
  s: Subscription,
  payments: readonly Payment[],
  rules: PeriodRules,
  now: Date,
  prices: readonly string[],
) => coveredAt(coverageOf(s, payments, termsOf(rules)), prices, now.toISOString())

/**
 * An invoice that is paid after the end covers its period, whoever chose the end: the money stays with the site. Who got
 * anything of that payment back has nothing.
 */
const paidAfterEnd = (
  s: Subscription,
  payments: readonly Payment[],
  rules: PeriodRules,
  now: Date,
  prices: readonly string[],
): Pick<Decision, 'reason' | 'until'> | null => {
  if (isClosedHere(s, now) || s.ended_for === 'dispute') return null
  const ended = s.ended_at ?? s.canceled_at
  const counts = payments.filter((p) => {
    if (p.status !== 'paid' || p.paid_at === null || p.subscription_id !== s.id) return false
    if (s.ended_for === 'term') return true
    // A payment that is settled with the end itself is none after it.
    return ended !== null && Date.parse(p.paid_at) > Date.parse(ended) + settlingMs
  })
  if (counts.length === 0) return null
  const paid = coveredAt(coverageOf(s, counts, termsOf(rules)), prices, now.toISOString())
  return paid === null ? null : { reason: 'subscription', until: paid.until }
}

const settlingMs = 300_000

// The price paid before an upgrade stays open while the upgrade is unpaid.
const openingBefore = (
  s: Subscription,
  payments: readonly Payment[],
  rules: PeriodRules,
  now: Date,
  prices: readonly string[],
): Pick<Decision, 'reason' | 'until'> | null => {
  if (isPaused(s, now) || isOver(s, now)) return null
  const own = paymentsOf(s, payments)
  if (owes(s) && !isClosedHere(s, now) && wasPaidLast(own, prices)) {
    const paid = paidNow(s, payments, rules, now, prices)
    return paid?.price_id == null ? null : { reason: 'subscription', until: paid.until }
  }
  if (!isActive(s)) return null
  const present = s.items.flatMap(({ price_id }) => price_id ?? [])
  return isChangePending(s, payments, rules, present) && wasPaidLast(own, prices)
    ? { reason: 'subscription', until: null }
    : null
}

/**
 * Returns the prices that open a gate: those of the plan of that name and of every plan with the feature, retired ones
 * included. Without such a plan it is the gate itself, the prices with that look-up key, and the prices that a raise put
 * in their place.
 */
export const pricesOf = (gate: string, plans: readonly Plan[]): readonly string[] => {
  const named = plans
    .filter((plan) => isOpenedBy(gate, plan))
    .flatMap((plan) => plan.prices.map((price) => price.id))
  if (named.length > 0) return named
  const all = plans.flatMap((plan) => plan.prices)
  const byKey = all.filter((price) => price.lookup_key === gate).map(({ id }) => id)
  return [...withSuccessors([gate, ...byKey], all)]
}

/** These prices and those that raises put in their place. A price can be raised more than once. Pure. */
function withSuccessors(
  ids: Iterable<string>,
  prices: readonly Pick<Plan['prices'][number], 'id' | 'replaces'>[],
): ReadonlySet<string> {
  const found = new Set(ids)
  const raised = prices.filter(({ replaces }) => replaces !== undefined)
  // A set visits what joins it meanwhile.
  for (const id of found)
    for (const price of raised) if (price.replaces?.includes(id) === true) found.add(price.id)
  return found
}

/** True for a price that a raise replaced by the member's own: nobody changes back to it, even where it is still sold. */
export function isReplaced(
  id: string,
  { hasPrice }: { readonly hasPrice: (id: string) => boolean },
  plans: readonly { readonly prices: readonly Pick<Plan['prices'][number], 'id' | 'replaces'>[] }[],
): boolean {
  const all = plans.flatMap(({ prices }) => prices)
  return !hasPrice(id) && [...withSuccessors([id], all)].some(hasPrice)
}

// A one-time price that gives a plan for some months, or adds to a limit. Its gift opens the plan, not the payment.
const isGiving = (id: string, plans: readonly Plan[]): boolean =>
  plans.some(({ prices }) =>
    prices.some((price) => price.id === id && (price.gives !== undefined || price.adds !== undefined)),
  )

/** The plans that open a gate: the plan of that name, and those that open the feature. */
export function plansOpening(gate: string, plans: readonly Plan[]): readonly string[] {
  return [...new Set(plans.filter((plan) => isOpenedBy(gate, plan)).map(({ id }) => id))]
}

/** Lists every feature that plans open, once, in the order of the plans. */
export function featuresOf(plans: readonly Plan[]): readonly string[] {
  return [...new Set(plans.flatMap(({ opens }) => opens ?? []))]
}

/** False for a name that is no plan, feature, price or look-up key, so that only a grant could open it. */
export function isKnownGate(gate: string, plans: readonly Plan[]): boolean {
  return plans.some(
    (plan) =>
      isOpenedBy(gate, plan) ||
      plan.prices.some(
        ({ id, lookup_key, replaces }) =>
          id === gate || lookup_key === gate || (replaces?.includes(gate) ?? false),
      ),
  )
}

function isOpenedBy(gate: string, { id, opens }: Plan): boolean {
  return id === gate || (opens?.includes(gate) ?? false)
}

// A member who ended it here gave up the rest, which `opens_at` records.
const stillPaid = (
  s: Subscription,
  own: readonly Payment[],
  { openUntilPaid }: PeriodRules,
  now: Date,
): string | null => {
  const moment = now.toISOString()
  if (openUntilPaid?.has(s.provider) !== true || (s.opens_at !== null && moment < s.opens_at)) return null
  const until = paidAfterCancel(s, own)
  return until !== null && moment < until ? until : null
}

// True once its planned end has passed, even if the provider's last event is late.
const isOver = (s: Subscription, now: Date): boolean => {
  const end = endsAt(s)
  return end !== null && end <= now.toISOString()
}

// A pause that the provider made itself after a failed payment opens nothing.
const isOpenInPause = (s: Subscription, { openWhilePaused }: PeriodRules): boolean =>
  (s.status === 'active' || (s.status === 'paused' && s.provider_status === null)) &&
  openWhilePaused?.has(s.provider) === true

const openUntil = (s: Subscription, rules: PeriodRules): string | null =>
  s.paused_at === null || isOpenInPause(s, rules) ? paidUntil(s) : s.paused_at

/**
 * When the grace of a failed renewal ends. It counts from the first failure, and only while the provider itself
 * retries. Null where there is no grace.
 */
export const graceEnd = (
  s: Subscription,
  own: readonly Payment[],
  prices: readonly string[],
  seconds: number,
): string | null => {
  if (!s.past_due || seconds === 0) return null
  // A reversed payment is not a failed attempt, and a trial that nobody paid for is over.
  if (own.some((p) => p.status === 'disputed') || !wasEverPaid(s, own)) return null
  if (isDearerThanPaid(periodCost(s), own, prices)) return null
  const since = s.past_due_since ?? s.current_period_start ?? s.updated_at
  return new Date(Date.parse(since) + seconds * 1000).toISOString()
}

/**
 * True for a subscription that was ever paid. Payments from before this database are unknown here, so a renewal counts
 * as proof of a first payment.
 */
const wasEverPaid = (s: Subscription, own: readonly Payment[]): boolean => {
  if (own.some((p) => isPaid(p) && p.amount > 0)) return true
  const begun = s.trial_ends_at ?? s.started_at
  const failed = s.past_due_since ?? s.current_period_start
  if (begun === null || failed === null) return s.trial_ends_at === null
  const renewed = Date.parse(begun) + shortestDays[s.interval ?? 'day'] * (s.interval_count ?? 1) * 86_400_000
  return Date.parse(failed) >= renewed || (s.trial_ends_at === null && own.length === 0)
}

// The shortest length of each kind of period.
const shortestDays = { day: 1, week: 7, month: 28, year: 365 } as const

const isCurrent = (g: Grant, now: Date): boolean => {
  const moment = now.toISOString()
  return (g.starts_at === null || g.starts_at <= moment) && (g.expires_at === null || g.expires_at > moment)
}
