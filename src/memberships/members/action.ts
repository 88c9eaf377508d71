import { isReplaced } from '../../core/access/index.ts'
import {
  freeDays,
  groupOf,
  groupsHad,
  isEnded,
  type ManagedIn,
  type Price,
  type Subscription,
  sameOnce,
  type TrialPlan,
  type TrialsHad,
} from '../../core/dto/index.ts'
import type { User } from './user.ts'

/** A visitor's action on a price, with the form that performs it. The page adds the form's `token`. */
export type SubscriptionAction = OfferAction | OwnAction | NoAction

/** The address that the form posts to, and its fields. */
export interface ActionForm {
  readonly url: string
  readonly fields: Readonly<Record<string, string>>
}

export type OfferAction = ActionForm &
  (
    | {
        readonly action: 'subscribe'
        /**
         * Free days when this form starts a subscription, or null. A signed-out visitor sees the days of a new member,
         * because nobody knows whether they had a trial.
         */
        readonly trial_days: number | null
      }
    | { readonly action: 'buy' }
  )

/** An action on the member's own subscription. */
export interface OwnAction extends ActionForm {
  readonly action: 'change' | 'renew' | 'cancel'
  readonly subscription_id: string
}

/** No action is possible here, so there is no form. */
export interface NoAction {
  readonly action: 'none'
  readonly url: null
  readonly reason: 'bought' | 'not_sold' | 'elsewhere' | 'unchangeable' | 'scheduled'
  /** The subscription that prevents the action, if there is one. */
  readonly subscription_id?: string
}

/** The id of the subscription that an action concerns, or null. */
export function subscriptionIdOf(action: SubscriptionAction): string | null {
  return ('subscription_id' in action && action.subscription_id) || null
}

/** The free days that an action starts with, or null. */
export function trialDaysOf(action: SubscriptionAction): number | null {
  return action.action === 'subscribe' ? action.trial_days : null
}

/** The rules that decide which button a visitor gets for a plan. */
export interface ActionRules {
  readonly plans: readonly TrialPlan[]
  /** Plan groups whose trial the visitor already had, in addition to those that their own subscriptions show. */
  readonly had?: TrialsHad
  /** Actions that members may take here on this provider's subscriptions. */
  readonly can: (provider: string) => Abilities
  /** The provider that sells unless a form names another. */
  readonly handler: string | null
  /** The providers that accept new checkouts. */
  readonly sellers: readonly string[]
  /** The app store in which a member manages a subscription; null, the default, for one that can be changed here. */
  readonly managedIn?: (subscription: Subscription) => ManagedIn | null
  /** False for a price that is not offered now; unless given, all are. */
  readonly isOffered?: (provider: string, price: Price) => boolean
}

/** Actions that members may take from this site on one provider's subscriptions. */
export interface Abilities {
  readonly swap: boolean
  /** True if the cost of a swap can be shown beforehand. */
  readonly preview: boolean
  readonly cancel: boolean
  readonly pause: boolean
  readonly portal: boolean
}

/** Decides what a visitor can do about one price: buy it, change to it, keep it, or end it. Pure. */
export function subscriptionAction(
  user: User | null,
  provider: string,
  priceId: string,
  rules: ActionRules,
): SubscriptionAction {
  const offer = findOffer(provider, priceId, rules)
  const own = user?.subscriptions().filter(isLiving) ?? []
  const ownSubscription = own.find((s) => s.provider === provider && s.hasPrice(offer?.price.id ?? priceId))
  if (ownSubscription) return aboutMine(ownSubscription, rules)
  if (offer === null || offer.price.retired) return none('not_sold')
  const { plan, price } = offer
  if (rules.isOffered?.(provider, price) === false) return none('not_sold')
  if (price.type === 'one_time')
    return price.gives === undefined && sameOnce(price, rules.plans).some((id) => user?.hasPayment(id))
      ? none('bought')
      : sold({ action: 'buy', url: '/membership/payment', fields: { product: price.id } }, provider, rules)
  const rival = own.find((s) => groupPrices(plan, rules).some((id) => s.hasPrice(id)))
  if (!rival) {
    const url = `/membership/subscribe/${encodeURIComponent(plan.id)}`
    const trial_days = trialDays(user, plan, price, rules)
    return sold({ action: 'subscribe', url, fields: { price: price.id }, trial_days }, provider, rules)
  }
  if (rival.provider !== provider) return none('elsewhere', rival.id)
  if (!rules.can(provider).swap) return none('unchangeable', rival.id)
  if (rival.scheduled_change?.price_id === price.id) return none('scheduled', rival.id)
  if (isReplaced(price.id, { hasPrice: (id) => rival.hasPrice(id) }, rules.plans))
    return none('not_sold', rival.id)
  return ownAction('change', rival.id, { price: price.id })
}

/** Adds the provider's key to the form unless that provider is the usual seller. */
function sold(action: OfferAction, provider: string, { handler, sellers }: ActionRules): SubscriptionAction {
  if (!sellers.includes(provider)) return none('not_sold')
  return provider === handler ? action : { ...action, fields: { ...action.fields, provider } }
}

function trialDays(
  user: User | null,
  plan: TrialPlan,
  price: Price,
  { plans, had = new Set() }: ActionRules,
): number | null {
  const own = groupsHad(user?.subscriptions() ?? [], plans)
  return freeDays(plan, price, { has: (group) => own.has(group) || had.has(group) }) || null
}

function aboutMine(s: Subscription, rules: ActionRules): SubscriptionAction {
  if (rules.managedIn?.(s)) return none('elsewhere', s.id)
  if (isStopping(s) || s.past_due || s.status === 'unpaid') return ownAction('renew', s.id)
  // Choosing the current price again undoes a scheduled change.
  if (s.scheduled_change !== null && s.price_id !== null)
    return ownAction('change', s.id, { price: s.price_id })
  if (!rules.can(s.provider).cancel) return none('unchangeable', s.id)
  return ownAction('cancel', s.id)
}

/** True for a cancellation at a later date and for a pause. Resuming undoes both. */
export function isStopping(s: Subscription): boolean {
  return (
    s.cancel_at_period_end ||
    s.cancel_at !== null ||
    s.status === 'paused' ||
    s.paused_at !== null ||
    s.resumes_at !== null
  )
}

function findOffer(provider: string, priceId: string, rules: ActionRules) {
  for (const plan of rules.plans)
    for (const price of plan.prices)
      if (plan.provider === provider && (price.id === priceId || price.lookup_key === priceId))
        return { plan, price } as { plan: (typeof rules.plans)[number]; price: Price }
  return null
}

function groupPrices(plan: ActionRules['plans'][number], { plans }: ActionRules): string[] {
  return plans.filter((p) => groupOf(p) === groupOf(plan)).flatMap((p) => p.prices.map(({ id }) => id))
}

function isLiving(s: Subscription): boolean {
  return !isEnded(s) && s.status !== 'incomplete'
}

function ownAction(
  action: OwnAction['action'],
  subscription_id: string,
  fields: Record<string, string> = {},
): OwnAction {
  return {
    action,
    url: `/membership/${action}/${encodeURIComponent(subscription_id)}`,
    fields,
    subscription_id,
  }
}

function none(reason: NoAction['reason'], subscription_id?: string): NoAction {
  return {
    action: 'none',
    url: null,
    reason,
    ...(subscription_id !== undefined && { subscription_id }),
  }
}
