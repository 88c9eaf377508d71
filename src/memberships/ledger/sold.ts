import { type PaymentData, type SubscriptionData, toMillisecond } from '../../core/dto/index.ts'
import { parseSold, type SoldNow, type SoldPrice, soldText } from '../../core/dto/sold.ts'
import { pagesOf, type Storage, step } from '../../core/storage/index.ts'
import { soldStatements } from './statements/sold-statements.ts'

/** The prices of a purchase, by which its terms are found. */
export function boughtPrices({
  price_id,
  items,
}: Pick<SubscriptionData, 'price_id'> & {
  readonly items: readonly Pick<SubscriptionData, 'price_id'>[]
}): readonly string[] {
  return [price_id, ...items.map((item) => item.price_id)].filter((id) => id !== null)
}

/**
 * Joins the terms to store with a purchase: stored ones stay, and a price that joins it later is sold under those of now.
 * A price that was bought before its terms were stored, or that was found later, gets those of now as assumed. Pure.
 */
export function joinSold(
  stored: { readonly sold: string | null; readonly prices: readonly string[] } | undefined,
  prices: readonly string[],
  sellsNow: (price: string) => SoldPrice | undefined,
  isFound = false,
): string {
  const sold = stored?.sold ? new Map(parseSold(stored.sold)) : new Map<string, SoldPrice>()
  const before = stored?.prices ?? []
  const add = (id: string, isAssumed: boolean): void => {
    const price = sold.has(id) ? undefined : sellsNow(id)
    if (price !== undefined) sold.set(id, isAssumed ? { ...price, assumed: true } : price)
  }
  for (const id of before) add(id, true)
  for (const id of prices) add(id, isFound)
  return sold.size === 0 ? '' : soldText(sold.values())
}

/** The moment of a snapshot and its prices. */
export interface SeenPrices {
  readonly at: string
  readonly prices: readonly string[]
}

/**
 * Dates the prices that a subscription has and had: the first moment of each, and the last one of those it no longer
 * has. What its payments paid for is read from it where they name no price. The order of snapshots does not matter. Pure.
 */
export function datedSold(text: string, seen: readonly SeenPrices[], present: readonly string[]): string {
  const dated = [...parseSold(text).values()].map((price) => {
    const { seen_from, seen_until, ...terms } = price
    const moments = seen.flatMap(({ at, prices }) => (prices.includes(price.id) ? [toMillisecond(at)] : []))
    const [first] = [...moments, ...(seen_from === undefined ? [] : [seen_from])].sort()
    const last = [...moments, ...(seen_until === undefined ? [] : [seen_until])].sort().at(-1)
    return {
      ...terms,
      ...(first === undefined ? {} : { seen_from: first }),
      ...(last === undefined || present.includes(price.id) ? {} : { seen_until: last }),
    }
  })
  return soldText(dated)
}

/**
 * Stores the present terms, marked as assumed, with the purchases of before, which have none. Until then, and for what an
 * older process writes during a deploy, the present terms count without being stored. Several processes may do it at once.
 */
export function createSoldTerms(deps: {
  storage: Storage
  sold: SoldNow
  /** The providers whose prices are known. */
  readProviders: () => readonly string[]
}) {
  const { storage, sold, readProviders } = deps
  const tables = soldStatements(storage)

  return {
    /** Fills in every purchase without terms. */
    runDue: async (): Promise<void> => {
      for (const provider of readProviders())
        for (const { unsold, fill } of tables)
          for await (const rows of pagesOf(pageSize, () =>
            storage.all(unsold, { provider, limit: pageSize }),
          )) {
            if (rows.length === 0) break
            await storage.commit(
              rows.map(({ data, ...key }) => {
                const purchase = JSON.parse(data) as SubscriptionData | PaymentData
                const prices = boughtPrices(purchase)
                const terms = joinSold({ sold: null, prices }, [], (price) => sold(provider, price))
                const seen = [{ at: purchase.updated_at, prices }]
                return step(fill, {
                  ...key,
                  sold: statesNoRhythm(purchase) ? datedSold(terms, seen, prices) : terms,
                })
              }),
            )
          }
    },
  }
}

const pageSize = 100

/** True for a subscription whose payments can only be read by the terms of its prices. */
export function statesNoRhythm(purchase: object): boolean {
  return 'interval' in purchase && purchase.interval === null
}
