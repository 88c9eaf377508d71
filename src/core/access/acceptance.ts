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
  /** The ids of this site; absent where they do not count. Another id in the metadata is that of another site. */
  readonly sites?: ReadonlySet<string>
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
  /** The ids of the sites of this package at which it was bought. */
  readonly sites?: readonly string[]
  /** The judgement about the subscription, order or checkout that it belongs to. */
  readonly parent?: Judgement | null
  /** A payment's subscription of this site, where it also had items of another shop. */
  readonly shared?: SharedSubscription | null
}

/** A subscription of this site with several items. */
export interface SharedSubscription {
  /** The items that it had beside others, at any time. */
  readonly items: readonly BoughtItem[]
  /** The prices that this site sold with it, whatever the plans name today. */
  readonly sold: ReadonlySet<string>
}

/** The name of the metadata that holds the id of the site at which something was bought. */
export const siteKey = 'membership_site'

/** The length of a site's id. It is short, because some providers have room for an order's id alone. */
export const siteIdLength = 6

/** The length of a purchase's id that begins with its site's id. Those of earlier versions have 24 characters. */
export const intentLength = 25

/** Returns the id of the site that metadata names. */
export function sitesIn(metadata: Readonly<Record<string, string>> | undefined): readonly string[] {
  return metadata?.[siteKey] === undefined ? [] : [metadata[siteKey]]
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
  | 'other_site'
  | 'items_of_other_shop'
  | 'items_not_listed'
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
 * purchase stays accepted. Only a payment is given back whose items turn out to be another shop's. Pure.
 */
export function judge(bought: Bought, shop: Shop): Judgement {
  if (shop.accepts === 'everything') return accepted('accepts_everything')
  if (isOfOtherItems(bought, shop)) return foreign('items_of_other_shop')
  if (bought.wasAccepted) return accepted('accepted_before')
  if (bought.isOwnCheckout) return accepted('own_checkout')
  if (bought.isAssigned) return accepted('assigned')
  if (isBeside(bought, shop, true)) return unknown('items_not_listed')
  const { parent = null } = bought
  if (isOfOtherSite(bought, shop) && parent?.standing !== 'accepted') return foreign('other_site')
  const items = bought.items.map((item) => judgeItem(item, shop))
  const ours = items.filter(({ standing }) => standing === 'accepted')
  const named = ours.find(({ reason }) => reason === 'price_of_plan') ?? ours[0]
  if (named) return named
  if (parent?.standing === 'accepted') return accepted('belongs_to_accepted')
  if (parent?.standing === 'unknown') return unknown('belongs_to_unknown')
  if (parent?.standing === 'foreign') return foreign('belongs_to_foreign')
  const open = items.find(({ standing }) => standing === 'unknown')
  if (open || bought.isCut || items.length === 0) return open ?? unknown('no_price')
  return foreign('price_of_no_plan')
}

/**
 * True if another site of this package sold it on the same account. Plans may name the same prices there, so its id counts
 * before them.
 */
function isOfOtherSite({ sites = [], parent }: Bought, { sites: own }: Shop): boolean {
  if (own === undefined) return false
  if (sites.length === 0) return parent?.reason === 'other_site'
  return !sites.some((site) => own.has(site))
}

/** True if a payment is for items of another shop alone, in a subscription that also has items of this site. */
function isOfOtherItems(bought: Bought, shop: Shop): boolean {
  return (
    !bought.isOwnCheckout &&
    !bought.isAssigned &&
    isBeside(bought, shop, false) &&
    bought.items.every((item) => !mayBeOurs(item, shop))
  )
}

/**
 * True if a payment names items of a subscription of two shops, of which nothing is known to be sold here. With
 * `isUnread`, the catalogue may still say which of the items are this site's.
 */
function isBeside(bought: Bought, shop: Shop, isUnread: boolean): boolean {
  const { items, shared = null } = bought
  if (shared === null || !namesNoneOfOurs(bought, shop)) return false
  const isHeld = ({ price_id, product_id }: BoughtItem) =>
    shared.items.some((item) => (price_id ? item.price_id === price_id : item.product_id === product_id))
  const isSold = ({ price_id }: BoughtItem) => price_id != null && shared.sold.has(price_id)
  const isOurs = (item: BoughtItem) => isSold(item) || judgeItem(item, shop).standing === 'accepted'
  const hasOurs = shared.items.some((item) => isOurs(item) || (isUnread && mayBeOurs(item, shop)))
  return hasOurs && items.every((item) => isHeld(item) && !isSold(item))
}

/** True if an item may turn out to be this site's, by its look-up key or its product, once the catalogue is read. */
function mayBeOurs(item: BoughtItem, shop: Shop): boolean {
  return judgeItem(item, shop).standing !== 'foreign' || shop.listed.size === 0
}

/** True if a purchase names what it is for, and nothing of it is known to be sold here. */
export function namesNoneOfOurs({ items, isCut }: Pick<Bought, 'items' | 'isCut'>, shop: Shop): boolean {
  return !isCut && items.length > 0 && items.every((item) => judgeItem(item, shop).standing !== 'accepted')
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

function accepted(reason: StandingReason): Judgement {
  return { standing: 'accepted', reason }
}
function foreign(reason: StandingReason): Judgement {
  return { standing: 'foreign', reason }
}
function unknown(reason: StandingReason): Judgement {
  return { standing: 'unknown', reason }
}
