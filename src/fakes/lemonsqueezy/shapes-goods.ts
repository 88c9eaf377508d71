import type { Json, Price, Product } from '../engine/index.ts'
import type { Account, Resource } from './account.ts'

/** The only store of the account. */
export const storeId = 1

/** Ids are numbers wherever another object is named. */
export const numberOf = (id: string): number | string => (/^\d+$/.test(id) ? Number(id) : id)

/** An object of its kind, with its moments. */
export const resource = (type: string, id: string, attributes: Json): Resource => ({
  type,
  id,
  attributes: { store_id: storeId, ...attributes, test_mode: true },
})

/** https://docs.lemonsqueezy.com/api/stores/the-store-object */
export const toStore = ({ world }: Account): Resource => ({
  type: 'stores',
  id: String(storeId),
  attributes: {
    name: 'The store',
    slug: 'the-store',
    currency: (world.store.list('price')[0]?.currency ?? 'usd').toUpperCase(),
  },
})

/** https://docs.lemonsqueezy.com/api/products/the-product-object */
export const toProduct = (account: Account, product: Product): Resource =>
  resource('products', product.id, {
    name: product.name,
    slug: product.id,
    description: product.description,
    status: product.active ? 'published' : 'draft',
    created_at: account.madeAt(product.id),
    updated_at: account.changedAt(product.id),
  })

/** A price, as it is sold. https://docs.lemonsqueezy.com/api/variants/the-variant-object */
export const toVariant = (account: Account, price: Price): Resource => {
  const { store_id: _, ...attributes } = resource('variants', price.id, {
    product_id: numberOf(price.product),
    name: price.nickname ?? 'Default',
    slug: price.id,
    description: '',
    sort: 1,
    status: price.active ? 'published' : 'draft',
    created_at: account.madeAt(price.id),
    updated_at: account.changedAt(price.id),
  }).attributes
  return { type: 'variants', id: price.id, attributes }
}

/** Id of a variant's price, which has a number of its own. */
export const priceIdOf = ({ id }: Price): number => 5_000_000 + Number(id)

/** https://docs.lemonsqueezy.com/api/prices/the-price-object */
export const toPrice = (account: Account, price: Price): Resource => ({
  type: 'prices',
  id: String(priceIdOf(price)),
  attributes: {
    variant_id: numberOf(price.id),
    category: price.rhythm === null ? 'one_time' : 'subscription',
    scheme: 'standard',
    usage_aggregation: null,
    unit_price: price.amount,
    unit_price_decimal: null,
    package_size: 1,
    tiers: null,
    renewal_interval_unit: price.rhythm?.interval ?? null,
    renewal_interval_quantity: price.rhythm?.interval_count ?? null,
    setup_fee_enabled: price.rhythm === null ? null : price.trial_amount !== null,
    setup_fee: price.trial_amount,
    trial_interval_unit: price.trial_days === null ? null : 'day',
    trial_interval_quantity: price.trial_days,
    created_at: account.madeAt(price.id),
    updated_at: account.changedAt(price.id),
  },
})
