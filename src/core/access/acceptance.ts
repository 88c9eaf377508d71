import type { Price } from '../dto/plan.ts'

/** The offer of a site at one provider, by its configuration and the provider's catalogue. */
export interface Shop {
  /** `everything`: each purchase of the provider's account counts. `plans`: what the plans name counts. */
  readonly accepts: 'plans' | 'everything'
  /** The ids of prices that count: of the plans, retired and replaced ones included, and those named beside them. */
  readonly prices: ReadonlySet<string>
  /** The ids of products that count: those of these prices, and names that are a product's id. */
  readonly products: ReadonlySet<string>
  /** The provider's listed prices, with their product. */
  readonly listed: ReadonlyMap<string, string | null>
  /** The amount and rhythm of known prices. */
  readonly terms?: ReadonlyMap<string, PriceTerms>
  /** True while a configured name may turn out to be the look-up key of a price that is not listed yet. */
  readonly isOpen: boolean
}

/** The amount and rhythm of a price; null for what is unknown. */
export type PriceTerms = Pick<Price, 'amount' | 'currency' | 'interval' | 'interval_count'>

/** An item that was bought. */
export interface BoughtItem {
  readonly price_id?: string | null
  readonly product_id?: string | null
}

/** The known facts of a purchase. */
export interface Bought {
  /** Every price and product that it has, or ever had. */
  readonly items: readonly BoughtItem[]
  /** True if not all of its items are known. */
  readonly isCut?: boolean
  /** True if its checkout began here. */
  readonly isOwnCheckout?: boolean
  /** True if an operator imported it, or assigned it. */
  readonly isAssigned?: boolean
  /** True if it was accepted before. */
  readonly wasAccepted?: boolean
  /** The standing of the subscription, order or checkout that it belongs to. */
  readonly parent?: Standing | null
}

/** `accepted`: sold by this site. `foreign`: sold by another shop of the account. `unknown`: nothing says so yet. */
export type Standing = 'accepted' | 'foreign' | 'unknown'

/** Why a purchase stands as it does. */
export type StandingReason =
  | 'accepts_everything'
  | 'accepted_before'
  | 'own_checkout'
  | 'assigned'
  | 'price_of_plan'
  | 'product_of_plan'
  | 'belongs_to_accepted'
  | 'belongs_to_foreign'
  | 'belongs_to_unknown'
  | 'price_of_no_plan'
  | 'price_not_listed'
  | 'no_price'

export interface Judgement {
  readonly standing: Standing
  readonly reason: StandingReason
}

/** The shop of a site that takes in everything. */
export const everything: Shop = {
  accepts: 'everything',
  prices: new Set(),
  products: new Set(),
  listed: new Map(),
  isOpen: false,
}

/**
 * Decides whether a purchase is one of this site's. One account may sell for several shops, and only what this site
 * sells makes a member. More facts can turn `unknown` into either answer, and `foreign` into `accepted`; an accepted
 * purchase stays accepted. Pure.
 */
export function judge(bought: Bought, shop: Shop): Judgement {
  if (shop.accepts === 'everything') return accepted('accepts_everything')
  if (bought.wasAccepted) return accepted('accepted_before')
  if (bought.isOwnCheckout) return accepted('own_checkout')
  if (bought.isAssigned) return accepted('assigned')
  const items = bought.items.map((item) => judgeItem(item, shop))
  const ours = items.filter(({ standing }) => standing === 'accepted')
  const named = ours.find(({ reason }) => reason === 'price_of_plan') ?? ours[0]
  if (named) return named
  if (bought.parent === 'accepted') return accepted('belongs_to_accepted')
  if (bought.parent === 'unknown') return unknown('belongs_to_unknown')
  if (bought.parent === 'foreign') return foreign('belongs_to_foreign')
  const open = items.find(({ standing }) => standing === 'unknown')
  if (open || bought.isCut || items.length === 0) return open ?? unknown('no_price')
  return foreign('price_of_no_plan')
}

/** Decides about one item alone. Pure. */
export function judgeItem(item: BoughtItem, shop: Shop): Judgement {
  const { price_id: price = null } = item
  const product = item.product_id ?? (price === null ? null : (shop.listed.get(price) ?? null))
  if (shop.accepts === 'everything') return accepted('accepts_everything')
  if (price !== null && shop.prices.has(price)) return accepted('price_of_plan')
  if (product !== null && shop.products.has(product)) return accepted('product_of_plan')
  if (price === null) return unknown('no_price')
  return shop.isOpen && !shop.listed.has(price) ? unknown('price_not_listed') : foreign('price_of_no_plan')
}

const accepted = (reason: StandingReason): Judgement => ({ standing: 'accepted', reason })
const foreign = (reason: StandingReason): Judgement => ({ standing: 'foreign', reason })
const unknown = (reason: StandingReason): Judgement => ({ standing: 'unknown', reason })
