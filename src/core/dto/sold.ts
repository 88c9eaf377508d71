import type { Plan, Price } from './plan.ts'

/**
 * A price as it was sold. The purchase keeps these terms, whatever the configuration says later. The amount, currency and
 * quantity that were paid stand in the payment itself.
 */
export interface SoldPrice
  extends Pick<Price, 'id' | 'plan' | 'type' | 'amount' | 'currency' | 'interval' | 'interval_count'>,
    Partial<Pick<Price, 'gives' | 'adds'>>,
    Partial<Pick<Plan, 'seats'>> {
  /** True if the purchase is older than the record of its terms: they are those of the configuration of a later day. */
  readonly assumed?: true
  /** The first moment at which a subscription was seen with it; only where its provider states no rhythm. */
  readonly seen_from?: string
  /** The last one, once the subscription has another price. */
  readonly seen_until?: string
}

/** The terms of a purchase's prices, by price. */
export type SoldPrices = ReadonlyMap<string, SoldPrice>

/** Finds the present terms of a provider's price; undefined for a price that the site does not sell. */
export type SoldNow = (provider: string, priceId: string) => SoldPrice | undefined

/** The terms that a plan's price is sold under. Pure. */
export function toSoldPrice(
  { seats }: Pick<Plan, 'seats'>,
  { id, plan, type, amount, currency, interval, interval_count, gives, adds }: Price,
): SoldPrice {
  return {
    id,
    plan,
    type,
    amount,
    currency,
    interval,
    interval_count,
    ...(gives !== undefined && { gives }),
    ...(adds !== undefined && { adds }),
    ...(seats !== undefined && { seats }),
  }
}

/** Reads the column of a purchase's terms: one JSON document in each line. */
export function parseSold(text: string): SoldPrices {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const sold = new Map<string, SoldPrice>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const price = JSON.parse(line) as SoldPrice
    sold.set(price.id, price)
  }
  if (parsed.size >= mostParsed) parsed.clear()
  parsed.set(text, sold)
  return sold
}

// Purchases of one price share their text.
const parsed = new Map<string, SoldPrices>()
const mostParsed = 500

/** Writes the column. The order of the prices is that of their ids, so that equal terms are equal texts. */
export function soldText(prices: Iterable<SoldPrice>): string {
  return [...prices]
    .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
    .map((price) => `${JSON.stringify(price)}\n`)
    .join('')
}

// The terms are the site's: they are no part of a purchase's JSON, and two purchases are equal without them.
const soldKey = Symbol('sold')
type WithSold = { readonly [soldKey]?: SoldPrices }

/** Adds the stored terms to a purchase; null for a row that has none yet. */
export function withSold<P extends object>(purchase: P, text: string | null | undefined): P {
  return text === null || text === undefined ? purchase : { ...purchase, [soldKey]: parseSold(text) }
}

/** Adds the terms of a purchase to what was made of it. */
export function withSoldOf<P extends object>(purchase: object, made: P): P {
  const sold = soldIn(purchase)
  return sold === undefined || soldIn(made) === sold ? made : { ...made, [soldKey]: sold }
}

/** Hides the terms of a purchase from comparisons and copies. Changes the object, which is not frozen yet. */
export function hideSold<P extends object>(purchase: P): P {
  const sold = soldIn(purchase)
  return sold === undefined
    ? purchase
    : Object.defineProperty(purchase, soldKey, { value: sold, enumerable: false })
}

/** The terms under which a purchase's prices were bought; undefined where none are stored. */
export function soldIn(purchase: object): SoldPrices | undefined {
  return (purchase as WithSold)[soldKey]
}
