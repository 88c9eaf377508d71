import { isEnded, type Plan, type Subscription } from '../../core/dto/index.ts'

/**
 * What becomes of one subscription. `checkout`: it ends with what is paid, and its member buys again at the other
 * provider. `ending`: that has begun. `unsure`: it ends, and perhaps the member wanted that. `moved`: the member bought
 * there. `gone`: it is over, and they have not. `back`: the member took the end back. `ends`: the member ends it anyway.
 * `due`: it has to be paid first. `paused`: nothing is charged. `unsold`: the other provider sells none of its plans.
 * `endless`: nobody knows until when it is paid. `nobody`: it belongs to nobody here.
 */
export type SwitchKind =
  | 'checkout'
  | 'ending'
  | 'unsure'
  | 'moved'
  | 'gone'
  | 'back'
  | 'ends'
  | 'due'
  | 'paused'
  | 'unsold'
  | 'endless'
  | 'nobody'

/** What is known of one subscription that may have to move. */
export interface Leaving {
  readonly subscription: Subscription
  readonly memberId: string | null
  /** What a switch began with it: `asked`, `ending`, `unsure`; null before, and after it was stopped. */
  readonly state: string | null
  /** The plans of the provider that is left, and of the one that is gone to. */
  readonly from: readonly Plan[]
  readonly to: readonly Plan[]
  /** Whether the member has one of its plans at the other provider. */
  readonly hasMoved: boolean
  readonly now: Date
}

/** Decides what becomes of one subscription, and until when it is paid. Pure. */
export const planLeaving = (
  leaving: Leaving,
): { readonly kind: SwitchKind; readonly until: string | null } => {
  const { subscription: s } = leaving
  const until = s.cancel_at ?? (s.on_trial ? s.trial_ends_at : null) ?? s.current_period_end
  return { kind: kindOf(leaving, until), until }
}

const kindOf = (
  { subscription: s, memberId, state, hasMoved, ...sold }: Leaving,
  until: string | null,
): SwitchKind => {
  const isEnding = s.cancel_at_period_end || s.cancel_at !== null
  if (isEnded(s)) return hasMoved ? 'moved' : 'gone'
  if (state === 'ending' || state === 'unsure') return isEnding ? state : 'back'
  if (isEnding) return 'ends'
  if (memberId === null) return 'nobody'
  if (s.status === 'past_due' || s.status === 'unpaid') return 'due'
  if (s.status === 'paused' || s.paused_at !== null) return 'paused'
  if (plansOf(s, sold.from).every((id) => !sells(sold.to, id))) return 'unsold'
  return until === null || until <= sold.now.toISOString() ? 'endless' : 'checkout'
}

/** The plans that a subscription opens. */
export const plansOf = (s: Subscription, plans: readonly Plan[]): string[] =>
  plans.filter(({ prices }) => prices.some(({ id }) => s.hasPrice(id))).map(({ id }) => id)

const sells = (plans: readonly Plan[], id: string): boolean =>
  plans.some(
    (plan) => plan.id === id && plan.prices.some(({ type, retired }) => type === 'recurring' && !retired),
  )
