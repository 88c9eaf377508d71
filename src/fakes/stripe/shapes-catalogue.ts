import type { Code, Coupon, Discount, Price, Product } from '../engine/index.ts'
import { blank, headOf } from './blank.ts'

/** https://docs.stripe.com/api/products/object */
export const toProduct = (one: Product) => ({
  ...headOf('product', one),
  ...blank('default_price', 'url'),
  active: one.active,
  description: one.description,
  images: [],
  metadata: one.metadata,
  name: one.name,
  type: 'service',
  updated: one.created,
})

/** https://docs.stripe.com/api/prices/object; `currency_options` is only shown when expanded. */
export const toPrice = (one: Price) => ({
  ...headOf('price', one),
  active: one.active,
  billing_scheme: 'per_unit',
  currency: one.currency,
  currency_options: Object.fromEntries(
    Object.entries(one.amounts).map(([currency, unit_amount]) => [currency, { unit_amount }]),
  ),
  lookup_key: one.lookup_key,
  metadata: one.metadata,
  nickname: one.nickname,
  product: one.product,
  recurring: one.rhythm && {
    ...one.rhythm,
    ...blank('meter', 'trial_period_days'),
    usage_type: 'licensed',
  },
  tax_behavior: 'unspecified',
  type: one.rhythm ? ('recurring' as const) : ('one_time' as const),
  unit_amount: one.amount,
  unit_amount_decimal: String(one.amount),
})

/** https://docs.stripe.com/api/coupons/object */
export const toCoupon = (one: Coupon) => ({
  ...headOf('coupon', one),
  ...blank('max_redemptions', 'name'),
  amount_off: one.amount_off,
  currency: one.currency,
  duration: one.duration,
  duration_in_months: one.months,
  metadata: {},
  percent_off: one.percent_off,
  times_redeemed: 0,
  valid: true,
})

/** https://docs.stripe.com/api/promotion_codes/object */
export const toPromotionCode = (one: Code) => ({
  ...headOf('promotion_code', one),
  ...blank('customer', 'expires_at', 'max_redemptions'),
  active: true,
  code: one.code,
  coupon: one.coupon,
  metadata: {},
  promotion: { coupon: one.coupon, type: 'coupon' },
  times_redeemed: 0,
})

/** https://docs.stripe.com/api/discounts/object */
export const toDiscount = (one: Discount) => ({
  ...blank('checkout_session', 'invoice', 'invoice_item', 'subscription_item'),
  id: one.id,
  object: 'discount' as const,
  coupon: one.coupon,
  customer: one.customer,
  end: one.end,
  promotion_code: one.code,
  source: { coupon: one.coupon, type: 'coupon' },
  start: one.created,
  subscription: one.subscription,
})
