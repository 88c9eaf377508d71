import type { LimitWindow, PlanLimit } from '../dto/index.ts'
import type { Payment } from '../dto/payment.ts'
import type { Plan } from '../dto/plan.ts'
import { opensGate } from '../dto/rules.ts'
import { soldIn } from '../dto/sold.ts'
import type { Subscription } from '../dto/subscription.ts'
import type { Limit } from '../limit.ts'
import { pricesOpening, termsBought } from './bought.ts'
import { type Decision, decidePlan, type Holdings, openersOfPlan } from './decide-gate.ts'
import { type AccessRules, openingOf } from './opening.ts'

export type { Limit, LimitRefusal } from '../limit.ts'

/** A count of its own: a plan's amount in one window, a top-up, or a credit. */
export interface LimitBucket {
  readonly bucket: string
  readonly amount: number
  readonly starts_at: string
  readonly ends_at: string
  /** The moment by which its window is judged; empty where no new one may begin. */
  readonly at: string
  readonly source: string
  /** The group whose seats share this count; absent for the member's own. */
  readonly pool?: string
}

/** A stored count. */
export interface LimitUsage {
  readonly name: string
  readonly bucket: string
  readonly starts_at: string
  readonly ends_at: string
  readonly used: number
  /** The group that shares it; absent for the member's own. */
  readonly pool?: string
}

/** An amount that an operator gave. */
export interface LimitCredit {
  readonly id: string
  readonly name: string
  readonly amount: number
  readonly created_at: string
  readonly expires_at: string | null
}

/** An amount that is held for work; past `held_until` it counts no more. */
export interface LimitHold {
  readonly name: string
  readonly held_until: string
  /** `[bucket, amount, group]`, the group only where its seats share the count. */
  readonly parts: readonly (readonly [string, number, string?])[]
}

/** Everything counted of a member. */
export interface LimitRows {
  readonly usage: readonly LimitUsage[]
  readonly credits: readonly LimitCredit[]
  readonly holds: readonly LimitHold[]
}

/** The end of a count that never begins anew. */
export const never = '9999-12-31T00:00:00.000Z'

/** A bucket with what is used of it. */
export interface CountedBucket extends LimitBucket {
  readonly used: number
  /** When this count ends: the stored one's, where that is sooner. */
  readonly until: string
}

/**
 * The buckets of a limit in the order in which they are used: what a plan includes, then top-ups and credits,
 * oldest first. Pure.
 */
export function bucketsOf(
  name: string,
  holdings: Holdings,
  rows: LimitRows,
  rules: AccessRules,
  now: Date,
): readonly CountedBucket[] {
  const at = now.toISOString()
  const included = includedOf(name, holdings, rules, now)
  if (holdings.payments.length === 0 && rows.credits.length === 0)
    return included.map((bucket) => counted(name, bucket, rows, at))
  const extras = [...topUpsOf(name, holdings.payments, rules), ...creditsOf(name, rows.credits)]
    .filter(({ ends_at }) => ends_at > at)
    .sort((a, b) =>
      a.starts_at === b.starts_at ? compare(a.bucket, b.bucket) : compare(a.starts_at, b.starts_at),
    )
  return [...included, ...extras.map((extra) => ({ ...extra, at }))].map((bucket) =>
    counted(name, bucket, rows, at),
  )
}

/** The state of a limit for templates. Pure. */
export function limitOf(name: string, buckets: readonly CountedBucket[]): Limit {
  const included = buckets.find(({ bucket }) => !isExtra(bucket))
  const added = sum(buckets.filter(({ bucket }) => isExtra(bucket)).map(leftIn))
  const amount = included?.amount ?? 0
  const left = (included === undefined ? 0 : leftIn(included)) + added
  return {
    name,
    amount,
    used: included?.used ?? 0,
    left,
    added,
    resets_at:
      included === undefined || included.at === '' || included.until === never ? null : included.until,
    source: included?.source ?? (added > 0 ? 'top-up' : null),
  }
}

/** An amount as the parts that are taken from each bucket; null where there is not enough. Pure. */
export function splitOver(
  amount: number,
  buckets: readonly CountedBucket[],
): readonly { readonly bucket: CountedBucket; readonly take: number }[] | null {
  const parts: { bucket: CountedBucket; take: number }[] = []
  let missing = amount
  for (const bucket of buckets) {
    const take = Math.min(missing, leftIn(bucket))
    if (take > 0) parts.push({ bucket, take })
    missing -= take
    if (missing === 0) return parts
  }
  return null
}

/** True for a bucket that was bought or given beside what a plan includes. */
export function isExtra(bucket: string): boolean {
  return bucket.includes(':')
}

/** The names of everything that plans count. */
export function limitNames(plans: readonly Plan[]): readonly string[] {
  const known = namesOf.get(plans)
  if (known !== undefined) return known
  const names = new Set(
    plans.flatMap(({ limits = {}, prices }) => [
      ...Object.keys(limits),
      ...prices.flatMap(({ adds = {} }) => Object.keys(adds)),
    ]),
  )
  const made = [...names]
  namesOf.set(plans, made)
  return made
}

// By a site's list of plans, which is another list after each change.
const namesOf = new WeakMap<readonly Plan[], readonly string[]>()

function leftIn({ amount, used }: CountedBucket): number {
  return Math.max(0, amount - used)
}

/** True for the stored count of a bucket. */
export function isCountOf(usage: LimitUsage, name: string, { bucket, pool }: LimitBucket): boolean {
  return usage.name === name && usage.bucket === bucket && usage.pool === pool
}

function counted(name: string, bucket: LimitBucket, rows: LimitRows, now: string): CountedBucket {
  const row = rows.usage.find((usage) => isCountOf(usage, name, bucket))
  // A stored window that is over counts no more, unless the renewal that begins the next one is not paid.
  if (row === undefined || row.ends_at <= bucket.at) return { ...bucket, used: 0, until: bucket.ends_at }
  const held = rows.holds
    .filter((hold) => hold.name === name && hold.held_until <= now)
    .flatMap(({ parts }) => parts.filter(([part, , pool]) => part === bucket.bucket && pool === bucket.pool))
    .map(([, amount]) => amount)
  const until = row.ends_at < bucket.ends_at ? row.ends_at : bucket.ends_at
  return { ...bucket, used: Math.max(0, row.used - sum(held)), until }
}

/** The greatest amount among the open plans: one person has one allowance, whoever sells the plan. */
function includedOf(name: string, holdings: Holdings, rules: AccessRules, now: Date): readonly LimitBucket[] {
  let best: LimitBucket | null = null
  for (const plan of rules.plans) {
    const limit = plan.limits?.[name]
    if (limit === undefined) continue
    const decided = decidePlan(plan, holdings, rules, now)
    if (!decided.open) continue
    const decision = { ...decided, reason: backingOf(decided, plan, holdings, rules, now) }
    const amount = decision.reason === 'trial' ? (limit.trial ?? limit.amount) : limit.amount
    if (best !== null && best.amount >= amount) continue
    const { bucket, starts_at, ends_at, at } = windowOf(limit, decision, holdings, now)
    best = { bucket, starts_at, ends_at, at, amount, source: plan.id }
    if (limit.shared === true && plan.seats !== undefined)
      best = { ...best, ...poolOf(decision.by, holdings) }
  }
  return best === null ? [] : [best]
}

/** The reason of a decision; for a seat that of the subscription that pays for it, whose trial or arrears it shares. */
function backingOf(
  { reason, by }: Decision,
  plan: Plan,
  { seats = [] }: Holdings,
  rules: AccessRules,
  now: Date,
): Decision['reason'] {
  const seat = reason === 'seat' ? seats.find(({ id }) => id === by) : undefined
  if (seat === undefined) return reason
  const prices = pricesOpening(openersOfPlan(plan), seat.subscription, ...seat.payments)
  return openingOf(seat.subscription, seat.payments, rules, now, prices)?.reason ?? reason
}

/** Names the groups whose shared counts a member may take from. Pure. */
export function poolsOf(
  { subscriptions, seats = [] }: Pick<Holdings, 'subscriptions' | 'seats'>,
  plans: readonly Plan[],
): readonly string[] {
  const sharing = plans.filter(sharesLimits).map(openersOfPlan)
  const all = [...subscriptions, ...seats.map(({ subscription }) => subscription)]
  const shares = (s: Subscription) =>
    sharing.some((plan) => pricesOpening(plan, s).some((price) => s.hasPrice(price)))
  return [...new Set(all.filter(shares).map(poolName))]
}

/** True if the seats of this plan take from one count. */
export function sharesLimits({ seats, limits }: Plan): boolean {
  return seats !== undefined && Object.values(limits ?? {}).some((limit) => limit.shared)
}

/** The name under which the seats of one subscription count together. */
export function poolName({
  provider,
  account,
  id,
}: Pick<Subscription, 'provider' | 'account' | 'id'>): string {
  return `group:${JSON.stringify([provider, account, id])}`
}

function poolOf(by: string | null, holdings: Holdings): { pool?: string } {
  const s = subscriptionOf(by, holdings)
  return s === undefined ? {} : { pool: poolName(s) }
}

function windowOf(
  { every }: PlanLimit,
  { reason, by }: Decision,
  holdings: Holdings,
  now: Date,
): Omit<LimitBucket, 'amount' | 'source'> {
  const at = now.toISOString()
  if (every !== 'period') {
    const { starts_at, ends_at } = currentWindow(every, now, at)
    return { bucket: every, starts_at, ends_at, at }
  }
  const s = subscriptionOf(by, holdings)
  if (s === undefined) return { bucket: every, ...grantWindow(by, holdings), at }
  const starts_at = s.current_period_start ?? s.started_at ?? at
  const ends_at = s.current_period_end ?? never
  // A period that is not paid, or not known yet, begins no new count: what is left of the last one may be used.
  if (reason === 'past_due') return { bucket: every, starts_at, ends_at: starts_at, at: '' }
  if (ends_at <= at) return { bucket: every, starts_at, ends_at, at: '' }
  return { bucket: every, starts_at, ends_at, at }
}

function subscriptionOf(
  by: string | null,
  { subscriptions, seats = [] }: Holdings,
): Subscription | undefined {
  return subscriptions.find(({ id }) => id === by) ?? seats.find(({ id }) => id === by)?.subscription
}

function grantWindow(by: string | null, { grants }: Holdings): Pick<LimitBucket, 'starts_at' | 'ends_at'> {
  const grant = grants.find(({ id }) => id === by)
  return { starts_at: grant?.starts_at ?? beginning, ends_at: grant?.expires_at ?? never }
}

const beginning = '0000-01-01T00:00:00.000Z'

const windows = new Map<LimitWindow, Pick<LimitBucket, 'starts_at' | 'ends_at'>>()

/** The calendar window around a moment, computed once while it lasts. */
function currentWindow(every: Exclude<LimitWindow, 'period'>, now: Date, at: string) {
  const known = windows.get(every)
  if (known !== undefined && known.starts_at <= at && at < known.ends_at) return known
  const window = calendarWindow(every, now)
  windows.set(every, window)
  return window
}

/** The calendar window around a moment, UTC; weeks begin on Monday. Pure. */
export function calendarWindow(
  every: Exclude<LimitWindow, 'period'>,
  now: Date,
): Pick<LimitBucket, 'starts_at' | 'ends_at'> {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const from = (y: number, m: number, d: number) => new Date(Date.UTC(y, m, d)).toISOString()
  const between = (starts_at: string, ends_at: string) => ({ starts_at, ends_at })
  switch (every) {
    case 'day':
      return between(from(year, month, day), from(year, month, day + 1))
    case 'week': {
      const monday = day - ((now.getUTCDay() + 6) % 7)
      return between(from(year, month, monday), from(year, month, monday + 7))
    }
    case 'month':
      return between(from(year, month, 1), from(year, month + 1, 1))
    case 'year':
      return between(from(year, 0, 1), from(year + 1, 0, 1))
    case 'once':
      return between(beginning, never)
    default:
      throw new TypeError(`unhandled ${every satisfies never}`)
  }
}

/**
 * Lists the amounts that paid top-ups add, by the terms under which they were bought. A refund takes back the pieces whose
 * whole price is back, a refund in full and an open or lost dispute all of them.
 */
function topUpsOf(
  name: string,
  payments: readonly Payment[],
  { plans, unknownIsOneTime }: AccessRules,
): Omit<LimitBucket, 'at'>[] {
  // A site without top-ups today may have sold some.
  const adding = plans.flatMap(({ prices }) => prices).filter(({ adds }) => adds !== undefined)
  if (adding.length === 0 && payments.every((p) => soldIn(p) === undefined)) return []
  return payments
    .filter((p) => opensGate(p, unknownIsOneTime))
    .flatMap((p) => {
      const topUps = [...termsBought(p, adding)].flatMap(([id, { adds }]) => {
        const added = adds?.[name]
        return added === undefined ? [] : [{ id, added }]
      })
      const bought = sum(topUps.map(({ id, added }) => piecesOf(p, id) * added.amount))
      if (bought === 0) return []
      const kept = p.amount > 0 ? Math.ceil((bought * (p.amount - p.amount_refunded)) / p.amount) : bought
      const starts_at = p.paid_at ?? p.updated_at
      const days = topUps.map(({ added }) => added.days ?? Number.POSITIVE_INFINITY)
      return [
        {
          bucket: `topup:${p.provider}:${p.id}`,
          amount: kept,
          starts_at,
          ends_at: endAfter(starts_at, Math.max(...days)),
          source: 'top-up',
        },
      ]
    })
}

/** The limits to which a member's top-ups added when they were bought. Pure. */
export function boughtLimits({ payments }: Pick<Holdings, 'payments'>): readonly string[] {
  const added = payments.flatMap((p) =>
    [...(soldIn(p)?.values() ?? [])].flatMap(({ adds = {} }) => Object.keys(adds)),
  )
  return [...new Set(added)]
}

function piecesOf(p: Payment, id: string): number {
  const items = p.items.filter(({ price_id }) => price_id === id)
  if (items.length === 0) return p.price_id === id ? (p.quantity ?? 1) : 0
  return sum(items.map(({ quantity }) => quantity ?? 1))
}

function endAfter(starts_at: string, days: number): string {
  return Number.isFinite(days) ? new Date(Date.parse(starts_at) + days * 86_400_000).toISOString() : never
}

function creditsOf(name: string, credits: readonly LimitCredit[]): Omit<LimitBucket, 'at'>[] {
  return credits
    .filter((credit) => credit.name === name)
    .map(({ id, amount, created_at, expires_at }) => ({
      bucket: `credit:${id}`,
      amount,
      starts_at: created_at,
      ends_at: expires_at ?? never,
      source: 'credit',
    }))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, n) => all + n, 0)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
