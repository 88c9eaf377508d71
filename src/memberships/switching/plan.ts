import { isEnded, type Plan, type Price, type Subscription } from '../../core/dto/index.ts'

/**
 * The state of one subscription. `checkout`: it ends with the paid period, and its member buys again at the other
 * provider. `ending`: that has begun. `unsure`: it ends, perhaps by the member's own wish. `bought`: the member has
 * bought there, and this one expires. `moved`: it ended, and the member has bought. `gone`: it ended, and the member
 * has not. `back`: the member undid the end. `twice`: the member undid it and bought there, too. `ends`: the member
 * ends it anyway. `due`: it must be paid first. `paused`: nothing is charged. `unsold`: the other provider sells no
 * replacement. `endless`: the end of the paid period is unknown. `nobody`: it has no member here.
 */
export type SwitchKind =
  | 'checkout'
  | 'ending'
  | 'unsure'
  | 'bought'
  | 'moved'
  | 'gone'
  | 'back'
  | 'twice'
  | 'ends'
  | 'due'
  | 'paused'
  | 'unsold'
  | 'endless'
  | 'nobody'

/** The plans of both providers, and the price replacements that plan names do not show. */
export interface Sold {
  readonly from: readonly Plan[]
  readonly to: readonly Plan[]
  readonly prices: Readonly<Record<string, string>>
}

/** All known facts about one subscription that may have to move. */
export interface Leaving {
  readonly subscription: Subscription
  readonly memberId: string | null
  /** The state from a switch: `asked`, `ending` or `unsure`; null before it, and after it was stopped. */
  readonly state: string | null
  /** The plan that the member continues with. */
  readonly target: Target | null
  /** True if the member has the plan at the other provider. */
  readonly hasMoved: boolean
  readonly now: Date
}

/** A plan at the other provider, and its price if only one matches. */
export interface Target {
  readonly plan: string
  readonly price: string | null
}

/** Decides the state of one subscription, and when its paid period ends. Pure. */
export function planLeaving(leaving: Leaving): { readonly kind: SwitchKind; readonly until: string | null } {
  const until = leavesAt(leaving.subscription)
  return { kind: kindOf(leaving, until), until }
}

/** When a subscription ends if it is cancelled at the end of the paid period. */
export function leavesAt(s: Subscription): string | null {
  return s.cancel_at ?? (s.on_trial ? s.trial_ends_at : null) ?? s.current_period_end
}

function kindOf(
  { subscription: s, memberId, state, target, hasMoved, now }: Leaving,
  until: string | null,
): SwitchKind {
  const isEnding = s.cancel_at_period_end || s.cancel_at !== null
  if (isEnded(s)) return hasMoved ? 'moved' : 'gone'
  if (state === 'ending' || state === 'unsure') {
    if (hasMoved) return isEnding ? 'bought' : 'twice'
    return isEnding ? state : 'back'
  }
  if (isEnding) return 'ends'
  if (memberId === null) return 'nobody'
  if (s.status === 'past_due' || s.status === 'unpaid') return 'due'
  if (s.status === 'paused' || s.paused_at !== null) return 'paused'
  if (target === null) return 'unsold'
  return until === null || until <= now.toISOString() ? 'endless' : 'checkout'
}

/**
 * Chooses the replacement at the other provider. A price assigned to the current one comes first, then the plan of the
 * same name by the price of the same interval. Null where nothing replaces it. Pure.
 */
export function targetOf(s: Subscription, { from, to, prices }: Sold): Target | null {
  const named = pricesOf(s)
    .map((id) => prices[id])
    .find((id) => id !== undefined)
  if (named !== undefined) {
    const plan = to.find((item) => sold(item).some(({ id }) => id === named))
    return plan === undefined ? null : { plan: plan.id, price: named }
  }
  const names = plansOf(s, from)
  const plan = to.find((item) => names.includes(item.id) && sold(item).length > 0)
  if (plan === undefined) return null
  const alike = sold(plan).length === 1 ? sold(plan) : sold(plan).filter((price) => isAsOften(price, s))
  return { plan: plan.id, price: alike.length === 1 ? alike[0]!.id : null }
}

/** The plans that a subscription opens. */
export function plansOf(s: Subscription, plans: readonly Plan[]): string[] {
  return plans.filter(({ prices }) => prices.some(({ id }) => s.hasPrice(id))).map(({ id }) => id)
}

/** The prices by which a provider sells subscriptions. */
export function sold({ prices }: Plan): readonly Price[] {
  return prices.filter(({ type, retired }) => type === 'recurring' && !retired)
}

function pricesOf(s: Subscription): string[] {
  return [s.price_id, ...s.items.map((item) => item.price_id)].filter((id) => id !== null)
}

function isAsOften(price: Price, s: Subscription): boolean {
  return price.interval === s.interval && (price.interval_count ?? 1) === (s.interval_count ?? 1)
}
