import { day, hour } from '../../../merchant/index.ts'
import { discountOf, unitAmount } from './catalogue.ts'
import { invalid, missing } from './errors.ts'
import type { SessionNotes } from './notes.ts'
import type { Reader } from './params.ts'
import type { CheckoutSession, Price } from './types.ts'
import type { World } from './world.ts'

/** https://docs.stripe.com/api/checkout/sessions/create */
export const createSession = (world: World, params: Reader): CheckoutSession => {
  const now = world.clock.seconds()
  const mode = params.oneOf('mode', ['payment', 'subscription'] as const)
  if (mode === undefined) throw invalid('Missing required param: mode.', 'mode', 'parameter_missing')
  const lines = readLines(world, params, mode)
  const first = world.store.get('price', lines[0]?.price ?? null)
  const currency = params.text('currency')?.toLowerCase() ?? first.currency
  const customer = readCustomer(world, params)
  const { coupon, promotionCode } = readDiscount(world, params)
  const subtotal = lines.reduce(
    (sum, line) => sum + unitAmount(world.store.get('price', line.price), currency) * line.quantity,
    0,
  )
  const notes = readNotes(params, { lines, coupon, promotionCode, now })
  // What a trial costs at first.
  const amount_subtotal = notes.trialEnd(now) === null ? subtotal : 0
  const amount_discount = discountOf(world.store.find('coupon', coupon), amount_subtotal)
  const id = world.ids('cs_test', 58)
  world.notes.sessions.set(id, notes)
  return world.add<'checkout.session'>({
    id,
    object: 'checkout.session',
    allow_promotion_codes: params.bool('allow_promotion_codes') ?? null,
    amount_subtotal,
    amount_total: amount_subtotal - amount_discount,
    automatic_tax: readTax(params),
    billing_address_collection: null,
    cancel_url: params.text('cancel_url') ?? null,
    client_reference_id: params.text('client_reference_id') ?? null,
    client_secret: null,
    created: now,
    currency,
    custom_fields: [],
    customer: customer?.id ?? null,
    customer_creation:
      customer !== undefined || mode === 'subscription'
        ? null
        : (params.oneOf('customer_creation', ['always', 'if_required'] as const) ?? 'if_required'),
    customer_details: customer ? { email: customer.email, name: customer.name } : null,
    customer_email: params.text('customer_email') ?? null,
    discounts: coupon === null ? [] : [{ coupon, promotion_code: promotionCode }],
    expires_at: readExpiry(params, now),
    invoice: null,
    livemode: false,
    locale: params.text('locale') ?? null,
    metadata: params.metadata('metadata') ?? {},
    mode,
    payment_intent: null,
    payment_link: null,
    payment_method_collection:
      mode === 'payment'
        ? 'if_required'
        : (params.oneOf('payment_method_collection', ['always', 'if_required'] as const) ?? 'always'),
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    setup_intent: null,
    status: 'open',
    subscription: null,
    success_url: params.required('success_url'),
    total_details: { amount_discount, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted',
    url: `${world.settings.url}/c/pay/${id}`,
  })
}

const readLines = (world: World, params: Reader, mode: CheckoutSession['mode']): SessionNotes['lines'] => {
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
    return { id: world.ids('li'), price: id, quantity, kind: price.type }
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

const readCustomer = (world: World, params: Reader) => {
  const id = params.text('customer')
  if (id === undefined) return undefined
  if (params.text('customer_email') !== undefined)
    throw invalid('You may only specify one of these parameters: customer, customer_email.', 'customer')
  const customer = world.store.find('customer', id)
  if (customer === undefined || customer.deleted) throw missing('customer', id, 'customer')
  return customer
}

const readDiscount = (world: World, params: Reader) => {
  const [given] = params.children('discounts')
  if (given === undefined) return { coupon: null, promotionCode: null }
  if (params.bool('allow_promotion_codes') !== undefined)
    throw invalid(
      'You may only specify one of these parameters: allow_promotion_codes, discounts.',
      'discounts',
    )
  const code = given.text('promotion_code')
  const promotion = world.store.find('promotion_code', code ?? null)
  if (code !== undefined && !promotion) throw missing('promotion code', code, given.nameOf('promotion_code'))
  const coupon = promotion?.coupon ?? given.required('coupon')
  if (!world.store.find('coupon', coupon)) throw missing('coupon', coupon, given.nameOf('coupon'))
  return { coupon, promotionCode: promotion?.id ?? null }
}

const readTax = (params: Reader) => {
  const enabled = params.child('automatic_tax').bool('enabled') ?? false
  return { enabled, liability: enabled ? { type: 'self' } : null, status: enabled ? 'complete' : null }
}

const readExpiry = (params: Reader, now: number): number => {
  const at = params.int('expires_at') ?? now + day
  if (at < now + hour / 2 || at > now + day)
    throw invalid(
      'The `expires_at` timestamp must be at least 30 minutes and at most 24 hours from Checkout Session creation.',
      'expires_at',
    )
  return at
}

const readNotes = (
  params: Reader,
  given: Pick<SessionNotes, 'lines' | 'coupon' | 'promotionCode'> & { now: number },
): SessionNotes => {
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
  const end = data.int('trial_end')
  if (days !== undefined && (days < 1 || days > 730))
    throw invalid(
      'The minimum number of trial period days is 1, the maximum is 730.',
      data.nameOf('trial_period_days'),
    )
  if (end !== undefined && end < given.now + 2 * day)
    throw invalid('The `trial_end` date has to be at least 2 days in the future.', data.nameOf('trial_end'))
  const behavior = data.child('trial_settings').child('end_behavior')
  return {
    ...given,
    trialEnd: (start) => end ?? (days === undefined ? null : start + days * day),
    subscriptionMetadata: data.metadata('metadata') ?? {},
    intentMetadata: params.child('payment_intent_data').metadata('metadata') ?? {},
    missingPaymentMethod:
      behavior.oneOf('missing_payment_method', ['cancel', 'create_invoice', 'pause'] as const) ??
      'create_invoice',
  }
}

/** What a session sells. https://docs.stripe.com/api/checkout/sessions/line_items */
export const sessionLines = (world: World, session: CheckoutSession) =>
  (world.notes.sessions.get(session.id)?.lines ?? []).map((line) => {
    const price: Price = world.store.get('price', line.price)
    const amount = unitAmount(price, session.currency) * line.quantity
    return {
      id: line.id,
      object: 'item',
      amount_discount: 0,
      amount_subtotal: amount,
      amount_tax: 0,
      amount_total: amount,
      currency: session.currency,
      description: world.store.find('product', price.product)?.name ?? null,
      price,
      quantity: line.quantity,
    }
  })

/** Its page takes no payment from now on. */
export const expireSession = (world: World, session: CheckoutSession): CheckoutSession =>
  world.change('checkout.session', session.id, { status: 'expired', url: null }, 'checkout.session.expired')
