import type { Code, Coupon, Discount, Price, Product } from '../engine/index.ts'
import { blank, headOf } from './blank.ts'

/** https://docs.stripe.com/api/products/object */
export function toProduct(product: Product) {
  return {
    ...headOf('product', product),
    ...blank('default_price', 'package_dimensions', 'shippable', 'statement_descriptor', 'tax_code', 'url'),
    ...blank('tax_details', 'unit_label'),
    active: product.active,
    description: product.description,
    images: [],
    marketing_features: [],
    metadata: product.metadata,
    name: product.name,
    type: 'service',
    updated: product.created,
  }
}

/** https://docs.stripe.com/api/prices/object; `currency_options` is only shown when expanded. */
export function toPrice(price: Price) {
  return {
    ...headOf('price', price),
    active: price.active,
    billing_scheme: 'per_unit',
    currency: price.currency,
    ...blank('custom_unit_amount', 'tiers_mode', 'transform_quantity'),
    currency_options: Object.fromEntries(
      Object.entries(price.amounts).map(([currency, unit_amount]) => [currency, { unit_amount }]),
    ),
    lookup_key: price.lookup_key,
    metadata: price.metadata,
    nickname: price.nickname,
    product: price.product,
    recurring: price.rhythm && {
      ...price.rhythm,
      ...blank('meter', 'trial_period_days'),
      usage_type: 'licensed',
    },
    tax_behavior: 'unspecified',
    type: price.rhythm ? ('recurring' as const) : ('one_time' as const),
    unit_amount: price.amount,
    unit_amount_decimal: String(price.amount),
  }
}

/** https://docs.stripe.com/api/coupons/object */
export function toCoupon(coupon: Coupon) {
  return {
    ...headOf('coupon', coupon),
    ...blank('max_redemptions', 'name'),
    amount_off: coupon.amount_off,
    currency: coupon.currency,
    duration: coupon.duration,
    duration_in_months: coupon.months,
    metadata: {},
    percent_off: coupon.percent_off,
    times_redeemed: 0,
    valid: true,
  }
}

/** https://docs.stripe.com/api/promotion_codes/object */
export function toPromotionCode(code: Code) {
  return {
    ...headOf('promotion_code', code),
    ...blank('customer', 'expires_at', 'max_redemptions'),
    active: true,
    code: code.code,
    coupon: code.coupon,
    metadata: {},
    promotion: { coupon: code.coupon, type: 'coupon' },
    times_redeemed: 0,
  }
}

/** https://docs.stripe.com/api/discounts/object */
export function toDiscount(discount: Discount) {
  return {
    ...blank('checkout_session', 'invoice', 'invoice_item', 'subscription_item'),
    id: discount.id,
    object: 'discount' as const,
    coupon: discount.coupon,
    customer: discount.customer,
    end: discount.end,
    promotion_code: discount.code,
    source: { coupon: discount.coupon, type: 'coupon' },
    start: discount.created,
    subscription: discount.subscription,
  }
}
