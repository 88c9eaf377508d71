import type { PaymentData, SubscriptionData } from '../../core/dto/index.ts'
import { parseSold, type SoldNow, type SoldPrice, soldText } from '../../core/dto/sold.ts'
import { type Storage, step } from '../../core/storage/index.ts'
import { soldStatements } from './statements/sold-statements.ts'

/** The prices of a purchase, by which its terms are found. */
export const boughtPrices = ({
  price_id,
  items,
}: Pick<SubscriptionData, 'price_id'> & {
  readonly items: readonly Pick<SubscriptionData, 'price_id'>[]
}): readonly string[] => [
  ...(price_id === null ? [] : [price_id]),
  ...items.flatMap((item) => item.price_id ?? []),
]

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
  const sold = new Map(stored?.sold ? parseSold(stored.sold) : [])
  const before = stored?.prices ?? []
  for (const id of new Set([...before, ...prices])) {
    const price = sold.has(id) ? undefined : sellsNow(id)
    const isAssumed = isFound || before.includes(id)
    if (price !== undefined) sold.set(id, isAssumed ? { ...price, assumed: true } : price)
  }
  return soldText(sold.values())
}

/**
 * Stores the present terms, marked as assumed, with the purchases of before, which have none. Until then, and for what an
 * older process writes during a deploy, the present terms count without being stored. Several processes may do it at once.
 */
export const createSoldTerms = (deps: {
  storage: Storage
  sold: SoldNow
  /** The providers whose prices are known. */
  readProviders: () => readonly string[]
}) => {
  const { storage, sold, readProviders } = deps
  const tables = soldStatements(storage)

  return {
    /** Fills in every purchase without terms. */
    runDue: async (): Promise<void> => {
      for (const provider of readProviders())
        for (const { unsold, fill } of tables)
          for (;;) {
            const rows = await storage.all(unsold, { provider, limit: pageSize })
            if (rows.length === 0) break
            await storage.commit(
              rows.map(({ data, ...key }) => {
                const prices = boughtPrices(JSON.parse(data) as SubscriptionData | PaymentData)
                const terms = joinSold({ sold: null, prices }, [], (price) => sold(provider, price))
                return step(fill, { ...key, sold: terms })
              }),
            )
            if (rows.length < pageSize) break
          }
    },
  }
}

const pageSize = 200
