import type { CataloguePrice } from '../contract.ts'
import { currency, int, interval, obj, str, whole } from '../narrow.ts'
import type { LemonSqueezyApi } from './api.ts'
import { idText } from './facts.ts'
import type { Price, Product, Resource, Store, Variant } from './payload.ts'

/**
 * Lists every variant with its current price. A variant has a price for each change, and buyers pay the
 * newest. All amounts are in the store's currency. https://docs.lemonsqueezy.com/api/prices
 */
export async function lemonSqueezyPrices(api: LemonSqueezyApi): Promise<CataloguePrice[]> {
  const read = async <T>(kind: string) => (await api.all<Resource<T>>(`the ${kind}`, `/v1/${kind}`)).all
  const [stores, products, variants, prices] = await Promise.all([
    read<Store>('stores'),
    read<Product>('products'),
    read<Variant>('variants'),
    read<Price>('prices'),
  ])
  const currencies = byId(stores)
  const goods = byId(products)
  const newest = newestOf(prices)
  return variants.flatMap((variant) => {
    const id = idText(variant.id)
    const raw = obj(variant.attributes)
    if (id === null) return []
    const product = goods.get(idText(raw.product_id)) ?? {}
    const store = currencies.get(idText(product.store_id)) ?? {}
    return [toPrice({ id, variant: raw, product, price: newest.get(id) ?? {}, store })]
  })
}

/** Returns the free days of a price, with thirty days a month; null without a trial. */
export function trialDaysOf(price: Price): number | null {
  const each = days[String(price.trial_interval_unit)]
  return each === undefined ? null : each * (int(price.trial_interval_quantity) ?? 1)
}

/**
 * Returns what starting a trial costs, in minor units: the price's setup fee, if any. Source:
 * https://docs.lemonsqueezy.com/api/prices/the-price-object
 */
export function trialAmountOf(price: Price): number | null {
  return price.setup_fee_enabled === true ? whole(price.setup_fee) : 0
}

const days: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 }

/** Returns the current price of each variant. */
export function newestOf(prices: readonly Resource<Price>[]): ReadonlyMap<string | null, Price> {
  return new Map(
    [...prices]
      .sort((a, b) => Number(a.id) - Number(b.id))
      .map(({ attributes }) => [idText(obj(attributes).variant_id), obj(attributes)]),
  )
}

function byId<T>(raws: readonly Resource<T>[]): ReadonlyMap<string | null, T> {
  return new Map(raws.map(({ id, attributes }) => [idText(id), obj(attributes)]))
}

function toPrice({
  id,
  variant,
  product,
  price,
  store,
}: {
  id: string
  variant: Variant
  product: Product
  price: Price
  store: Store
}): CataloguePrice {
  const each = interval(price.renewal_interval_unit)
  return {
    id,
    type: each === null ? 'one_time' : 'recurring',
    currency: currency(store.currency),
    amount: whole(price.unit_price),
    interval: each,
    interval_count: each === null ? null : (int(price.renewal_interval_quantity) ?? 1),
    trial_days: trialDaysOf(price),
    // A setting of the store: https://docs.lemonsqueezy.com/help/products/tax-inclusive-pricing
    tax: 'account',
    trial_amount: trialAmountOf(price),
    label: str(variant.name),
    lookup_key: null,
    product_id: idText(variant.product_id),
    product_name: str(product.name),
    // A product's only variant is `pending`, but sold.
    active: product.status !== 'draft' && variant.status !== 'draft',
  }
}
