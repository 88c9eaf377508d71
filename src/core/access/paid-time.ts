import { addInterval } from '../dto/cost.ts'
import type { Payment } from '../dto/payment.ts'
import type { Plan } from '../dto/plan.ts'
import { hasPrice, isPaid, isPaused, opensGate, paymentHasPrice } from '../dto/rules.ts'
import type { Subscription } from '../dto/subscription.ts'
import { pricesOpening, soldAs } from './bought.ts'
import { paymentsOf } from './coverage.ts'
import { type Holdings, isGiving, openersOf } from './decide-gate.ts'
import { type AccessRules, restAfterEnd } from './opening.ts'

/** The time that a gate was paid or given. Trials, pauses and gaps are none. */
export interface PaidTime {
  readonly seconds: number
  /** The same in whole days. */
  readonly days: number
  /** True while more is added. */
  readonly is_running: boolean
}

/** A span of time, as moments in milliseconds; `to` may be infinite. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Facts of the past that paid time needs besides a member's current holdings. */
export interface HoldingHistory {
  /** By subscription, `provider:id`: its pauses, ISO 8601; an open one has no end. */
  readonly pauses: ReadonlyMap<string, readonly { readonly from: string; readonly to: string | null }[]>
  /** By grant: when it was given, for grants that began at once. */
  readonly granted: ReadonlyMap<string, string>
  /** By seat: when the member joined. */
  readonly joined: ReadonlyMap<string, string>
  /** Seats that ended, with the prices of what paid for them. */
  readonly pastSeats: readonly {
    readonly prices: readonly string[]
    /** The plans that they were sold as. */
    readonly plans?: readonly string[]
    readonly from: string
    readonly to: string
  }[]
}

export const noHistory: HoldingHistory = {
  pauses: new Map(),
  granted: new Map(),
  joined: new Map(),
  pastSeats: [],
}

/** Counts the time that a gate was paid or given, whoever sold or gave it; time that overlaps counts once. Pure. */
export function paidTime(
  gate: string,
  holdings: Holdings,
  history: HoldingHistory,
  rules: AccessRules,
  now: Date,
): PaidTime {
  const moment = now.getTime()
  const spans = union(spansOf(gate, holdings, history, rules, now)).filter(({ from }) => from < moment)
  const seconds = Math.floor(spans.reduce((sum, { from, to }) => sum + Math.min(to, moment) - from, 0) / 1000)
  return { seconds, days: Math.floor(seconds / 86_400), is_running: spans.some(({ to }) => to > moment) }
}

/**
 * When a gate opens that waits for paid time: null where nothing is paid now and nothing will be by itself. A trial
 * counts on from its end. Pure.
 */
export function opensAfter(
  paid: PaidTime,
  afterSeconds: number,
  { subscriptions }: Pick<Holdings, 'subscriptions'>,
  prices: readonly string[],
  now: Date,
): string | null {
  const missing = (afterSeconds - paid.seconds) * 1000
  if (paid.is_running) return new Date(now.getTime() + missing).toISOString()
  const trial = subscriptions.find((s) => s.on_trial && s.trial_ends_at !== null && has(s, prices))
  if (!trial || trial.cancel_at_period_end || trial.cancel_at !== null) return null
  return new Date(Math.max(now.getTime(), Date.parse(trial.trial_ends_at!)) + missing).toISOString()
}

function spansOf(
  gate: string,
  holdings: Holdings,
  history: HoldingHistory,
  rules: AccessRules,
  now: Date,
): readonly Span[] {
  const openers = openersOf(gate, rules.plans)
  const { subscriptions, payments, grants, seats = [] } = holdings
  const paidSeats = seats.flatMap((seat) => [seat.subscription, ...seat.payments])
  const prices = pricesOpening(openers, ...subscriptions, ...payments, ...paidSeats)
  return [
    ...subscriptions.flatMap((s) => ofSubscription(s, payments, prices, history, rules, now)),
    ...payments
      .filter((p) => opensGate(p, rules.unknownIsOneTime))
      .filter((p) => prices.some((price) => !isGiving(price, p, rules.plans) && paymentHasPrice(p, price)))
      .map((p) => ({ from: Date.parse(p.paid_at ?? p.updated_at), to: Number.POSITIVE_INFINITY })),
    ...seats.flatMap(({ id, subscription, payments: paid }) =>
      within(ofSubscription(subscription, paid, prices, history, rules, now), history.joined.get(id)),
    ),
    ...history.pastSeats
      .filter(
        (seat) =>
          seat.prices.some((price) => prices.includes(price)) ||
          seat.plans?.some((plan) => openers.plans.includes(plan)) === true,
      )
      .map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) })),
    ...grants
      .filter((g) => g.gate === gate || openers.plans.includes(g.gate) || prices.includes(g.gate))
      .flatMap((g) => {
        const from = g.starts_at ?? history.granted.get(g.id)
        const to = g.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(g.expires_at)
        return from === undefined ? [] : [{ from: Date.parse(from), to }]
      }),
  ]
}

/** The paid spans of a subscription: from each payment to the end of what it paid, without pauses and what came after its end. */
function ofSubscription(
  s: Subscription,
  payments: readonly Payment[],
  prices: readonly string[],
  { pauses }: HoldingHistory,
  rules: AccessRules,
  now: Date,
): readonly Span[] {
  const own = paymentsOf(s, payments)
  const known = own.length === 0 && has(s, prices) ? withoutPayments(s) : ofPayments(s, own, prices, rules)
  const over = s.ended_at ?? (s.status === 'canceled' ? s.canceled_at : null)
  // What stays open after the end counts, too.
  const end = over === null ? Number.POSITIVE_INFINITY : Date.parse(restAfterEnd(s, own, rules) ?? over)
  // A pause that stays open counts for as long as it is open.
  const openMs = (rules.openWhilePaused?.get(s.provider) ?? 0) * dayMs
  const paused = [...(pauses.get(`${s.provider}:${s.id}`) ?? []), ...pauseNow(s, now)]
    .map(({ from, to }) => ({
      from: Date.parse(from) + openMs,
      to: to === null ? Number.POSITIVE_INFINITY : Date.parse(to),
    }))
    .filter(({ from, to }) => from < to)
  return paused.reduce<readonly Span[]>(
    without,
    known.map(({ from, to }) => ({ from, to: Math.min(to, end) })).filter(({ from, to }) => from < to),
  )
}

function ofPayments(
  s: Subscription,
  own: readonly Payment[],
  prices: readonly string[],
  { plans, pastDueSeconds }: AccessRules,
): readonly Span[] {
  const trialEnd = s.trial_ends_at ?? ''
  const spans: Span[] = []
  const due = own
    .filter((p) => isPaid(p) || hasGoneBack(p))
    .filter((p) => p.amount > 0 || (p.paid_at ?? p.updated_at) >= trialEnd)
    .filter((p) => prices.some((price) => paymentHasPrice(p, price)) || (!namesPrice(p) && has(s, prices)))
    .sort((a, b) => momentOf(a) - momentOf(b))
  const anchor = s.trial_ends_at ?? s.started_at
  let before = Number.NaN
  for (const p of due) {
    const at = momentOf(p)
    // A renewal that was paid late pays the period from its beginning.
    const from = at > before && at - before <= pastDueSeconds * 1000 ? before : at
    const to = Date.parse(addInterval(new Date(from).toISOString(), rhythmOf(p, s, plans), anchor))
    if (isPaid(p)) spans.push({ from, to })
    before = isPaid(p) ? to : Number.NaN
  }
  const last = spans.at(-1)
  const [start, end] = [Date.parse(s.current_period_start ?? ''), Date.parse(s.current_period_end ?? '')]
  // The provider knows the end of the current period, which a pause may have moved. Money that went back paid none of it.
  const isOfPeriod =
    last !== undefined && isPaid(due.at(-1)!) && s.status === 'active' && has(s, prices) && start <= last.to
  return isOfPeriod && end > last.to ? [...spans.slice(0, -1), { from: last.from, to: end }] : spans
}

/** A subscription whose payments are unknown here, such as one that was imported, counts from its first paid day. */
function withoutPayments(s: Subscription): readonly Span[] {
  const from = s.trial_ends_at ?? s.started_at
  const to = s.current_period_end
  if (from === null || s.on_trial || s.status === 'incomplete' || s.status === 'expired') return []
  return [{ from: Date.parse(from), to: to === null ? Number.POSITIVE_INFINITY : Date.parse(to) }]
}

function rhythmOf(p: Payment, s: Subscription, plans: readonly Plan[]) {
  const price = plans
    .flatMap((plan) => plan.prices)
    .find(
      ({ id, provider, interval }) => interval !== null && provider === p.provider && paymentHasPrice(p, id),
    )
  const sold = p.price_id === null ? undefined : soldAs(p.price_id, p, s)
  const { interval, interval_count } = sold?.interval == null ? (price ?? s) : sold
  return { interval: interval ?? 'month', interval_count: interval_count ?? 1 } as const
}

function pauseNow(s: Subscription, now: Date): readonly { from: string; to: string | null }[] {
  return isPaused(s, now) ? [{ from: s.paused_at ?? s.updated_at, to: s.resumes_at }] : []
}

function has(s: Subscription, prices: readonly string[]): boolean {
  return prices.some((price) => hasPrice(s, price))
}

function namesPrice(p: Payment): boolean {
  return p.price_id !== null || p.items.some(({ price_id }) => price_id !== null)
}

function hasGoneBack({ status }: Payment): boolean {
  return status === 'refunded' || status === 'disputed'
}

function momentOf({ billed_at, paid_at, updated_at }: Payment): number {
  return Date.parse(billed_at ?? paid_at ?? updated_at)
}

function within(spans: readonly Span[], since: string | undefined): readonly Span[] {
  return spans
    .map(({ from, to }) => ({ from: since === undefined ? from : Math.max(from, Date.parse(since)), to }))
    .filter(({ from, to }) => from < to)
}

function without(spans: readonly Span[], hole: Span): readonly Span[] {
  return spans.flatMap(({ from, to }) =>
    [
      { from, to: Math.min(to, hole.from) },
      { from: Math.max(from, hole.to), to },
    ].filter((part) => part.from < part.to),
  )
}

function union(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = []
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last === undefined || span.from > last.to) all.push(span)
    else all[all.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
  }
  return all
}

const dayMs = 86_400_000
