import { addInterval, type Cost } from '../dto/cost.ts'
import type { Payment, PaymentItem } from '../dto/payment.ts'
import type { Plan } from '../dto/plan.ts'
import { hasPrice } from '../dto/rules.ts'
import { soldIn } from '../dto/sold.ts'
import type { Subscription } from '../dto/subscription.ts'
import { soldAs, soldAt } from './bought.ts'

/**
 * The fate of a payment: `returned` is refunded in full or lost in a dispute, `free` cost nothing (a coupon, a
 * credit, a free price), `trial` are a trial's own days.
 */
export type CoverageState = 'paid' | 'pending' | 'failed' | 'returned' | 'free' | 'trial'

/** The time that one item of one payment pays for. */
export interface Coverage {
  /** Null where the payment names no price; it then pays for what its subscription has. */
  readonly price_id: string | null
  readonly quantity: number | null
  readonly from: string
  /** Null where it does not end or is not known, see `period`. */
  readonly until: string | null
  readonly state: CoverageState
  /** Null for a trial that was free. */
  readonly payment_id: string | null
  /** `stated` by the provider, `counted` from the subscription, `endless` for what is bought once, or `unknown`. */
  readonly period: 'stated' | 'counted' | 'endless' | 'unknown'
}

/** The period of a price, where a subscription that changed its price no longer tells it. */
export type TermsOf = (provider: string, priceId: string) => Rhythm | null

/** The length of a period. */
export type Rhythm = Pick<Cost, 'interval' | 'interval_count'>

/** Reads the terms of prices from the site's plans. */
export function termsIn(plans: readonly Plan[]): TermsOf {
  const made = known.get(plans) ?? readTerms(plans)
  known.set(plans, made)
  return made
}

// By a site's list of plans, which is another list after each change.
const known = new WeakMap<readonly Plan[], TermsOf>()

function readTerms(plans: readonly Plan[]): TermsOf {
  return (provider, priceId) => {
    for (const plan of plans)
      for (const { id, provider: seller, interval, interval_count } of plan.prices)
        if (id === priceId && seller === provider && interval !== null)
          return { interval, interval_count: interval_count ?? 1 }
    return null
  }
}

/** The payments of a subscription. */
export function paymentsOf(s: Subscription, payments: readonly Payment[]): Payment[] {
  return payments.filter((p) => p.subscription_id === s.id && p.provider === s.provider)
}

/**
 * Lists what the payments of a subscription cover, oldest first: an interval for each item of each payment. A period is
 * the provider's own where it states one; else the subscription's period that holds the payment's moment, counted from
 * the subscription's start. A paid credit ends what was covered for its price at its moment. Pure; amounts are never
 * compared.
 */
export function coverageOf(
  s: Subscription,
  payments: readonly Payment[],
  termsOf: TermsOf = noTerms,
): readonly Coverage[] {
  const last = remembered.get(s)
  if (last !== undefined && last.termsOf === termsOf && areSame(last.payments, payments)) return last.coverage
  const coverage = computeCoverage(s, payments, termsOf)
  remembered.set(s, { payments, termsOf, coverage })
  return coverage
}

const noTerms: TermsOf = () => null

function areSame(a: readonly Payment[], b: readonly Payment[]): boolean {
  return a === b || (a.length === b.length && a.every((payment, i) => payment === b[i]))
}

// A page asks several gates about the same holdings, and the next page again.
const remembered = new WeakMap<
  Subscription,
  { payments: readonly Payment[]; termsOf: TermsOf; coverage: readonly Coverage[] }
>()

function computeCoverage(
  s: Subscription,
  payments: readonly Payment[],
  termsOf: TermsOf,
): readonly Coverage[] {
  const own = paymentsOf(s, payments).sort((a, b) => compare(momentOf(a), momentOf(b)) || compare(a.id, b.id))
  let covered: Coverage[] = trialOf(s)
  own.forEach((p, i) => {
    const items = p.items.length > 0 ? p.items : [wholeOf(p)]
    const isSettled = p.status === 'paid' || p.status === 'partially_refunded'
    // The credits of an unpaid invoice end nothing.
    if (isSettled)
      for (const item of items) if ((item.amount ?? 0) < 0) covered = endedBy(item, momentOf(p), covered)
    const context = { s, termsOf, covered, hasEarlier: own.slice(0, i).some(hasArrived) }
    for (const item of items)
      if ((item.amount ?? 0) >= 0 && item.billed_for !== 'extra')
        covered.push((hasArrived(p) ? unnamed(p, item, context) : null) ?? toCoverage(p, item, context))
  })
  return covered.sort((a, b) => compare(a.from, b.from))
}

/** The paid interval that covers these prices at a moment, with the latest end; null where none is known to. */
export function coveredAt(
  coverage: readonly Coverage[],
  prices: readonly string[],
  at: string,
  state: CoverageState = 'paid',
): (Coverage & { readonly until: string }) | null {
  let best: (Coverage & { readonly until: string }) | null = null
  for (const c of coverage) {
    if (c.state !== state || c.until === null || c.from > at || c.until <= at) continue
    if (c.price_id !== null && !prices.includes(c.price_id)) continue
    if (best === null || c.until > best.until) best = { ...c, until: c.until }
  }
  return best
}

/** True if what covers these prices at a moment was all paid with money that went back. Pure. */
export function isMoneyBack(
  s: Subscription,
  payments: readonly Payment[],
  { prices, at, termsOf = noTerms }: Asked,
): boolean {
  const covering = coveringOf(s, payments, { prices, at, termsOf })
  return (
    covering.some(({ state }) => state === 'returned') &&
    !covering.some(({ state }) => state === 'paid' || state === 'free')
  )
}

/** True if the payment of the running period was lost in a dispute, and nothing else pays for it. Pure. */
export function isLost(s: Subscription, payments: readonly Payment[], asked: Asked): boolean {
  const lost = payments.filter(
    ({ dispute, subscription_id }) => dispute === 'lost' && subscription_id === s.id,
  )
  if (lost.length === 0 || !isMoneyBack(s, payments, asked)) return false
  return coveringOf(s, payments, asked).some(({ payment_id }) => lost.some(({ id }) => id === payment_id))
}

/** The quantity that is covered at a moment; null where a payment does not tell. Pure. */
export function coveredQuantity(s: Subscription, payments: readonly Payment[], asked: Asked): number | null {
  const counted = coveringOf(s, payments, asked).filter(
    ({ state, payment_id }) =>
      payment_id !== null && (state === 'paid' || state === 'free' || state === 'trial'),
  )
  if (counted.length === 0) return null
  // What was paid meanwhile for a period that is not known may have bought more.
  const since = counted.reduce((first, { from }) => (from < first ? from : first), asked.at)
  const mayBeMore = coverageOf(s, payments, asked.termsOf ?? noTerms).some(
    ({ state, period, from }) => state === 'paid' && period === 'unknown' && from > since && from <= asked.at,
  )
  if (mayBeMore) return null
  return counted.reduce<number | null>(
    (most, { quantity }) => (most === null || quantity === null ? null : Math.max(most, quantity)),
    0,
  )
}

/** The prices and the moment of a question, with the terms of prices that a subscription no longer has. */
export interface Asked {
  readonly prices: readonly string[]
  readonly at: string
  readonly termsOf?: TermsOf | undefined
}

// A payment whose period is not known counts neither for nor against its member.
function coveringOf(
  s: Subscription,
  payments: readonly Payment[],
  { prices, at, termsOf = noTerms }: Asked,
): readonly Coverage[] {
  return coverageOf(s, payments, termsOf).filter(
    ({ price_id, from, until }) =>
      until !== null && from <= at && at < until && (price_id === null || prices.includes(price_id)),
  )
}

interface Context {
  readonly s: Subscription
  readonly termsOf: TermsOf
  /** By the payments before. */
  readonly covered: readonly Coverage[]
  /** True if money for this subscription arrived before. */
  readonly hasEarlier: boolean
}

function toCoverage(
  p: Payment,
  item: PaymentItem,
  context: Context,
  { from, until, period }: Period = periodOf(p, item, context),
): Coverage {
  return {
    price_id: item.price_id,
    quantity: item.quantity ?? p.quantity,
    from,
    until,
    state: stateOf(p, item, context.s),
    payment_id: p.id,
    period,
  }
}

function stateOf(p: Payment, item: PaymentItem, s: Subscription): CoverageState {
  switch (p.status) {
    case 'pending':
      return 'pending'
    case 'failed':
      return p.waived === true ? 'free' : 'failed'
    case 'refunded':
      // A trial's days are not bought: giving its price back takes none of them.
      return isOfTrial(p, item) ? 'trial' : 'returned'
    // While a dispute is open the running period stays open. Rows of before do not tell a lost one apart.
    case 'disputed':
      return p.dispute === 'lost' ? 'returned' : 'paid'
    case 'paid':
    case 'partially_refunded':
      if (isOfTrial(p, item)) return 'trial'
      if (p.amount > 0) return 'paid'
      return s.trial_ends_at !== null && momentOf(p) < s.trial_ends_at ? 'trial' : 'free'
    default:
      throw new TypeError(`unhandled ${p.status satisfies never}`)
  }
}

function isOfTrial(p: Payment, item: PaymentItem): boolean {
  return p.trial === true || item.trial === true
}

type Period = Pick<Coverage, 'from' | 'until' | 'period'>

function periodOf(p: Payment, item: PaymentItem, { s, termsOf, hasEarlier }: Context): Period {
  const at = momentOf(p)
  if (item.billed_for === 'once') return { from: at, until: null, period: 'endless' }
  const end = item.period_end ?? p.period_end ?? null
  if (end !== null) return { from: item.period_start ?? p.period_start ?? at, until: end, period: 'stated' }
  const isHeld = item.price_id === null || hasPrice(s, item.price_id)
  const own = s.items.find(({ price_id }) => price_id !== null && price_id === item.price_id)
  const start = own?.current_period_start ?? s.current_period_start
  const until = own?.current_period_end ?? s.current_period_end
  const isOfRunning = start !== null && (at >= start || (isHeld && isJustBefore(at, start, s, hasEarlier)))
  if (isOfRunning && until !== null && at < until)
    return { from: start < at && isHeld ? start : at, until, period: 'counted' }
  // A payment that names no price may be for one that the subscription had before.
  const sold = item.price_id === null ? null : rhythmSold(item.price_id, { p, s, termsOf })
  const rhythm = isHeld ? (rhythmIn(s) ?? sold) : sold
  if (rhythm === null) return { from: at, until: null, period: 'unknown' }
  if (isHeld) return countedFrom(s, at, rhythm, start)
  return regularFrom(s, at, rhythm)
}

/** The periods of a price that was changed began with the subscription, or with a change on the day it was paid. */
function regularFrom(s: Subscription, at: string, rhythm: Rhythm): Period {
  const counted = countedFrom(s, at, rhythm, null)
  const isRegular = Math.abs(Date.parse(counted.from) - Date.parse(at)) <= dayMs
  return isRegular ? counted : { from: at, until: addInterval(at, rhythm), period: 'counted' }
}

/**
 * The coverage of an item that names no price, where its subscription states no rhythm: it paid for the price that the
 * subscription had then. Null where that is not known. A change within one rhythm covers the rest of the paid period.
 */
function unnamed(p: Payment, item: PaymentItem, context: Context): Coverage | null {
  const { s, termsOf } = context
  if (item.price_id !== null || rhythmIn(s) !== null || (item.period_end ?? p.period_end) != null) return null
  const at = momentOf(p)
  const sold = soldAt(s, p.billed_for === 'change' ? addMs(at, settlingMs) : startOf(p, s, at))
  if (sold === null) return null
  const named = { ...item, price_id: sold.price.id }
  const rhythm = rhythmSold(named.price_id, { p, s, termsOf })
  if (rhythm === null) return null
  const isRest = p.billed_for === 'change' && !changesRhythm(sold, at)
  return toCoverage(p, named, context, isRest ? restOfPaid(at, rhythm, context) : regularFrom(s, at, rhythm))
}

function changesRhythm({ price, before }: NonNullable<ReturnType<typeof soldAt>>, at: string): boolean {
  const isNew = price.seen_from !== undefined && Date.parse(price.seen_from) >= Date.parse(at) - settlingMs
  if (!isNew || before === null) return false
  return price.interval !== before.interval || price.interval_count !== before.interval_count
}

function restOfPaid(at: string, rhythm: Rhythm, { s, covered }: Context): Period {
  const running = covered.findLast(
    (c) => c.state === 'paid' && c.from <= at && c.until !== null && at < c.until,
  )
  const { until } = running ?? countedFrom(s, at, rhythm, null)
  return { from: at, until, period: until === null ? 'unknown' : 'counted' }
}

// A first invoice can be some seconds older than the first message about its subscription.
function startOf(p: Payment, s: Subscription, at: string): string {
  if (p.billed_for !== 'first') return at
  const [first] = [...(soldIn(s)?.values() ?? [])]
    .filter(({ assumed }) => assumed !== true)
    .flatMap(({ seen_from }) => seen_from ?? [])
    .sort()
  return first !== undefined && first > at ? first : at
}

// Clocks differ, and a renewal may be charged shortly before its period.
function isJustBefore(at: string, start: string, s: Subscription, hasEarlier: boolean): boolean {
  const isEarly = Date.parse(start) - Date.parse(at) <= dayMs
  return isEarly && (hasEarlier || s.started_at === null || at <= s.started_at)
}

/** Counts whole periods from the subscription's start, so that a short month does not move the day for ever. */
function countedFrom(s: Subscription, at: string, rhythm: Rhythm, running: string | null): Period {
  const begun =
    s.trial_ends_at !== null && s.trial_ends_at > (s.started_at ?? '') ? s.trial_ends_at : s.started_at
  if (begun === null) return { from: at, until: null, period: 'unknown' }
  let [from, until] = [begun, addInterval(begun, rhythm)]
  for (let n = 2; until <= at && n <= mostPeriods; n++)
    [from, until] = [
      until,
      addInterval(begun, { interval: rhythm.interval, interval_count: rhythm.interval_count * n }),
    ]
  if (until <= at) return { from: at, until: null, period: 'unknown' }
  // The running period begins where its provider says.
  return {
    from,
    until: running !== null && from < running && until > running ? running : until,
    period: 'counted',
  }
}

const mostPeriods = 4000

/** The rhythm of a price where the subscription states none: as it was sold, else as the site sells it. */
function rhythmSold(
  priceId: string,
  { p, s, termsOf }: { p: Payment; s: Subscription; termsOf: TermsOf },
): Rhythm | null {
  const sold = soldAs(priceId, p, s)
  if (sold === undefined || sold.interval === null) return termsOf(p.provider, priceId)
  return { interval: sold.interval, interval_count: sold.interval_count ?? 1 }
}

function rhythmIn({ interval, interval_count }: Subscription): Rhythm | null {
  return interval === null ? null : { interval, interval_count: interval_count ?? 1 }
}

function trialOf(s: Subscription): Coverage[] {
  if (s.trial_ends_at === null) return []
  const over = s.ended_at ?? s.trial_ends_at
  return [
    {
      price_id: null,
      quantity: s.quantity,
      from: s.started_at ?? s.trial_ends_at,
      until: over < s.trial_ends_at ? over : s.trial_ends_at,
      state: 'trial',
      payment_id: null,
      period: 'stated',
    },
  ]
}

/** Ends what was covered for a credit's price at its moment, or the quantity that went. */
function endedBy({ price_id, quantity }: PaymentItem, at: string, covered: readonly Coverage[]): Coverage[] {
  return covered.flatMap((c) => {
    const isEnded =
      c.state === 'paid' &&
      price_id !== null &&
      c.price_id === price_id &&
      c.from < at &&
      (c.until === null || c.until > at)
    if (!isEnded) return [c]
    const before = { ...c, until: at, period: 'counted' as const }
    const left = quantity === null || c.quantity === null ? 0 : c.quantity - quantity
    return left > 0 ? [before, { ...c, from: at, quantity: left }] : [before]
  })
}

function wholeOf({ price_id, quantity }: Payment): PaymentItem {
  return { price_id, product_id: null, quantity }
}

function hasArrived({ status }: Payment): boolean {
  return status !== 'pending' && status !== 'failed'
}

// A payment covers the period for which it was asked, and each attempt updates an open one.
function momentOf({ billed_at, paid_at, failed_at, updated_at }: Payment): string {
  return billed_at ?? paid_at ?? failed_at ?? updated_at
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const dayMs = 86_400_000
// A change and its charge are written down in turn.
const settlingMs = 300_000

function addMs(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString()
}
