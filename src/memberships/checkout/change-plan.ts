import type { ChangeConfig, PlanConfig } from '../../core/config/index.ts'
import {
  type Cost,
  groupOf,
  isDearer,
  isEnded,
  type Price,
  type Subscription,
  toCost,
} from '../../core/dto/index.ts'
import type { Proration } from '../../providers/contract.ts'
import type { User } from '../members/index.ts'
import { chooseOffer, rivalsOf } from './offers.ts'
import { checkQuantity } from './quantity.ts'
import { refused } from './target.ts'

/** The change that a form asks for. */
export interface Wanted {
  readonly plan: string | null
  readonly price: string | null
  /** null keeps it. */
  readonly quantity: number | null
  readonly proration: Proration | null
}

/** A change under the site's rules, none of which a form chooses. */
export type ChangePlan = {
  readonly priceId: string
  readonly quantity: number
  /** The cost of a whole period afterwards; null when that is not known. */
  readonly cost: Cost | null
} & (
  | { readonly does: 'nothing' }
  /** Takes back what was scheduled. */
  | { readonly does: 'keep' }
  | { readonly does: 'now'; readonly proration: Proration }
  | { readonly does: 'later'; readonly at: string }
)

/** Decides what a change comes to: dearer now, cheaper at the end of what is paid, unless the site says otherwise. Pure.
 *  @throws ERR_PLAN_UNKNOWN, ERR_FORM, ERR_ACTION_REFUSED */
export const planChange = (
  { user, subscription, wanted }: { user: User; subscription: Subscription; wanted: Wanted },
  { plans, change }: { plans: readonly PlanConfig[]; change: ChangeConfig },
): ChangePlan => {
  refuseState(subscription)
  const current = findPrice(plans, subscription.price_id)
  const keeps = wanted.plan === null && wanted.price === null
  const offer = keeps ? current : wantedOffer(plans, wanted, current)
  if (!offer) throw refused('The price of this membership is not known.')
  const [rival = null] = rivalsOf(user, offer.plan, plans)
  if (rival && rival.id !== subscription.id) throw refused('You have that membership already.')

  const held = subscription.quantity ?? 1
  const quantity = wanted.quantity ?? held
  const priceId = offer.price.id
  const isSame = subscription.hasPrice(priceId) && quantity === held
  const base = { priceId, quantity, cost: toCost(offer.price, quantity) }
  if (isSame) return { ...base, does: subscription.scheduled_change === null ? 'nothing' : 'keep' }
  checkQuantity(offer.plan, quantity)
  const next = subscription.scheduled_change
  if (next !== null && next.price_id === priceId && next.quantity === quantity)
    return { ...base, does: 'nothing' }

  if (momentOf({ subscription, current, target: offer, quantity }, change) === 'now') {
    const asked = wanted.proration !== null && change.proration.includes(wanted.proration)
    return { ...base, does: 'now', proration: asked ? wanted.proration! : 'now' }
  }
  if (subscription.cancel_at_period_end || subscription.cancel_at !== null)
    throw refused('This membership ends before that change.', 'Take the cancellation back first.')
  const at = subscription.current_period_end ?? subscription.trial_ends_at
  if (at === null) throw refused('It is not known until when this membership is paid.')
  return { ...base, does: 'later', at }
}

const refuseState = (s: Subscription): void => {
  if (isEnded(s)) throw refused('This membership has ended.', 'Buy it again from the prices.')
  if (s.past_due || s.status === 'unpaid' || s.status === 'incomplete')
    throw refused('A payment is open; it has to be paid first.', 'Pay it from your account.')
  if (s.status === 'paused' || s.paused_at !== null)
    throw refused('This membership is paused.', 'Let it go on first.')
}

type Offer = { plan: PlanConfig; price: Price }

// What is no longer sold can still be kept by who has it.
const wantedOffer = (plans: readonly PlanConfig[], wanted: Wanted, current: Offer | null): Offer => {
  const isOwn = current !== null && wanted.price === current.price.id
  return isOwn && (wanted.plan === null || wanted.plan === current.plan.id)
    ? current
    : chooseOffer(plans, { ...wanted, mode: 'subscription' })
}

const findPrice = (plans: readonly PlanConfig[], id: string | null): Offer | null => {
  for (const plan of plans) for (const price of plan.prices) if (price.id === id) return { plan, price }
  return null
}

interface Change {
  readonly subscription: Subscription
  readonly current: Offer | null
  readonly target: Offer
  readonly quantity: number
}

const momentOf = (change: Change, { upgrade, downgrade }: ChangeConfig): 'now' | 'period_end' => {
  // Nothing was paid yet. A trial of the other price is the site's to give; without one it begins when it is paid.
  if (change.subscription.on_trial) return keepsTrial(change) ? 'now' : 'period_end'
  const { from, to } = costsOf(change)
  // Of what is not known it is known that it opens only when it is paid.
  return from === null || to === null || isDearer(to, from) ? upgrade : downgrade
}

const dayMs = 86_400_000

// Within its own group: of another one they may have had the trial.
const keepsTrial = ({ subscription: s, current, target: { plan, price } }: Change): boolean => {
  if (plan.trial === 'never' || current === null || groupOf(plan) !== groupOf(current.plan)) return false
  if (s.trial_ends_at === null || s.started_at === null) return false
  const days = (Date.parse(s.trial_ends_at) - Date.parse(s.started_at)) / dayMs
  return (price.trial_days ?? 0) >= Math.floor(days)
}

const costsOf = ({ subscription: s, current, target, quantity }: Change) => {
  const to = toCost(target.price, quantity)
  const held = s.quantity ?? 1
  const paid = toCost({ ...s, amount: s.unit_amount }, held)
  if (to === null || paid === null || paid.currency === to.currency) return { from: paid, to }
  // A price may be sold in several currencies: then both are compared in the one that both are listed in.
  const listed = current ? toCost(current.price, held) : null
  if (listed?.currency === to.currency) return { from: listed, to }
  throw refused(
    `That is sold in ${to.currency}, and this membership is paid in ${paid.currency}: it is a new purchase.`,
    'Cancel this one, and buy the other when it has ended.',
  )
}
