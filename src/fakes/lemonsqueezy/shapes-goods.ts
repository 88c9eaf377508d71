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
export const toProduct = (account: Account, one: Product): Resource =>
  resource('products', one.id, {
    name: one.name,
    slug: one.id,
    description: one.description,
    status: one.active ? 'published' : 'draft',
    created_at: account.madeAt(one.id),
    updated_at: account.changedAt(one.id),
  })

/** What is sold. https://docs.lemonsqueezy.com/api/variants/the-variant-object */
export const toVariant = (account: Account, one: Price): Resource => {
  const { store_id: _, ...attributes } = resource('variants', one.id, {
    product_id: numberOf(one.product),
    name: one.nickname ?? 'Default',
    slug: one.id,
    description: '',
    sort: 1,
    status: one.active ? 'published' : 'draft',
    created_at: account.madeAt(one.id),
    updated_at: account.changedAt(one.id),
  }).attributes
  return { type: 'variants', id: one.id, attributes }
}

/** What a variant costs has a number of its own. */
export const priceIdOf = ({ id }: Price): number => 5_000_000 + Number(id)

/** https://docs.lemonsqueezy.com/api/prices/the-price-object */
export const toPrice = (account: Account, one: Price): Resource => ({
  type: 'prices',
  id: String(priceIdOf(one)),
  attributes: {
    variant_id: numberOf(one.id),
    category: one.rhythm === null ? 'one_time' : 'subscription',
    scheme: 'standard',
    usage_aggregation: null,
    unit_price: one.amount,
    unit_price_decimal: null,
    package_size: 1,
    tiers: null,
    renewal_interval_unit: one.rhythm?.interval ?? null,
    renewal_interval_quantity: one.rhythm?.interval_count ?? null,
    setup_fee_enabled: one.rhythm === null ? null : one.trial_amount !== null,
    setup_fee: one.trial_amount,
    trial_interval_unit: one.trial_days === null ? null : 'day',
    trial_interval_quantity: one.trial_days,
    created_at: account.madeAt(one.id),
    updated_at: account.changedAt(one.id),
  },
})
