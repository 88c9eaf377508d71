import type { PlanConfig } from '../../core/config/index.ts'
import { groupOf, isEnded, type Price, type Subscription, sameOnce } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { User } from '../members/index.ts'

/** What somebody wants, by plan, by price, or by both. */
export interface Wanted {
  readonly plan: string | null
  readonly price: string | null
  readonly mode: 'subscription' | 'payment'
}

/** A price as it is sold, with its plan. */
export interface Offer {
  readonly plan: PlanConfig
  readonly price: Price
}

/** The one offer that is meant. @throws ERR_PLAN_UNKNOWN with those that there are */
export const chooseOffer = (plans: readonly PlanConfig[], { plan, price, mode }: Wanted): Offer => {
  const type = mode === 'payment' ? 'one_time' : 'recurring'
  const offers = plans
    .flatMap((p) => p.prices.map((one) => ({ plan: p, price: one })))
    .filter((o) => !o.price.retired && o.price.type === type)
  const fitting = offers.filter(
    (o) => (plan === null || o.plan.id === plan) && (price === null || isPrice(o.price, price)),
  )
  if (fitting.length === 1) return fitting[0]!
  const names = offers.map((o) => o.price.id)
  throw new MembershipError(
    'ERR_PLAN_UNKNOWN',
    fitting.length > 1
      ? `The plan "${plan}" has several prices.`
      : `There is nothing to buy by the name of "${price ?? plan ?? ''}".`,
    { action: `Name one of: ${names.join(', ') || '(no prices are configured)'}.` },
  )
}

const isPrice = (price: Price, name: string): boolean => price.id === name || price.lookup_key === name

/** The living subscription that a member holds in the same group of plans, or null. */
export const rivalOf = (user: User, plan: PlanConfig, all: readonly PlanConfig[]): Subscription | null => {
  const rivals = pricesOfGroup(plan, all)
  return user.subscriptions().find((s) => isLiving(s) && rivals.some((id) => s.hasPrice(id))) ?? null
}

/** The prices of which a member holds one at a time: a group's, or what is paid once, whichever provider sells it. */
export const pricesBeside = ({ plan, price }: Offer, all: readonly PlanConfig[]): readonly string[] =>
  price.type === 'one_time' ? sameOnce(price, all) : pricesOfGroup(plan, all)

const pricesOfGroup = (plan: PlanConfig, all: readonly PlanConfig[]): string[] =>
  all.filter((p) => groupOf(p) === groupOf(plan)).flatMap((p) => p.prices.map((one) => one.id))

/** Still charges, or will again. */
export const isLiving = (s: Subscription): boolean => !isEnded(s) && s.status !== 'incomplete'

/** @throws ERR_CHECKOUT_REFUSED when the member has it already */
export const refuseSecond = (user: User, { plan, price }: Offer, all: readonly PlanConfig[]): void => {
  if (price.type === 'one_time') {
    if (sameOnce(price, all).some((id) => user.hasPayment(id)))
      throw new MembershipError('ERR_CHECKOUT_REFUSED', 'You have bought this already.', {
        action: 'See your account.',
      })
    return
  }
  const living = rivalOf(user, plan, all)
  if (living)
    throw new MembershipError('ERR_CHECKOUT_REFUSED', 'You have this membership already.', {
      action: 'Change or cancel it in your account.',
      extensions: { subscription_id: living.id, change_url: `/membership/change/${living.id}` },
    })
}
