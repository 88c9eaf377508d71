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
  /** The prices among them that pages of this site ask for as gates, with their number of subscriptions. */
  readonly asked?: Readonly<Record<string, number>>
}

export interface Others {
  note(place: Place, changes: readonly Change[]): Promise<void>
  list(): readonly OtherProduct[]
}

/** Collects, page by page, the subscriptions of a provider's account that this site did not sell. */
export function createOthers(
  ledger: Pick<Ledger, 'judge' | 'shopOf'>,
  gatesAsked: () => Promise<readonly string[]>,
): Others {
  const found: OtherProduct[] = []
  let asked: ReadonlySet<string> | undefined
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
        const other = { provider, product, prices: [...new Set(prices)], subscriptions: 1, site, reason }
        asked ??= new Set(await gatesAsked())
        const named = other.prices.filter((price) => asked!.has(price))
        found.push(
          named.length === 0
            ? other
            : Object.assign(other, { asked: Object.fromEntries(named.map((price) => [price, 1])) }),
        )
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
      ...addedUp(known?.asked, other.asked),
    })
  }
  return [...byProduct.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, other]) => other)
}

function addedUp(a: OtherProduct['asked'] = {}, b: OtherProduct['asked'] = {}): Pick<OtherProduct, 'asked'> {
  const prices = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()
  if (prices.length === 0) return {}
  return { asked: Object.fromEntries(prices.map((price) => [price, (a[price] ?? 0) + (b[price] ?? 0)])) }
}
