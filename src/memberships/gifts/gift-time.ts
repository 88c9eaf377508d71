import { type AccessRules, openersOf, openingOf, paymentsOf, pricesOpening } from '../../core/access/index.ts'
import {
  addInterval,
  endsAt,
  isEnded,
  isPaid,
  isPaused,
  type Payment,
  type Subscription,
} from '../../core/dto/index.ts'

/** A redeemed gift's stored time. */
export interface GiftTime {
  /** The id of its grant. */
  readonly id: string
  readonly plan: string
  readonly months: number
  readonly redeemed_at: string
  /** The rest of an interrupted time; null for all of it. */
  readonly left_seconds: number | null
  /** Its current run; null while it waits. */
  readonly run: { readonly starts_at: string; readonly expires_at: string } | null
}

/** The member's purchases, and the ends of their other gifts for the same plan. */
export interface Beside {
  readonly subscriptions: readonly Subscription[]
  readonly payments: readonly Payment[]
  readonly others: readonly OtherRun[]
  /** When the member's account was last merged with another, or separated from it; null where it never was. */
  readonly joinedAt: string | null
}

/** A run of another gift for the same plan. */
export interface OtherRun {
  readonly id: string
  readonly starts_at: string
  readonly expires_at: string
}

/** The next state of a gift's time. */
export type TimeStep =
  | { readonly kind: 'stays'; readonly nextAt: string | null }
  | { readonly kind: 'starts'; readonly starts_at: string; readonly expires_at: string }
  /** The plan was paid meanwhile, so the rest waits. */
  | { readonly kind: 'waits'; readonly left_seconds: number }

/**
 * Decides the next state of a gift's time. It runs only while no payment opens its plan, so that nobody is charged for
 * a given day. Pure.
 */
export function nextStep(time: GiftTime, beside: Beside, rules: AccessRules, now: Date): TimeStep {
  const moment = now.toISOString()
  if (time.run !== null) return afterStart(time.run, time, beside, rules, moment)
  const open = openFor(time.plan, beside, rules, now)
  if (open.length > 0) return { kind: 'stays', nextAt: nextCheck(open, moment) }
  const running = beside.others.filter(({ expires_at }) => expires_at > moment)
  if (running.length > 0)
    return { kind: 'stays', nextAt: running.map((other) => other.expires_at).sort()[0]! }
  const starts_at = startOf(time, beside, rules, moment)
  const expires_at = endOf(time, starts_at, beginOf(starts_at, beside.others))
  return { kind: 'starts', starts_at, expires_at }
}

/** The start of the gifts that lead to this moment without a gap. Their months count together. */
function beginOf(at: string, others: readonly OtherRun[]): string {
  const before = others.find(({ starts_at, expires_at }) => expires_at === at && starts_at < at)
  return before === undefined ? at : beginOf(before.starts_at, others)
}

/** Returns the end of a gift's time that begins at `from`. `anchor`: the start of the gifts before it. */
export function endOf(
  { months, left_seconds }: Pick<GiftTime, 'months' | 'left_seconds'>,
  from: string,
  anchor: string = from,
): string {
  return left_seconds === null
    ? addInterval(from, { interval: 'month', interval_count: months }, anchor)
    : new Date(Date.parse(from) + left_seconds * 1000).toISOString()
}

/** Lists the paid subscriptions that open a plan now. A paused one opens nothing. */
export function openFor(
  plan: string,
  { subscriptions, payments }: Pick<Beside, 'subscriptions' | 'payments'>,
  rules: AccessRules,
  now: Date,
): Subscription[] {
  const openers = openersOf(plan, rules.plans)
  return ofPlan(plan, subscriptions, rules).filter(
    (s) => !isPaused(s, now) && openingOf(s, payments, rules, now, pricesOpening(openers, s)) !== null,
  )
}

function afterStart(
  run: { readonly starts_at: string; readonly expires_at: string },
  { id, plan }: GiftTime,
  { subscriptions, payments, others, joinedAt }: Beside,
  rules: AccessRules,
  moment: string,
): TimeStep {
  const waits = (from: string): TimeStep => ({
    kind: 'waits',
    left_seconds: Math.round((Date.parse(run.expires_at) - Date.parse(from)) / 1000),
  })
  // Two gifts run at once only after a merge. The one that began later waits for the other.
  const isLater = (other: OtherRun) =>
    other.starts_at < run.starts_at || (other.starts_at === run.starts_at && other.id < id)
  if (run.expires_at > moment && others.some((other) => other.expires_at > moment && isLater(other)))
    return waits(joinedAt ?? moment)
  const own = ofPlan(plan, subscriptions, rules)
  const latest = new Date(Date.parse(run.expires_at) - leewayMs).toISOString()
  const [charged] = own
    .flatMap((s) => paymentsOf(s, payments))
    .filter((p) => isPaid(p) && p.amount > 0)
    .map((p) => p.paid_at ?? p.updated_at)
    .filter((at) => at >= run.starts_at && at < latest && at <= moment)
    .sort()
  // Another account's payment covers no day of this gift before the merge.
  if (charged !== undefined)
    return waits(joinedAt !== null && joinedAt > charged && joinedAt < latest ? joinedAt : charged)
  if (run.expires_at <= moment) return { kind: 'stays', nextAt: null }
  return { kind: 'stays', nextAt: sooner(run.expires_at, moment) }
}

/**
 * Returns the start: the end of the paid period or of the previous gift, but never before it was redeemed or in the
 * future.
 */
function startOf(
  time: GiftTime,
  { subscriptions, others, joinedAt }: Beside,
  rules: AccessRules,
  moment: string,
): string {
  const ends = ofPlan(time.plan, subscriptions, rules).map((s) => endOfPaid(s) ?? moment)
  return [time.redeemed_at, joinedAt, ...ends, ...others.map(({ expires_at }) => expires_at)]
    .filter((at): at is string => at !== null && at <= moment)
    .sort()
    .at(-1)!
}

/** When a subscription without access stopped; null where this is unknown. */
function endOfPaid(s: Subscription): string | null {
  if (isEnded(s)) return s.ended_at ?? endsAt(s) ?? s.updated_at
  return s.paused_at ?? endsAt(s)
}

function ofPlan(
  plan: string,
  subscriptions: readonly Subscription[],
  { plans }: Pick<AccessRules, 'plans'>,
): Subscription[] {
  const openers = openersOf(plan, plans)
  return subscriptions.filter((s) => pricesOpening(openers, s).some((price) => s.hasPrice(price)))
}

function nextCheck(open: readonly Subscription[], moment: string): string {
  return (
    open
      .flatMap((s) => [s.paused_at, endsAt(s), s.current_period_end])
      .filter((at): at is string => at !== null && at > moment)
      .map((at) => sooner(at, moment))
      .sort()[0] ?? sooner(null, moment)
  )
}

function sooner(at: string | null, moment: string): string {
  const tomorrow = new Date(Date.parse(moment) + dayMs).toISOString()
  return at !== null && at < tomorrow ? at : tomorrow
}

const dayMs = 86_400_000
// A provider may charge the next period some minutes early.
const leewayMs = 3_600_000
