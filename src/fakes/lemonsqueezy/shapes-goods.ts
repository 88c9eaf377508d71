import type { Json, Price, Product } from '../engine/index.ts'
import type { Account, Resource } from './account.ts'

/** The account's only store. */
export const storeId = 1

/** Returns a numeric id, as in references to other objects. */
export function numberOf(id: string): number | string {
  return /^\d+$/.test(id) ? Number(id) : id
}

/** Builds an object of its kind, with its moments. */
export function resource(type: string, id: string, attributes: Json): Resource {
  return linked({
    type,
    id,
    attributes: {
      store_id: storeId,
      ...attributes,
      ...(typeof attributes.status === 'string' ? { status_formatted: inWords(attributes.status) } : {}),
      test_mode: true,
    },
  })
}

/**
 * Objects that each kind links to: https://docs.lemonsqueezy.com/api and the relationships of each object.
 */
const relationships: Readonly<Record<string, string>> = {
  checkouts: 'store variant',
  customers: 'store orders subscriptions license-keys',
  orders: 'store customer order-items subscriptions license-keys discount-redemptions',
  prices: 'variant',
  products: 'store variants',
  stores: 'products orders subscriptions discounts license-keys webhooks',
  'subscription-invoices': 'store subscription customer',
  'subscription-items': 'subscription price usage-records',
  subscriptions: 'store customer order order-item product variant subscription-items subscription-invoices',
  variants: 'product files price-model',
  webhooks: 'store',
}

const api = 'https://api.lemonsqueezy.com/v1'

/** Builds an object with its own address and those of its related objects. */
export function linked({ type, id, attributes }: Pick<Resource, 'type' | 'id' | 'attributes'>): Resource {
  const self = `${api}/${type}/${id}`
  const names = relationships[type]?.split(' ') ?? []
  return {
    type,
    id,
    attributes,
    relationships: Object.fromEntries(
      names.map((name) => [
        name,
        { links: { related: `${self}/${name}`, self: `${self}/relationships/${name}` } },
      ]),
    ),
    links: { self },
  }
}

// Formats `partial_refund` as "Partial refund".
function inWords(status: string): string {
  return `${status.charAt(0).toUpperCase()}${status.slice(1).replaceAll('_', ' ')}`
}

/** Adds each amount as text and in US dollars, with an exchange rate of 1. */
export function inTexts(amounts: Readonly<Record<string, number>>, currency: string): Json {
  return Object.fromEntries(
    Object.entries(amounts).flatMap(([name, amount]) => [
      [name, amount],
      [`${name}_usd`, amount],
      [`${name}_formatted`, textOf(amount, currency)],
    ]),
  )
}

function textOf(amount: number, currency: string): string {
  return formatOf(currency).format(amount / 100)
}

/** A format takes far longer to make than to use, and a list has thousands of amounts. */
function formatOf(currency: string): Intl.NumberFormat {
  const format = formats.get(currency) ?? new Intl.NumberFormat('en-US', { style: 'currency', currency })
  formats.set(currency, format)
  return format
}

const formats = new Map<string, Intl.NumberFormat>()

/** https://docs.lemonsqueezy.com/api/stores/the-store-object */
export function toStore({ world, url }: Account): Resource {
  const opened = new Date(0).toISOString()
  return linked({
    type: 'stores',
    id: String(storeId),
    attributes: {
      name: 'The store',
      slug: 'the-store',
      domain: 'the-store.lemonsqueezy.com',
      url,
      avatar_url: `${url}/avatar.png`,
      plan: 'fresh',
      country: 'US',
      country_nicename: 'United States',
      currency: (world.store.list('price')[0]?.currency ?? 'usd').toUpperCase(),
      total_sales: 0,
      total_revenue: 0,
      thirty_day_sales: 0,
      thirty_day_revenue: 0,
      created_at: opened,
      updated_at: opened,
    },
  })
}

/** https://docs.lemonsqueezy.com/api/products/the-product-object */
export function toProduct(account: Account, product: Product): Resource {
  return resource('products', product.id, {
    name: product.name,
    slug: product.id,
    description: product.description ?? '',
    status: product.active ? 'published' : 'draft',
    thumb_url: `${account.url}/thumb/${product.id}.png`,
    large_thumb_url: `${account.url}/large/${product.id}.png`,
    buy_now_url: `${account.url}/buy/${product.id}`,
    ...pricesOf(account, product),
    pay_what_you_want: false,
    created_at: account.madeAt(product.id),
    updated_at: account.changedAt(product.id),
  })
}

/**
 * Returns the lowest and highest price of a product:
 * https://docs.lemonsqueezy.com/api/products/the-product-object
 */
function pricesOf({ world }: Account, { id }: Product): Json {
  const prices = world.store.list('price').filter(({ product }) => product === id)
  const amounts = prices.map(({ amount }) => amount)
  const [price = 0, currency = 'usd'] = [amounts[0], prices[0]?.currency]
  const [from, to] = amounts.length > 1 ? [Math.min(...amounts), Math.max(...amounts)] : [null, null]
  const shown = (amount: number | null): string | null => (amount === null ? null : textOf(amount, currency))
  return {
    price,
    price_formatted: shown(price),
    from_price: from,
    from_price_formatted: shown(from),
    to_price: to,
    to_price_formatted: shown(to),
  }
}

/** Shows a price as a variant. https://docs.lemonsqueezy.com/api/variants/the-variant-object */
export function toVariant(account: Account, price: Price): Resource {
  const { store_id: _, ...attributes } = resource('variants', price.id, {
    product_id: numberOf(price.product),
    name: price.nickname ?? 'Default',
    slug: price.id,
    description: '',
    ...licencesOf(),
    ...olderFieldsOf(price),
    links: [],
    sort: 1,
    status: price.active ? 'published' : 'draft',
    created_at: account.madeAt(price.id),
    updated_at: account.changedAt(price.id),
  }).attributes
  return linked({ type: 'variants', id: price.id, attributes })
}

function licencesOf(): Json {
  return {
    has_license_keys: false,
    license_activation_limit: 5,
    is_license_limit_unlimited: false,
    license_length_value: 1,
    license_length_unit: 'years',
    is_license_length_unlimited: false,
  }
}

/** Returns the terms of sale, which moved to the price but are still in the variant. */
function olderFieldsOf({ amount, rhythm, trial_days }: Price): Json {
  return {
    price: amount,
    is_subscription: rhythm !== null,
    interval: rhythm?.interval ?? null,
    interval_count: rhythm?.interval_count ?? null,
    has_free_trial: trial_days !== null,
    trial_interval: 'day',
    trial_interval_count: trial_days ?? 30,
    pay_what_you_want: false,
    min_price: 0,
    suggested_price: 0,
  }
}

/** Returns the id of a variant's price, which differs from the variant's. */
export function priceIdOf({ id }: Price): number {
  return 5_000_000 + Number(id)
}

/** https://docs.lemonsqueezy.com/api/prices/the-price-object */
export function toPrice(account: Account, price: Price): Resource {
  return linked({
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
      min_price: null,
      suggested_price: null,
      tax_code: 'eservice',
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
}
