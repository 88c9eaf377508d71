import { moneyOf, type Price, unstated } from '../../core/dto/index.ts'
import { intervalsAfter } from '../calendar.ts'
import { interval, list, obj, str, whole } from '../narrow.ts'
import { type CostPart, costPart } from '../subscription.ts'
import { amountOf } from './facts.ts'
import { nextBilling, readEndNote } from './notes.ts'
import type { Plan, Subscription } from './payload.ts'

/** Cost and interval of a plan; null if neither the event nor the configuration contains it. */
export type Cost = CostPart

/** Returns the cost from the plan in the event (few contain it), else from the configured price. */
export function costOf(plan: Plan, raw: Subscription, price: Price | undefined): Cost {
  const { interval_unit: unit, interval_count: times } = obj(regularOf(plan).frequency)
  const fixed = fixedIn(plan)
  const unitWord = interval(String(unit).toLowerCase())
  // Few messages contain the plan; then the site's price says both, unless this subscription has terms of its own.
  const listed =
    price === undefined ? unstated(null) : moneyOf(price, { amount: 'amount', currency: 'currency' })
  const charged = currencyIn(raw) ?? listed.currency
  const isOwn = fixed.amount === null && raw.plan_overridden !== true && listed.currency === charged
  const known = isOwn ? listed : fixed
  return costPart(
    known.currency === null ? unstated(charged) : known,
    unitWord === null
      ? { interval: price?.interval ?? null, interval_count: price?.interval_count ?? null }
      : { interval: unitWord, interval_count: whole(times) ?? 1 },
  )
}

/** Returns true if the amount of this cost is the site's own price, because the event's plan states none. */
export function isListed(plan: Plan, { unit_amount: amount }: Cost): boolean {
  return amount !== null && fixedIn(plan).amount === null
}

function fixedIn(plan: Plan) {
  return amountOf(obj(regularOf(plan).pricing_scheme).fixed_price)
}

function regularOf(plan: Plan) {
  return list(plan.billing_cycles).find(({ tenure_type: kind }) => kind === 'REGULAR') ?? {}
}

/**
 * Returns until when a subscription that was cancelled, or whose last charge was made, is paid. PayPal ends
 * it at once and gives no date afterwards. Our note counts if it was cancelled here, else the last payment of
 * a regular period. null if nothing is paid beyond `now`, or if the length is unknown.
 */
export function paidBeyond(raw: Subscription, cost: Cost, now: string | null): string | null {
  return isFailing(raw) ? null : endBeyond(raw, { cost, now, end: counted(raw, cost) })
}

/**
 * Returns until when a suspended subscription is paid. Only a payment counts: its next billing is none that
 * comes. null if nothing is paid beyond `now`.
 */
export function paidWhileSuspended(raw: Subscription, cost: Cost, now: string | null): string | null {
  if (now === null || isFailing(raw)) return null
  const end = Date.parse(counted(raw, cost) ?? '')
  return end > Date.parse(now) && end < farthest ? new Date(end).toISOString() : null
}

/** Returns the same as 2.0.0-rc.1 read it, of a cancelled subscription. */
export function formerlyPaidBeyond(raw: Subscription, cost: Cost, now: string | null): string | null {
  if (raw.status !== 'CANCELLED' || countsFailures(raw)) return null
  return endBeyond(raw, { cost, now, end: cyclesDone(raw, 'REGULAR') ? periodAfter(raw, cost) : null })
}

function endBeyond(
  raw: Subscription,
  { cost, now, end: paid }: { readonly cost: Cost; readonly now: string | null; readonly end: string | null },
): string | null {
  const noted = readEndNote(raw)
  if (now === null || noted === null) return null
  const known = noted !== undefined && Date.parse(noted) <= latest(raw, cost, now) ? noted : nextBilling(raw)
  const end = Date.parse(known ?? paid ?? '')
  return end > Date.parse(now) && end < farthest ? new Date(end).toISOString() : null
}

/**
 * Returns true while a charge is unpaid. PayPal counts a failure only after the second retry, ten days later.
 * Until then only the last failed attempt shows it, which stays there after a later payment. Where nothing
 * was paid, it is the charge after a trial; a purchase without one is still incomplete:
 * https://developer.paypal.com/docs/subscriptions/customize/payment-failure-retry/
 */
export function isFailing(raw: Subscription): boolean {
  const { last_failed_payment: attempt } = obj(raw.billing_info)
  if (countsFailures(raw)) return true
  const failed = str(obj(attempt).time)
  if (failed === null) return false
  const paid = lastPaid(raw)
  return paid === null ? cyclesDone(raw, 'TRIAL') !== null : Date.parse(failed) > Date.parse(paid)
}

function countsFailures(raw: Subscription): boolean {
  return (whole(obj(raw.billing_info).failed_payments_count) ?? 0) > 0
}

/** Returns the number of begun periods of that kind; null if it is not counted. */
export function cyclesDone(raw: Subscription, kind: 'TRIAL' | 'REGULAR'): number | null {
  const executions = list(obj(raw.billing_info).cycle_executions).filter(
    ({ tenure_type: tenure }) => tenure === kind,
  )
  return executions.length === 0
    ? null
    : executions.reduce((sum, { cycles_completed: done }) => sum + (whole(done) ?? 0), 0)
}

/** Returns the time of the last payment. */
export function lastPaid(raw: Subscription): string | null {
  return str(obj(obj(raw.billing_info).last_payment).time)
}

function counted(raw: Subscription, cost: Cost): string | null {
  // A payment counts before its period does. Only in a trial that costs something it may be the trial's.
  const isRegular = cyclesDone(raw, 'TRIAL') === null || cyclesDone(raw, 'REGULAR') !== 0
  return isRegular ? periodAfter(raw, cost, str(raw.start_time)) : null
}

/** Returns the end of the period that begins with the last payment. */
function periodAfter(
  raw: Subscription,
  { interval, interval_count: times }: Cost,
  start?: string | null,
): string | null {
  if (interval === null) return null
  const anchor = start === undefined ? [] : [Date.parse(start ?? '')]
  const end = intervalsAfter(Date.parse(lastPaid(raw) ?? ''), interval, times ?? 1, ...anchor)
  return Number.isNaN(end) ? null : new Date(end).toISOString()
}

// The person who cancels at PayPal may be able to write the note. It therefore never extends beyond one
// period, and never applies before the first.
function latest(raw: Subscription, { interval, interval_count: times }: Cost, now: string): number {
  const start = Date.parse(str(raw.start_time) ?? '')
  const end = intervalsAfter(Date.parse(now), interval ?? 'year', times ?? 1)
  return (start > end ? start : end) + dayMs
}

const dayMs = 86_400_000
const farthest = Date.UTC(9999, 0)

function currencyIn(raw: Subscription): string | null {
  const { last_payment: paid, outstanding_balance: owed } = obj(raw.billing_info)
  return (
    amountOf(obj(paid).amount).currency ?? amountOf(owed).currency ?? amountOf(raw.shipping_amount).currency
  )
}
