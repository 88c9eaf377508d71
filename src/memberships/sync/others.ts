import type { StandingReason } from '../../core/access/index.ts'
import type { Change } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Place } from './compare-places.ts'

/** The subscriptions of one product that this site did not sell, or of which that is not known. */
export interface OtherProduct {
  readonly provider: string
  /** The provider's id of the product; null where the subscriptions name none. */
  readonly product: string | null
  /** The ids of their prices, sorted. */
  readonly prices: readonly string[]
  readonly subscriptions: number
  /** The id of the site of this package that sold them; null where none is named. */
  readonly site: string | null
  /**
   * `price_of_no_plan` where no plan names it, `other_site` where another site of this package sold it; another reason
   * while that is not known.
   */
  readonly reason: StandingReason
}

/** Collects, page by page, the subscriptions of a provider's account that this site did not sell. */
export const createOthers = (ledger: Pick<Ledger, 'judge' | 'shopOf'>) => {
  const found: OtherProduct[] = []
  return {
    note: async ({ key: provider, account }: Place, changes: readonly Change[]): Promise<void> => {
      if (ledger.shopOf(provider).accepts === 'everything') return
      for (const change of changes) {
        if (change.type !== 'subscription') continue
        const { standing, reason, site } = await ledger.judge(change, { provider, account })
        if (standing === 'accepted') continue
        const { items, price_id, product_id } = change.data
        const prices = [...items.map((item) => item.price_id), price_id].flatMap((id) => id ?? [])
        const product = product_id ?? items[0]?.product_id ?? null
        found.push({ provider, product, prices: [...new Set(prices)], subscriptions: 1, site, reason })
      }
    },
    list: (): readonly OtherProduct[] => joinOthers(found),
  }
}

/** Adds up the subscriptions of each product. */
export function joinOthers(found: readonly OtherProduct[]): readonly OtherProduct[] {
  const byProduct = new Map<string, OtherProduct>()
  for (const other of found) {
    const name = JSON.stringify([other.provider, other.product, other.reason, other.site])
    const known = byProduct.get(name)
    byProduct.set(name, {
      ...other,
      prices: [...new Set([...(known?.prices ?? []), ...other.prices])].sort(),
      subscriptions: (known?.subscriptions ?? 0) + other.subscriptions,
    })
  }
  return [...byProduct.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, other]) => other)
}
