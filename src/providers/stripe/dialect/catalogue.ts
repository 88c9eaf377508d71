import type { Interval } from '../../../merchant/index.ts'
import { invalid } from './errors.ts'
import type { Coupon, Discount, Metadata, Price, Product, PromotionCode } from './types.ts'
import type { World } from './world.ts'

export interface NewProduct {
  id?: string
  name?: string
  description?: string
  active?: boolean
  metadata?: Metadata
}
export interface NewPrice {
  id?: string
  /** A product that is not there yet is made. */
  product?: string
  lookup_key?: string
  /** In the smallest unit of the currency. */
  unit_amount: number
  currency: string
  recurring?: { interval: Interval; interval_count?: number }
  nickname?: string
  active?: boolean
  currency_options?: Record<string, { unit_amount: number }>
  metadata?: Metadata
}
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

/** Makes a product and tells of it; without a name it is called by its id. */
export const addProduct = (world: World, given: NewProduct): Product =>
  world.add<'product'>(
    {
      id: given.id ?? world.ids('prod', 14),
      object: 'product',
      active: given.active ?? true,
      created: world.clock.seconds(),
      default_price: null,
      description: given.description ?? null,
      images: [],
      livemode: false,
      metadata: given.metadata ?? {},
      name: given.name ?? given.id ?? 'Product',
      type: 'service',
      updated: world.clock.seconds(),
      url: null,
    },
    'product.created',
  )

/** Makes a price, its product too where that is missing, and tells of both.
 *  @throws TypeError for an amount that is no whole number from 0 */
export const addPrice = (world: World, given: NewPrice): Price => {
  if (!Number.isSafeInteger(given.unit_amount) || given.unit_amount < 0)
    throw new TypeError('unit_amount must be a whole number of the smallest unit')
  const product =
    world.store.find('product', given.product ?? null) ??
    addProduct(world, { id: given.product, name: given.nickname ?? given.product ?? given.id })
  const recurring = given.recurring && { interval_count: 1, ...given.recurring }
  return world.add<'price'>(
    {
      id: given.id ?? world.ids('price'),
      object: 'price',
      active: given.active ?? true,
      billing_scheme: 'per_unit',
      created: world.clock.seconds(),
      currency: given.currency.toLowerCase(),
      currency_options: { ...given.currency_options },
      livemode: false,
      lookup_key: given.lookup_key ?? null,
      metadata: given.metadata ?? {},
      nickname: given.nickname ?? null,
      product: product.id,
      recurring: recurring
        ? { ...recurring, meter: null, trial_period_days: null, usage_type: 'licensed' }
        : null,
      tax_behavior: 'unspecified',
      type: recurring ? 'recurring' : 'one_time',
      unit_amount: given.unit_amount,
      unit_amount_decimal: String(given.unit_amount),
    } as Price,
    'price.created',
  )
}

/** Makes a coupon, with a promotion code where one is given; it counts once unless `duration` says more. */
export const addCoupon = (world: World, given: NewCoupon): Coupon => {
  const coupon = world.add<'coupon'>(
    {
      id: given.id ?? world.ids('coupon', 8).slice('coupon_'.length),
      object: 'coupon',
      amount_off: given.amount_off ?? null,
      created: world.clock.seconds(),
      currency: given.currency ?? null,
      duration: given.duration ?? 'once',
      duration_in_months: given.duration_in_months ?? null,
      livemode: false,
      max_redemptions: null,
      metadata: {},
      name: null,
      percent_off: given.percent_off ?? null,
      times_redeemed: 0,
      valid: true,
    },
    'coupon.created',
  )
  if (given.code !== undefined) addPromotionCode(world, coupon, given.code)
  return coupon
}

const addPromotionCode = (world: World, coupon: Coupon, code: string): PromotionCode =>
  world.add<'promotion_code'>(
    {
      id: world.ids('promo'),
      object: 'promotion_code',
      active: true,
      code,
      coupon: coupon.id,
      created: world.clock.seconds(),
      customer: null,
      expires_at: null,
      livemode: false,
      max_redemptions: null,
      metadata: {},
      promotion: { coupon: coupon.id, type: 'coupon' },
      times_redeemed: 0,
    },
    'promotion_code.created',
  )

/** What one piece costs in that currency.
 *  @throws 400 where the price has no such currency. */
export const unitAmount = (price: Price, currency: string): number => {
  if (price.currency === currency) return price.unit_amount
  const option = price.currency_options[currency]
  if (option === undefined)
    throw invalid(
      `The price specified only supports \`${price.currency}\`. This doesn't match the expected currency: \`${currency}\`.`,
      'currency',
    )
  return option.unit_amount
}

/** What a coupon takes off a sum: never more than there is, never from a credit. */
export const discountOf = (coupon: Coupon | undefined, sum: number): number => {
  if (coupon === undefined || sum <= 0) return 0
  if (coupon.percent_off !== null) return Math.round((sum * coupon.percent_off) / 100)
  return Math.min(sum, coupon.amount_off ?? 0)
}

/** The coupon that still counts at a moment; of several the first. */
export const activeDiscount = (
  world: World,
  discounts: readonly string[],
  at: number,
): { discount: Discount; coupon: Coupon } | undefined => {
  for (const id of discounts) {
    const discount = world.store.get('discount', id)
    if (discount.end === null || at < discount.end)
      return { discount, coupon: world.store.get('coupon', discount.coupon) }
  }
  return undefined
}
