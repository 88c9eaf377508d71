import {
  type Checkout,
  day,
  hour,
  openCheckout,
  type Price,
  unitAmount,
  type WithoutMethod,
  type World,
} from '../engine/index.ts'
import { invalid, missing } from './errors.ts'
import type { Reader } from './params.ts'

/** https://docs.stripe.com/api/checkout/sessions/create */
export function createSession(world: World, params: Reader): Checkout {
  const now = world.clock.seconds()
  const mode = params.oneOf('mode', ['payment', 'subscription'] as const)
  if (mode === undefined) throw invalid('Missing required param: mode.', 'mode', 'parameter_missing')
  const lines = readLines(world, params, mode)
  const first = world.store.get('price', lines[0]?.price ?? null)
  const customer = readCustomer(world, params)
  const creates = params.oneOf('customer_creation', ['always', 'if_required'] as const) ?? 'if_required'
  const collects = params.oneOf('payment_method_collection', ['always', 'if_required'] as const) ?? 'always'
  return openCheckout(world, {
    mode,
    lines,
    currency: params.text('currency')?.toLowerCase() ?? first.currency,
    ...readDiscount(world, params),
    ...readSubscription(params, now),
    allows_codes: params.bool('allow_promotion_codes') ?? false,
    customer: customer?.id ?? null,
    email: params.text('customer_email') ?? null,
    allows_guests: creates !== 'always',
    needs_method: mode === 'subscription' && collects === 'always',
    metadata: params.metadata('metadata') ?? {},
    payment_metadata: params.child('payment_intent_data').metadata('metadata') ?? {},
    success_url: params.required('success_url'),
    cancel_url: params.text('cancel_url') ?? null,
    expires_at: readExpiry(params, now),
    own: {
      ...readManaged(params),
      automatic_tax: readTax(params),
      client_reference_id: params.text('client_reference_id') ?? null,
      customer_creation: customer !== undefined || mode === 'subscription' ? null : creates,
      locale: params.text('locale') ?? null,
    },
  })
}

// With Managed Payments Stripe determines the taxes:
// https://docs.stripe.com/payments/managed-payments/update-checkout
function readManaged(params: Reader): { managed_payments?: { enabled: boolean } } {
  const enabled = params.child('managed_payments').bool('enabled')
  if (enabled === undefined) return {}
  if (enabled && params.raw('automatic_tax') !== undefined)
    throw invalid('You cannot specify `automatic_tax` when `managed_payments` is enabled.', 'automatic_tax')
  return { managed_payments: { enabled } }
}

function readLines(world: World, params: Reader, mode: Checkout['mode']) {
  const lines = params.children('line_items').map((line) => {
    line.only('price', 'quantity', 'adjustable_quantity', 'dynamic_tax_rates', 'tax_rates', 'metadata')
    const id = line.required('price')
    const price = world.store.find('price', id)
    if (price === undefined) throw missing('price', id, line.nameOf('price'))
    if (!price.active)
      throw invalid(
        'The price specified is inactive. This field only accepts active prices.',
        line.nameOf('price'),
      )
    const quantity = line.int('quantity')
    if (quantity === undefined)
      throw invalid('Quantity is required. Add `quantity` to `line_items[0]`', line.nameOf('quantity'))
    if (quantity < 1)
      throw invalid(
        'This value must be greater than or equal to 1.',
        line.nameOf('quantity'),
        'parameter_invalid_integer',
      )
    return { price: id, quantity, kind: price.rhythm === null ? 'one_time' : 'recurring' }
  })
  if (lines.length === 0)
    throw invalid('Missing required param: line_items.', 'line_items', 'parameter_missing')
  if (mode === 'payment' && lines.some(({ kind }) => kind === 'recurring'))
    throw invalid(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      'mode',
    )
  if (mode === 'subscription' && !lines.some(({ kind }) => kind === 'recurring'))
    throw invalid(
      'You must provide at least one recurring price in `subscription` mode when using prices.',
      'mode',
    )
  if (mode === 'subscription' && lines.some(({ kind }) => kind === 'one_time'))
    throw invalid('This test double sells no one-time price together with a subscription.', 'line_items')
  return lines.map(({ kind: _, ...line }) => line)
}

function readCustomer(world: World, params: Reader) {
  const id = params.text('customer')
  if (id === undefined) return undefined
  if (params.text('customer_email') !== undefined)
    throw invalid('You may only specify one of these parameters: customer, customer_email.', 'customer')
  const customer = world.store.find('customer', id)
  if (customer === undefined || customer.deleted) throw missing('customer', id, 'customer')
  return customer
}

function readDiscount(world: World, params: Reader) {
  const [given] = params.children('discounts')
  if (given === undefined) return { coupon: null, code: null }
  if (params.bool('allow_promotion_codes') !== undefined)
    throw invalid(
      'You may only specify one of these parameters: allow_promotion_codes, discounts.',
      'discounts',
    )
  const code = given.text('promotion_code')
  const promotion = world.store.find('code', code ?? null)
  if (code !== undefined && !promotion) throw missing('promotion code', code, given.nameOf('promotion_code'))
  const coupon = promotion?.coupon ?? given.required('coupon')
  if (!world.store.find('coupon', coupon)) throw missing('coupon', coupon, given.nameOf('coupon'))
  return { coupon, code: promotion?.id ?? null }
}

function readTax(params: Reader) {
  const enabled = params.child('automatic_tax').bool('enabled') ?? false
  return {
    enabled,
    liability: enabled ? { type: 'self' } : null,
    provider: enabled ? 'stripe' : null,
    status: enabled ? 'complete' : null,
  }
}

function readExpiry(params: Reader, now: number): number {
  const at = params.int('expires_at') ?? now + day
  if (at < now + hour / 2 || at > now + day)
    throw invalid(
      'The `expires_at` timestamp must be at least 30 minutes and at most 24 hours from Checkout Session creation.',
      'expires_at',
    )
  return at
}

function readSubscription(
  params: Reader,
  now: number,
): Pick<Checkout, 'trial' | 'without_method' | 'subscription_metadata'> {
  const data = params.child('subscription_data')
  data.only(
    'trial_period_days',
    'trial_end',
    'trial_settings',
    'metadata',
    'description',
    'proration_behavior',
    'billing_mode',
  )
  const days = data.int('trial_period_days')
  const until = data.int('trial_end')
  if (days !== undefined && (days < 1 || days > 730))
    throw invalid(
      'The minimum number of trial period days is 1, the maximum is 730.',
      data.nameOf('trial_period_days'),
    )
  if (until !== undefined && until < now + 2 * day)
    throw invalid('The `trial_end` date has to be at least 2 days in the future.', data.nameOf('trial_end'))
  return {
    trial: until !== undefined ? { until } : days !== undefined ? { days } : null,
    without_method: readMissingMethod(data) ?? 'bill',
    subscription_metadata: data.metadata('metadata') ?? {},
  }
}

/** Reads `trial_settings[end_behavior][missing_payment_method]`. */
export function readMissingMethod(params: Reader): WithoutMethod | undefined {
  const behavior = params.child('trial_settings').child('end_behavior')
  const word = behavior.oneOf('missing_payment_method', ['cancel', 'create_invoice', 'pause'] as const)
  return word === 'create_invoice' ? 'bill' : word
}

/** Returns the lines of a session. https://docs.stripe.com/api/checkout/sessions/line_items */
export function sessionLines(world: World, id: string) {
  const { lines, currency } = world.store.get('checkout', id)
  return lines.map((line) => {
    const price: Price = world.store.get('price', line.price)
    const amount = unitAmount(price, currency) * line.quantity
    return {
      id: line.id,
      object: 'item',
      adjustable_quantity: null,
      amount_discount: 0,
      amount_subtotal: amount,
      amount_tax: 0,
      amount_total: amount,
      currency,
      description: world.store.find('product', price.product)?.name ?? null,
      metadata: {},
      price,
      quantity: line.quantity,
    }
  })
}
