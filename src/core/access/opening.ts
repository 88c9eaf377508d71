import type { Payment } from '../dto/payment.ts'
import type { Plan } from '../dto/plan.ts'
import { endsAt, hasPrice, isActive, isEnded, isPaid, isPaused, paidUntil } from '../dto/rules.ts'
import { withSoldOf } from '../dto/sold.ts'
import type { Subscription } from '../dto/subscription.ts'
import { soldAs } from './bought.ts'
import {
  type Coverage,
  coverageOf,
  coveredAt,
  isLost,
  paymentsOf,
  type TermsOf,
  termsIn,
} from './coverage.ts'

/** The rules of access besides a member's holdings. */
export interface AccessRules {
  readonly plans: readonly Plan[]
  /** The time that a failed renewal keeps its gates open. */
  readonly pastDueSeconds: number
  /** Providers whose subscriptions stay open during a requested pause, with the days of the longest. Default: none. */
  readonly openWhilePaused?: ReadonlyMap<string, number>
  /** Providers whose payments of unknown purpose count as one-time. Default: none. */
  readonly unknownIsOneTime?: ReadonlySet<string>
  /** Providers where a cancellation only stops the renewal, although they say that it ended. Default: none. */
  readonly openUntilPaid?: ReadonlySet<string>
}

/** The rules about time and money. The site's plans only tell the period of a price that a subscription had before. */
export type PeriodRules = Omit<AccessRules, 'plans'> & Partial<Pick<AccessRules, 'plans'>>

/** Why a subscription opens a gate, and until when if known. */
export interface Opening {
  readonly reason: 'subscription' | 'trial' | 'past_due'
  readonly until: string | null
}

/**
 * The reason a subscription opens the gates of its prices (or of `prices`, its own or former ones), and until when; null
 * where it opens none. It is decided in this order: what somebody closed on purpose stays closed; then a payment that
 * covers this moment, a trial, a running period of which nothing says that it is unpaid, and the days of grace after a
 * failed renewal. No charged amounts are compared. Pure.
 */
export function openingOf(
  s: Subscription,
  payments: readonly Payment[],
  rules: PeriodRules,
  now: Date,
  prices: readonly string[] = itemPrices(s),
): Opening | null {
  const termsOf = termsOfRules(rules)
  const covered = coverageOf(s, payments, termsOf)
  const question: Question = { s, payments, rules, prices, covered, termsOf, now, at: now.toISOString() }
  if (isClosedOnPurpose(question)) return null
  if (isEnded(s)) return restOf(question)
  if (isPaused(s, now)) return inPause(question)
  return isHeld(question) ? ofHeld(question) : ofFormer(question)
}

function isHeld({ s, prices }: Question): boolean {
  return prices.some((price) => hasPrice(s, price))
}

/** The payment that covers these prices now. One that names no price pays for the prices that its subscription has. */
function coveredFor(question: Question, covered: readonly Coverage[]) {
  const { prices, at } = question
  return coveredAt(
    isHeld(question) ? covered : covered.filter(({ price_id }) => price_id !== null),
    prices,
    at,
  )
}

/** Reads the terms of prices from the rules, where these name plans. */
export function termsOfRules({ plans }: PeriodRules): TermsOf | undefined {
  return plans === undefined ? undefined : termsIn(plans)
}

interface Question {
  readonly s: Subscription
  readonly payments: readonly Payment[]
  readonly rules: PeriodRules
  readonly prices: readonly string[]
  readonly covered: readonly Coverage[]
  readonly termsOf: TermsOf | undefined
  readonly now: Date
  readonly at: string
}

/** True for what somebody closed: an end that was asked for at once, a start that has not come, a lost dispute. */
function isClosedOnPurpose({ s, payments, prices, termsOf, now, at }: Question): boolean {
  if (isLost(s, payments, { prices, at, termsOf })) return true
  if (isEnded(s)) return s.ended_for === 'dispute' || isClosedHere(s, at)
  return isOver(s, now) || (s.status !== 'active' && s.status !== 'past_due' && isClosedHere(s, at))
}

// Until its start, a trial of somebody who had one opens nothing. Who ended it here gave up the rest.
function isClosedHere({ opens_at }: Subscription, at: string): boolean {
  return opens_at !== null && at < opens_at
}

// True once its announced end has passed, even if the provider's last event is late.
function isOver(s: Subscription, now: Date): boolean {
  const end = endsAt(s)
  return end !== null && end <= now.toISOString()
}

/**
 * What is left of a subscription that ended. Nobody chooses the end of failed payments or of an agreed number of
 * periods, and some providers only stop the renewal: there everything counts that was paid. Where somebody could have
 * chosen the period's end, only what was paid afterwards counts. Money of which any part went back counts nowhere.
 */
function restOf(question: Question): Opening | null {
  const { s, payments, rules, termsOf } = question
  const counts = payments.filter(
    (p) =>
      p.status === 'paid' && p.subscription_id === s.id && (isRestKept(s, rules) || isPaidAfterEnd(s, p)),
  )
  if (counts.length === 0) return null
  const paid = coveredFor(question, coverageOf(s, counts, termsOf))
  return paid === null ? null : { reason: 'subscription', until: paid.until }
}

function isRestKept(s: Subscription, { openUntilPaid }: PeriodRules): boolean {
  return s.ended_for === 'term' || s.ended_for === 'unpaid' || openUntilPaid?.has(s.provider) === true
}

// A payment that is settled with the end itself is none after it.
function isPaidAfterEnd({ ended_at, canceled_at }: Subscription, { paid_at }: Payment): boolean {
  const ended = ended_at ?? canceled_at
  return ended !== null && paid_at !== null && Date.parse(paid_at) > Date.parse(ended) + settlingMs
}

const settlingMs = 300_000

/**
 * Lists the payments of a subscription that arrived after its end and opened nothing: their period is over or not known,
 * or the end was asked for here. Money for time that was used before the end is none of them, unless the subscription
 * ended for want of it. Pure.
 */
export function paidForNothing(
  s: Subscription,
  payments: readonly Payment[],
  rules: PeriodRules,
): readonly Payment[] {
  if (!isEnded(s)) return []
  const ended = s.ended_at ?? s.canceled_at ?? ''
  return paymentsOf(s, payments).filter((p) => {
    if (!isPaid(p) || p.amount === 0 || !isPaidAfterEnd(s, p)) return false
    const whole = withSoldOf(p, { ...p, status: 'paid' as const })
    if (openingOf(s, [whole], rules, new Date(p.paid_at!)) !== null) return false
    const covered = coverageOf(s, [whole], termsOfRules(rules))
    return s.ended_for === 'unpaid' || covered.every(({ until }) => until === null || until > ended)
  })
}

/**
 * The end of what is paid of a subscription that its provider ended before that; null where nothing is left. Pure.
 */
export function restAfterEnd(
  s: Subscription,
  payments: readonly Payment[],
  rules: PeriodRules,
): string | null {
  const ended = s.ended_at ?? s.canceled_at
  if (s.status !== 'canceled' || ended === null) return null
  const until = openingOf(s, payments, rules, new Date(ended))?.until ?? null
  return until !== null && Date.parse(until) - Date.parse(ended) > hourMs ? until : null
}

/**
 * A pause is backed by what was paid before it. It opens nothing where the site's pauses are closed, and nothing after
 * the longest pause that the site allows: a gift or the provider's dashboard may have made a longer one.
 */
function inPause(question: Question): Opening | null {
  const { s, covered, rules, at } = question
  const longest = rules.openWhilePaused?.get(s.provider)
  if (longest === undefined || isClosedHere(s, at)) return null
  // A pause under another word of the provider may be its own, made after failed payments.
  const isRequested = s.status === 'active' || (s.status === 'paused' && s.provider_status === null)
  if (isRequested && isHeld(question)) {
    const latest = s.paused_at === null ? null : addDays(s.paused_at, longest)
    if ((latest !== null && latest <= at) || !isBacked(covered, s.paused_at ?? at)) return null
    const until = [s.resumes_at, latest].filter((end) => end !== null).sort()[0] ?? null
    return { reason: 'subscription', until }
  }
  const paid = coveredFor(question, covered)
  return paid === null ? null : { reason: 'subscription', until: paid.until }
}

/** False if the last money before this moment went back. */
function isBacked(covered: readonly Coverage[], before: string): boolean {
  return lastArrived(covered, before)?.state !== 'returned'
}

function ofHeld(question: Question): Opening | null {
  const { s, covered, prices, rules, at } = question
  if (s.on_trial) return inTrial(question)
  const paid = isClosedHere(s, at) && !isActive(s) ? null : coveredAt(covered, prices, at)
  if (paid !== null) return { reason: 'subscription', until: isActive(s) ? openUntil(s, rules) : paid.until }
  const running = { reason: 'subscription', until: openUntil(s, rules) } as const
  switch (isActive(s) ? fateOf(question) : 'unpaid') {
    case 'pays':
      return running
    case 'pending':
      return isRenewal(question) ? running : null
    case 'unpaid':
      return graceOf(question)
  }
}

/**
 * A trial is open to its own end, although the provider still says `trialing`. Its first charge is then being made, and
 * the message about it may be late: a day is left for that, unless that charge is known to have failed.
 */
function inTrial({ s, payments, covered, prices, rules, at }: Question): Opening | null {
  const end = s.trial_ends_at
  if (end === null || at < end)
    // A pause or a switch can look like a trial. Its backing is the money before it.
    return isBacked(covered, at) ? { reason: 'trial', until: openUntil(s, rules) } : null
  const paid = coveredAt(covered, prices, at)
  if (paid !== null) return { reason: 'subscription', until: paid.until }
  const until = new Date(Date.parse(end) + dayMs).toISOString()
  // Clocks differ: a charge in the day before the end is the first one, too.
  const first = new Date(Date.parse(end) - dayMs).toISOString()
  const hasFailed = paymentsOf(s, payments).some(
    (p) => p.status === 'failed' && (p.billed_at ?? p.failed_at ?? p.updated_at) >= first,
  )
  return at < until && !hasFailed && isBacked(covered, at) ? { reason: 'trial', until } : null
}

/** A price that the subscription had before stays open while the change to the present one is not paid. */
function ofFormer(question: Question): Opening | null {
  const { s, covered, prices, at } = question
  if (s.on_trial || isClosedHere(s, at)) return null
  const last = lastArrived(covered, at)
  if (last?.price_id == null || !prices.includes(last.price_id)) return null
  if (last.state !== 'paid' && last.state !== 'free') return null
  const present = { ...question, prices: itemPrices(s) }
  const isPending = isActive(s) && fateOf(present) === 'pending' && !isRenewal(present)
  const isUnpaid = isActive(s) ? fateOf(present) === 'unpaid' : owes(s)
  if (!isPending && !isUnpaid) return null
  const until = last.until
  if (until === null) return isPending ? { reason: 'subscription', until: null } : null
  if (at < until) return { reason: 'subscription', until }
  return isPending ? { reason: 'subscription', until: null } : graceOf(question)
}

function owes({ status }: Subscription): boolean {
  return status === 'past_due' || status === 'unpaid'
}

/** The fate of an active subscription's running period: `unpaid` where its charge failed or its invoice is overdue. */
function fateOf({ covered, payments, prices, at }: Question): 'pays' | 'pending' | 'unpaid' {
  const running = covered.filter((c) => isOf(c, prices) && c.from <= at && (c.until === null || at < c.until))
  const hasArrived = ({ state }: Coverage) => state === 'paid' || state === 'free' || state === 'returned'
  if (running.some((c) => c.period !== 'unknown' && hasArrived(c))) return 'pays'
  // A payment that names no price counts neither for nor against its member.
  const last = running.findLast(({ price_id }) => price_id !== null)
  if (last === undefined) return 'pays'
  if (last.state === 'failed') {
    // Beside a period that is paid, what failed was a change. The provider would not say `active` had it gone through.
    const isChange = covered.some(
      (c) => c.state === 'paid' && c.from <= at && c.until !== null && at < c.until,
    )
    return last.period === 'unknown' || isChange ? 'pays' : 'unpaid'
  }
  if (last.state !== 'pending') return 'pays'
  const payment = payments.find(({ id }) => id === last.payment_id)
  if (payment?.due_at === undefined) return 'pending'
  // An invoice by hand: the shop chose its terms.
  return at < payment.due_at || payment.in_progress === true ? 'pays' : 'unpaid'
}

/**
 * True if the pending payment renews what ran directly before. False for a first payment, for a change within a period,
 * and after an unpaid period.
 */
function isRenewal(question: Question): boolean {
  const { s, covered, prices, at } = question
  const pending = covered.findLast((c) => c.state === 'pending' && isOf(c, prices) && c.from <= at)
  if (pending === undefined) return true
  const from = pending.from
  if (covered.some((c) => c.state === 'failed' && isOf(c, prices) && c.from < from && isNear(c.until, from)))
    return false
  const last = lastArrived(covered, from, pending.payment_id)
  // Nothing before is known: only a later period has had payments that this database never saw.
  if (last === null) return isLaterPeriod(s, from)
  if (isOf(last, prices)) return true
  return pending.period !== 'unknown' && isNear(last.until, from) && isPlannedLower(question, last)
}

/**
 * True if the present price was sold for no more than the one that was paid before, so that it renews that one. This
 * alone reads list prices: what was charged, with discounts and credits, never decides.
 */
function isPlannedLower({ s, payments, rules: { plans = [] } }: Question, before: Coverage): boolean {
  const listed = (id: string) =>
    plans.flatMap(({ prices }) => prices).find((price) => price.id === id && price.provider === s.provider)
  const sold = (id: string | null) => {
    if (id === null) return undefined
    const stored = soldAs(id, s, ...paymentsOf(s, payments))
    // The provider's prices may not have been read when it was sold.
    return stored?.amount == null ? listed(id) : stored
  }
  const [former, present] = [sold(before.price_id), sold(s.price_id)]
  if (former?.amount == null || present?.amount == null || former.currency !== present.currency) return false
  return present.amount * (s.quantity ?? 1) <= former.amount * (before.quantity ?? 1)
}

/** A failed renewal keeps open what was paid directly before, from its first failure on. */
function graceOf(question: Question): Opening | null {
  const { s, payments, prices, rules, at } = question
  const until = graceEnd(s, payments, prices, rules)
  return until !== null && at < until ? { reason: 'past_due', until } : null
}

/**
 * When the grace of a failed renewal ends. It counts from the first failure. Null where there is none: the provider gave
 * up, a dispute holds money, nothing was ever paid, or another price was paid before. Pure.
 */
export function graceEnd(
  s: Subscription,
  payments: readonly Payment[],
  prices: readonly string[],
  rules: PeriodRules,
): string | null {
  if ((!s.past_due && s.status !== 'active') || rules.pastDueSeconds === 0) return null
  const own = paymentsOf(s, payments)
  if (own.some((p) => p.status === 'disputed') || !wasEverPaid(s, own)) return null
  const covered = coverageOf(s, payments, termsOfRules(rules))
  const since = s.past_due_since ?? s.current_period_start ?? s.updated_at
  const last = lastArrived(covered, since)
  if (last !== null && last.payment_id !== null && !isOf(last, withRaised(prices, rules))) return null
  return new Date(Date.parse(since) + rules.pastDueSeconds * 1000).toISOString()
}

/** These prices and those that raises replaced by them: a membership goes on through a raise. */
function withRaised(prices: readonly string[], { plans = [] }: PeriodRules): readonly string[] {
  return [
    ...prices,
    ...plans.flatMap((plan) =>
      plan.prices.flatMap(({ id, replaces = [] }) => (prices.includes(id) ? replaces : [])),
    ),
  ]
}

/**
 * True for a subscription that was ever paid. Payments from before this database are unknown here, so a renewal counts
 * as proof of a first payment.
 */
function wasEverPaid(s: Subscription, own: readonly Payment[]): boolean {
  if (own.some((p) => (p.status === 'paid' || p.status === 'partially_refunded') && p.amount > 0)) return true
  const failed = s.past_due_since ?? s.current_period_start
  if (begunOf(s) === null || failed === null) return s.trial_ends_at === null
  if (isKnownFromStart(s, own)) return false
  return isLaterPeriod(s, failed) || (s.trial_ends_at === null && own.length === 0)
}

/**
 * True if the payments of its first period are known here. Periods that cost nothing prove no payment before them, nor
 * does a first payment that went back.
 */
function isKnownFromStart(s: Subscription, own: readonly Payment[]): boolean {
  const begun = begunOf(s)
  const isNothing = (p: Payment) => (p.amount === 0 && isPaid(p)) || p.status === 'refunded'
  return begun !== null && own.some((p) => isNothing(p) && isStart(p.billed_at ?? p.paid_at, begun))
}

function isStart(at: string | null, begun: string): boolean {
  return at !== null && Math.abs(Date.parse(at) - Date.parse(begun)) <= dayMs
}

/** True if a whole period lies between the start of a subscription and this moment; true where no start is known. */
function isLaterPeriod(s: Subscription, moment: string): boolean {
  const begun = begunOf(s)
  if (begun === null) return true
  const length = shortestDays[s.interval ?? 'day'] * (s.interval_count ?? 1) * dayMs
  return Date.parse(moment) >= Date.parse(begun) + length
}

function begunOf({ trial_ends_at, started_at }: Subscription): string | null {
  return trial_ends_at ?? started_at
}

// The shortest length of each kind of period.
const shortestDays = { day: 1, week: 7, month: 28, year: 365 } as const

/** The newest of what arrived before this moment, whether or not it stayed; null where nothing is known to have. */
function lastArrived(
  covered: readonly Coverage[],
  before: string,
  except: string | null = null,
): Coverage | null {
  return (
    covered.findLast(
      (c) =>
        c.from <= before &&
        c.state !== 'pending' &&
        c.state !== 'failed' &&
        (c.payment_id !== null || c.state === 'trial') &&
        (except === null || c.payment_id !== except),
    ) ?? null
  )
}

// Clocks differ, and a renewal may be charged shortly before its period.
function isNear(until: string | null, from: string): boolean {
  return until !== null && Math.abs(Date.parse(until) - Date.parse(from)) <= dayMs
}

function isOf({ price_id }: Coverage, prices: readonly string[]): boolean {
  return price_id === null || prices.includes(price_id)
}

function openUntil(s: Subscription, { openWhilePaused }: PeriodRules): string | null {
  return s.paused_at === null || openWhilePaused?.has(s.provider) === true ? paidUntil(s) : s.paused_at
}

function itemPrices(s: Subscription): readonly string[] {
  return s.items.flatMap(({ price_id }) => price_id ?? [])
}

function addDays(at: string, days: number): string {
  return new Date(Date.parse(at) + days * dayMs).toISOString()
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
