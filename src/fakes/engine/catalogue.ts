import type { Code, Coupon, Discount, Metadata, Price, Product } from './objects.ts'
import type { Interval } from './periods.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** A product to create. */
export interface NewProduct {
  id?: string
  name?: string
  description?: string
  active?: boolean
  metadata?: Metadata
}
/** A price to create; missing fields get a harmless value. */
export interface NewPrice {
  id?: string
  /** A product that does not exist is created. */
  product?: string
  lookup_key?: string
  /** In minor units of the currency. */
  unit_amount: number
  currency: string
  recurring?: { interval: Interval; interval_count?: number }
  /** Free days, for providers whose prices have them. */
  trial_days?: number
  /** Price of the trial in minor units; free by default. */
  trial_amount?: number
  nickname?: string
  active?: boolean
  currency_options?: Record<string, { unit_amount: number }>
  metadata?: Metadata
}
/** A coupon to create, by percent or by amount. */
export interface NewCoupon {
  id?: string
  percent_off?: number
  amount_off?: number
  currency?: string
  duration?: 'once' | 'repeating' | 'forever'
  duration_in_months?: number
  /** A code that buyers can type. */
  code?: string
}

/** Creates a product and reports it; without a name it is called by its id. */
export function addProduct(world: World, given: NewProduct): Product {
  return world.add<'product'>(
    {
      kind: 'product',
      id: given.id ?? world.idFor('product'),
      created: world.clock.seconds(),
      name: given.name ?? given.id ?? 'Product',
      description: given.description ?? null,
      active: given.active ?? true,
      metadata: given.metadata ?? {},
    },
    'product added',
  )
}

/**
 * Creates a price, and its product if missing, and reports both.
 * @throws TypeError for an amount that is not a whole number from 0
 */
export function addPrice(world: World, given: NewPrice): Price {
  if (!Number.isSafeInteger(given.unit_amount) || given.unit_amount < 0)
    throw new TypeError('unit_amount must be a whole number of the smallest unit')
  const product =
    world.store.find('product', given.product ?? null) ??
    addProduct(world, { id: given.product, name: given.nickname ?? given.product ?? given.id })
  const others = Object.entries(given.currency_options ?? {})
  return world.add<'price'>(
    {
      kind: 'price',
      id: given.id ?? world.idFor('price'),
      created: world.clock.seconds(),
      product: product.id,
      nickname: given.nickname ?? null,
      lookup_key: given.lookup_key ?? null,
      active: given.active ?? true,
      amount: given.unit_amount,
      currency: given.currency.toLowerCase(),
      amounts: Object.fromEntries(others.map(([currency, item]) => [currency, item.unit_amount])),
      rhythm: given.recurring ? { interval_count: 1, ...given.recurring } : null,
      trial_days: given.trial_days ?? null,
      trial_amount: given.trial_amount ?? null,
      metadata: given.metadata ?? {},
    },
    'price added',
  )
}

/** Creates a coupon, with a code if one is given; it applies once unless `duration` says more. */
export function addCoupon(world: World, given: NewCoupon): Coupon {
  const created = world.clock.seconds()
  const coupon = world.add<'coupon'>(
    {
      kind: 'coupon',
      id: given.id ?? world.idFor('coupon'),
      created,
      percent_off: given.percent_off ?? null,
      amount_off: given.amount_off ?? null,
      currency: given.currency ?? null,
      duration: given.duration ?? 'once',
      months: given.duration_in_months ?? null,
    },
    'coupon added',
  )
  if (given.code === undefined) return coupon
  const code: Code = { kind: 'code', id: world.idFor('code'), created, code: given.code, coupon: coupon.id }
  world.add<'code'>(code, 'code added')
  return coupon
}

/** Returns the amount of one piece in that currency. @throws Refusal when the price lacks the currency */
export function unitAmount(price: Price, currency: string): number {
  const amount = price.currency === currency ? price.amount : price.amounts[currency]
  if (amount === undefined) throw new Refusal('currency', { only: price.currency, asked: currency })
  return amount
}

/** Returns the price of a trial per piece. @throws Refusal for a paid trial in another currency */
export function trialUnitAmount(price: Price, currency: string): number {
  if (!price.trial_amount) return 0
  if (price.currency !== currency) throw new Refusal('currency', { only: price.currency, asked: currency })
  return price.trial_amount
}

/** Returns the name of a price on lines: its product's name, else the product's id. */
export function productName(world: World, price: Price): string {
  return world.store.find('product', price.product)?.name ?? price.product
}

/** Computes a coupon's discount, which never exceeds the sum and never applies to a credit. */
export function discountOf(coupon: Coupon | undefined, sum: number): number {
  if (coupon === undefined || sum <= 0) return 0
  if (coupon.percent_off !== null) return Math.round((sum * coupon.percent_off) / 100)
  return Math.min(sum, coupon.amount_off ?? 0)
}

/** Adds tax to a sum, rounded to the minor unit; for a credit the tax is returned. */
export function withTax({ settings: { tax } }: World, sum: number): { tax: number; total: number } {
  if (tax === null) return { tax: 0, total: sum }
  const share = tax.included ? tax.percent / (100 + tax.percent) : tax.percent / 100
  const rounded = Math.sign(sum) * Math.round(Math.abs(sum) * share) || 0
  return { tax: rounded, total: tax.included ? sum : sum + rounded }
}

/** Returns the coupon that is valid at a moment; of several the first. */
export function activeDiscount(
  world: World,
  discounts: readonly string[],
  at: number,
): { discount: Discount; coupon: Coupon } | undefined {
  const found = discounts
    .map((id) => world.store.get('discount', id))
    .find(({ end }) => end === null || at < end)
  return found && { discount: found, coupon: world.store.get('coupon', found.coupon) }
}
