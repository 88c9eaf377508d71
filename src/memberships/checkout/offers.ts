import { type Openers, pricesOpening } from '../../core/access/index.ts'
import {
  type Config,
  oneOnly,
  type PlanConfig,
  type QuantityRange,
  sellersOf,
} from '../../core/config/index.ts'
import { groupOf, isEnded, type Price, type Subscription, sameOnce } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { User } from '../members/index.ts'
import { offers } from '../subscriptions/index.ts'

/** A requested plan, price, or both. */
export interface Wanted {
  readonly plan: string | null
  readonly price: string | null
  readonly mode: 'subscription' | 'payment'
}

/** A price on sale, with its plan. */
export interface Offer {
  readonly plan: PlanConfig
  readonly price: Price
}

/** True for a price that each purchase adds to: the time of a gift, or the amount of a top-up. */
export function isBoughtAgain({ price }: Pick<Offer, 'price'>): boolean {
  return price.gives !== undefined || price.adds !== undefined
}

/** Finds the only matching offer; null where there is none or several. */
export function findOffer(plans: readonly PlanConfig[], wanted: Wanted): Offer | null {
  const [only, ...others] = fittingOffers(plans, wanted)
  return only !== undefined && others.length === 0 ? only : null
}

/**
 * Returns the only matching offer.
 * @throws ERR_PLAN_UNKNOWN with the available offers
 */
export function chooseOffer(plans: readonly PlanConfig[], wanted: Wanted): Offer {
  const { plan, price } = wanted
  const offers = offersOf(plans, wanted)
  const fitting = fittingOffers(plans, wanted)
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

/** Lists the prices on sale of the requested type, one-time or recurring. */
function offersOf(plans: readonly PlanConfig[], { mode }: Wanted): Offer[] {
  const type = mode === 'payment' ? 'one_time' : 'recurring'
  return plans
    .flatMap((plan) => plan.prices.map((price) => ({ plan, price })))
    .filter(({ price }) => !price.retired && price.type === type)
}

function fittingOffers(plans: readonly PlanConfig[], wanted: Wanted): Offer[] {
  return offersOf(plans, wanted).filter(
    ({ plan, price }) =>
      (wanted.plan === null || plan.id === wanted.plan) &&
      (wanted.price === null || isPrice(price, wanted.price)),
  )
}

function isPrice(price: Price, name: string): boolean {
  return price.id === name || price.lookup_key === name
}

/** Lists a member's living subscriptions in the plan's group. */
export function rivalsOf(user: User, plan: PlanConfig, all: readonly PlanConfig[]): Subscription[] {
  const group = openersOfGroup(plan, all)
  return user
    .subscriptions()
    .filter((s) => isLiving(s) && pricesOpening(group, s).some((id) => s.hasPrice(id)))
}

/** A member's subscriptions in the plan's group: those that run, and ended ones that still open a gate. */
export function heldBeside(
  user: User,
  plan: PlanConfig,
  all: readonly PlanConfig[],
): { readonly living: readonly Subscription[]; readonly open: readonly Subscription[] } {
  const group = openersOfGroup(plan, all)
  const isOpen = (s: Subscription) =>
    isEnded(s) && pricesOpening(group, s).some((id) => s.hasPrice(id) && user.hasGate(id as never))
  return { living: rivalsOf(user, plan, all), open: user.subscriptions().filter(isOpen) }
}

/**
 * Lists prices of which a member holds only one: those of the plan group, or the same one-time product at every
 * provider.
 */
export function pricesBeside({ plan, price }: Offer, all: readonly PlanConfig[]): readonly string[] {
  return price.type === 'one_time' ? sameOnce(price, all) : pricesOfGroup(plan, all)
}

// Who bought a plan of the group has it, also where its price left the configuration.
function openersOfGroup(plan: PlanConfig, all: readonly PlanConfig[]): Openers {
  return {
    prices: pricesOfGroup(plan, all),
    plans: all.filter((p) => groupOf(p) === groupOf(plan)).map(({ id }) => id),
  }
}

function pricesOfGroup(plan: PlanConfig, all: readonly PlanConfig[]): string[] {
  return all.filter((p) => groupOf(p) === groupOf(plan)).flatMap((p) => p.prices.map((price) => price.id))
}

/** True if the subscription still charges, or will again. */
export function isLiving(s: Subscription): boolean {
  return !isEnded(s) && s.status !== 'incomplete'
}

/** @throws ERR_CHECKOUT_REFUSED when the member has bought it already */
export function refuseSecondPayment(user: User, price: Price, all: readonly PlanConfig[]): void {
  if (sameOnce(price, all).some((id) => user.hasPayment(id)))
    throw new MembershipError('ERR_CHECKOUT_REFUSED', 'You have bought this already.', {
      action: 'See your account.',
    })
}

/** Refuses a second subscription of a plan group. */
export function secondSubscription(living: Subscription): MembershipError {
  return living.status === 'paused'
    ? new MembershipError('ERR_CHECKOUT_REFUSED', 'You have this membership already, and it is paused.', {
        action: 'Resume it in your account. If no card is stored there yet, store one first.',
        extensions: { subscription_id: living.id, resume_url: `/membership/resume/${living.id}` },
      })
    : new MembershipError('ERR_CHECKOUT_REFUSED', 'You have this membership already.', {
        action: 'Change or cancel it in your account.',
        extensions: { subscription_id: living.id, change_url: `/membership/change/${living.id}` },
      })
}

/** Refuses a dearer plan or a higher quantity while a provider switch gives the paid days free. */
export function notWhatWasPaid(until: string, quantity: number): MembershipError {
  return new MembershipError(
    'ERR_CHECKOUT_REFUSED',
    'Until what you have paid is used up, you can go on only with the same plan and quantity.',
    {
      action: `Buy the same plan with a quantity of at most ${quantity} now and change it in your account. Or wait until your paid period ends.`,
      extensions: { until },
    },
  )
}

/** Refuses a trial whose price no page can show. */
export function unknownTrialAmount({ id, provider }: Price): MembershipError {
  return new MembershipError(
    'ERR_CHECKOUT_REFUSED',
    `The price "${id}" has a trial, and ${provider} does not say here what it costs.`,
    {
      action: 'Choose another price, or tell the site: its trial must be free, or paid once when it begins.',
    },
  )
}

/** Refuses a new purchase while paid days remain that its provider cannot wait for. */
export function tooEarly(until: string): MembershipError {
  return new MembershipError('ERR_CHECKOUT_REFUSED', 'Your paid period is not over yet.', {
    action: 'Buy again when it has ended: nobody pays twice for the same days.',
    extensions: { until },
  })
}

/**
 * Reads a form's quantity; null when it has none. Only a whole number in decimal digits is valid, not `1e3`, `0x10`,
 * `2.5` or digits of other scripts.
 * @throws ERR_FORM
 */
export function readQuantity(given: unknown): number | null {
  if (given === undefined || given === null || given === '') return null
  const text = typeof given === 'number' ? String(given) : given
  if (typeof text === 'string' && /^[1-9][0-9]{0,8}$/.test(text)) return Number(text)
  throw new MembershipError('ERR_FORM', 'The quantity must be a whole number above 0, such as 2.')
}

/**
 * The quantities of a price. The range of a plan counts what a buyer holds, such as seats: a gift is bought one at a
 * time, and a top-up begins at one.
 */
export function quantitiesOf({ plan, price }: Pick<Offer, 'plan' | 'price'>): QuantityRange {
  if (price.gives !== undefined) return oneOnly
  return price.adds === undefined ? plan.quantity : { min: 1, max: plan.quantity.max }
}

/** @throws ERR_FORM for a quantity that the price is not sold in */
export function checkQuantity(offer: Pick<Offer, 'plan' | 'price'>, quantity: number): void {
  const { min, max } = quantitiesOf(offer)
  const { name } = offer.plan
  if (Number.isInteger(quantity) && quantity >= min && quantity <= max) return
  throw new MembershipError(
    'ERR_FORM',
    min === max
      ? `The quantity of ${name} is always ${min}.`
      : `The quantity of ${name} must be a whole number from ${min} to ${max}.`,
    { action: `Send a quantity that is allowed, or none for ${min}.` },
  )
}

/**
 * Chooses the seller: the provider that the form names, if the site allows it, else the one for new checkouts.
 * @throws ERR_FORM, ERR_PROVIDER_UNSUPPORTED
 */
export function sellerFor(
  wanted: string | null,
  { config, providers }: { config: Pick<Config, 'provider'>; providers: ReadonlyMap<string, ProviderReader> },
): { key: string; provider: ProviderReader } {
  const sellers = sellersOf(config)
  if (wanted !== null && !sellers.includes(wanted))
    throw new MembershipError('ERR_FORM', `Nothing is sold through "${wanted}" here.`, {
      action: `Send a provider that is: ${sellers.join(', ') || 'none is'}; or none, for the usual one.`,
    })
  const key = wanted ?? config.provider.handler
  const provider = key === null ? undefined : providers.get(key)
  if (key !== null && provider && offers(provider, 'checkout')) return { key, provider }
  throw new MembershipError('ERR_PROVIDER_UNSUPPORTED', `"${key ?? ''}" takes no new checkouts here.`, {
    action: 'Set membership.provider.handler to a provider with a checkout; most need their API key.',
  })
}
