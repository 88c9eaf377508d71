import type { Payment } from '../dto/payment.ts'
import type { Plan } from '../dto/plan.ts'
import { hasPrice, isPaid, opensGate, paymentHasPrice } from '../dto/rules.ts'
import type { Subscription } from '../dto/subscription.ts'
import { type Openers, pricesOpening, soldAs } from './bought.ts'
import { type Coverage, coverageOf, coveredAt, isMoneyBack, paymentsOf } from './coverage.ts'
import { type AccessRules, openingOf, type PeriodRules, termsOfRules } from './opening.ts'

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
  /** The same by their stored numbers, whatever was paid, for the former decision. Default: `seats`. */
  readonly storedSeats?: readonly Seat[]
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
  /**
   * The moment at which content that waits for paid time opens; null where nothing is paid now. Absent for
   * other content.
   */
  readonly opens_at?: string | null
}

/** A decision of a former version that still counts for some members during an upgrade: a gate is open if either opens it. */
export interface FormerRules {
  /** Returns null for a gate that it does not open. */
  readonly formerly?: ((gate: string, holdings: Holdings, now: Date) => Decision | null) | undefined
}

/**
 * Decides whether a member's holdings open a gate: a price id, a plan or a feature. Pure. The first reason that opens
 * it is returned.
 */
export function decideGate(
  gate: string,
  holdings: Holdings,
  rules: AccessRules & FormerRules,
  now: Date,
): Decision {
  return decideOpening(
    { gate, openers: openersOf(gate, rules.plans), plans: rules.plans },
    holdings,
    rules,
    now,
  )
}

/** Decides whether a member's holdings open one plan, without other plans of its name or with its features. Pure. */
export function decidePlan(
  plan: Plan,
  holdings: Holdings,
  rules: PeriodRules & FormerRules,
  now: Date,
): Decision {
  return decideOpening({ gate: plan.id, openers: openersOfPlan(plan), plans: [plan] }, holdings, rules, now)
}

interface Asking {
  readonly gate: string
  readonly openers: Openers
  /** The plans whose prices may open it. */
  readonly plans: readonly Plan[]
}

function decideOpening(
  { gate, openers, plans }: Asking,
  holdings: Holdings,
  rules: PeriodRules & FormerRules,
  now: Date,
): Decision {
  const { prices } = openers
  const opens = (
    [reason, by, until]: [Decision['reason'], string, string | null],
    [ground, payment]: readonly [Ground, string | null],
  ): Decision => ({ open: true, gate, reason, by, until, ground, payment })
  const backing = (
    s: Subscription,
    payments: readonly Payment[],
    { reason, own }: { reason: Decision['reason']; own: readonly string[] },
  ) => groundOf(reason, coverageOf(s, payments, termsOfRules(rules)), own, now)
  const pricesOfOne = (s: Subscription, payments: readonly Payment[]) =>
    pricesOpening(openers, s, ...paymentsOf(s, payments))

  for (const s of holdings.subscriptions) {
    const own = pricesOfOne(s, holdings.payments)
    const opening = openingOf(s, holdings.payments, rules, now, own)
    if (opening === null) continue
    const { reason, until } = opening
    return opens([reason, s.id, until], backing(s, holdings.payments, { reason, own }))
  }
  for (const p of holdings.payments) {
    const kept = pricesOpening(openers, p).filter((price) => !isGiving(price, p, plans))
    if (
      opensGate(p, rules.unknownIsOneTime)
        ? kept.some((price) => paymentHasPrice(p, price))
        : isBoughtBeside(p, kept, plans, holdings.subscriptions)
    )
      return opens(['payment', p.id, null], ['paid', p.id])
  }
  for (const { id, subscription, payments, open_until } of holdings.seats ?? []) {
    const own = pricesOfOne(subscription, payments)
    if (!own.some((price) => hasPrice(subscription, price))) continue
    const opening = openingOf(subscription, payments, rules, now, own)
    const paidBy = () =>
      ['derived', backing(subscription, payments, { reason: 'subscription', own })[1]] as const
    if (opening !== null) return opens(['seat', id, opening.until], paidBy())
    const asked = { prices: own, at: now.toISOString(), termsOf: termsOfRules(rules) }
    // The date alone backs nothing: the money for the seat must still be the site's.
    if (open_until !== null && asked.at < open_until && !isMoneyBack(subscription, payments, asked))
      return opens(['seat', id, open_until], paidBy())
  }
  for (const g of [...holdings.grants].sort(byLastEnd))
    if (
      (g.gate === gate || openers.plans.includes(g.gate) || prices.includes(g.gate)) &&
      isCurrentGrant(g, now) &&
      // It lets the former decision count, and opens nothing by itself.
      g.source !== 'upgrade' &&
      !isTakenBack(g, holdings.payments)
    )
      return opens(
        [g.source === 'gift' ? 'gift' : 'grant', g.id, g.expires_at],
        [g.source === 'gift' || g.source === 'paid' ? 'derived' : 'grant', null],
      )
  const former = rules.formerly?.(gate, holdings, now) ?? null
  if (former !== null) return former
  return { open: false, gate, reason: 'none', by: null, until: null, ground: null, payment: null }
}

// A gift's time that waits comes after the others. Of these the one that ends last decides, since it says until when.
function byLastEnd(a: Grant, b: Grant): number {
  return Number(a.waits ?? false) - Number(b.waits ?? false) || endOf(b) - endOf(a)
}

function endOf({ expires_at }: Grant): number {
  return expires_at === null ? Number.MAX_SAFE_INTEGER : Date.parse(expires_at)
}

function groundOf(
  reason: Decision['reason'],
  coverage: readonly Coverage[],
  prices: readonly string[],
  now: Date,
): readonly [Ground, string | null] {
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
function isBoughtBeside(
  p: Payment,
  prices: readonly string[],
  plans: readonly Plan[],
  subscriptions: readonly Subscription[],
): boolean {
  if (!isPaid(p) || p.subscription_id === null) return false
  const isOnce = (id: string) =>
    soldAs(id, p)?.type === 'one_time' ||
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

/** True if the newest payment that kept this access open during a change was refunded. Pure. */
export function isTakenBack(
  { source, gate }: { readonly source: string; readonly gate: string },
  payments: readonly Payment[],
): boolean {
  if (source !== 'paid') return false
  const paid = payments.filter((p) => p.subscription_id !== null && p.status !== 'pending')
  const subscriptions = new Set(
    paid.filter((p) => paymentHasPrice(p, gate)).map(({ subscription_id }) => subscription_id),
  )
  // Lemon Squeezy names no price for a renewal, so a renewal of the same subscription counts without one.
  const [newest] = paid
    .filter((p) => subscriptions.has(p.subscription_id) && (paymentHasPrice(p, gate) || !namesPrice(p)))
    .sort(byNewest)
  return newest?.status === 'refunded' || newest?.status === 'disputed'
}

function byNewest(a: Payment, b: Payment): number {
  return momentOf(a) < momentOf(b) ? 1 : -1
}

function momentOf({ paid_at, updated_at }: Payment): string {
  return paid_at ?? updated_at
}

function namesPrice(p: Payment): boolean {
  return p.price_id !== null || p.items.some(({ price_id }) => price_id !== null)
}

/**
 * Returns the prices that open a gate: those of the plan of that name and of every plan with the feature, retired ones
 * included. Without such a plan it is the gate itself, the prices with that look-up key, and the prices that a raise put
 * in their place.
 */
export function pricesOf(gate: string, plans: readonly Plan[]): readonly string[] {
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

/**
 * True for a one-time price that gave a plan for some months, or added to a limit, when it was bought. Its gift opens the
 * plan, not the payment. Pure.
 */
export function isGiving(id: string, p: Payment, plans: readonly Plan[]): boolean {
  const gives = (price: Pick<Plan['prices'][number], 'gives' | 'adds'>) =>
    price.gives !== undefined || price.adds !== undefined
  const sold = soldAs(id, p)
  if (sold !== undefined) return gives(sold)
  return plans.some(({ prices }) => prices.some((price) => price.id === id && gives(price)))
}

/** The prices and plans that open a gate. A plan that left the configuration still opens the gate of its name. */
export function openersOf(gate: string, plans: readonly Plan[]): Openers {
  const asked = openersAsked.get(plans) ?? new Map<string, Openers>()
  const known = asked.get(gate)
  if (known !== undefined) return known
  const openers = { prices: pricesOf(gate, plans), plans: [...new Set([gate, ...plansOpening(gate, plans)])] }
  // A gate's name may come from a visitor.
  if (asked.size >= mostAsked) asked.clear()
  openersAsked.set(plans, asked.set(gate, openers))
  return openers
}

// By a site's list of plans, which is another list after each change.
const openersAsked = new WeakMap<readonly Plan[], Map<string, Openers>>()
const mostAsked = 500

/** The prices that open one plan. */
export function openersOfPlan({ id, provider, prices }: Plan): Openers {
  return { prices: prices.map((price) => price.id), plans: [id], provider }
}

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

/** True for a grant that has begun and is not over. */
export function isCurrentGrant(g: Grant, now: Date): boolean {
  const moment = now.toISOString()
  return (g.starts_at === null || g.starts_at <= moment) && (g.expires_at === null || g.expires_at > moment)
}
