import { taxOf } from '../../core/config/europe.ts'
import type { Config } from '../../core/config/index.ts'
import type { Seller } from '../../memberships/account/index.ts'
import type { Sale } from '../../memberships/mails/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'

/** The shop of this site, as its receipts name it. */
export function shopSeller({ shop }: Config, site: string): Seller {
  return {
    name: shop.name ?? site,
    address: shop.address,
  }
}

/** Finds the seller at a provider: the provider itself, or the site; null where that is not known. */
export function createSellerOf(providers: ReadonlyMap<string, ProviderReader>) {
  return (provider: string, site: Seller): Seller | null => {
    const other = providers.get(provider)?.seller
    if (other === undefined) return site
    // Payments do not record the seller from before the provider took over.
    return other.isAlways ? { name: other.name, address: [] } : null
  }
}

/** The seller and the tax that a receipt of a provider's payment names. */
export function createSaleAt({
  config,
  providers,
  site,
}: {
  config: Config
  providers: ReadonlyMap<string, ProviderReader>
  site: string
}) {
  return (provider: string): Sale => {
    const shop = shopSeller(config, site)
    const seller = createSellerOf(providers)(provider, shop)
    return { seller, tax: seller === shop ? taxOf(config.shop) : null }
  }
}
