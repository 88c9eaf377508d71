import { load } from './api-read.ts'
import { addCustomer, deleteCustomer } from './customers.ts'
import { invalid, missing } from './errors.ts'
import type { Reader } from './params.ts'
import { findPaidCharge, refundCharge } from './payments.ts'
import { type Call, type Route, route } from './routes.ts'
import { createSession, expireSession, sessionLines } from './sessions.ts'
import type { Customer } from './types.ts'

const customerParams = [
  ...['address', 'balance', 'description', 'email', 'invoice_settings', 'metadata', 'name', 'phone'],
  ...['preferred_locales', 'shipping', 'tax', 'tax_exempt', 'tax_id_data', 'source', 'payment_method'],
]

const sessionParams = [
  ...['mode', 'line_items', 'customer', 'customer_email', 'customer_creation', 'customer_update'],
  ...['client_reference_id', 'metadata', 'subscription_data', 'payment_intent_data', 'discounts'],
  ...['payment_method_collection', 'allow_promotion_codes', 'automatic_tax', 'success_url', 'cancel_url'],
  ...[
    'expires_at',
    'currency',
    'locale',
    'ui_mode',
    'return_url',
    'payment_method_types',
    'tax_id_collection',
  ],
  ...['billing_address_collection', 'phone_number_collection', 'consent_collection', 'custom_text'],
  ...['custom_fields', 'submit_type', 'invoice_creation', 'after_expiration', 'saved_payment_method_options'],
  ...['payment_method_options', 'shipping_address_collection', 'adaptive_pricing', 'branding_settings'],
]

/** Customers, checkout sessions and refunds. Paying is not among them: a buyer does that. */
export const checkoutRoutes: Route[] = [
  route('POST /v1/customers', customerParams, ({ world, params }) => ({
    object: addCustomer(world, { ...readTexts(params), metadata: params.metadata('metadata') }),
  })),
  route('POST /v1/customers/:id', customerParams, (call) => ({ object: updateCustomer(call) })),
  route('DELETE /v1/customers/:id', [], (call) => {
    const customer = loadLiving(call)
    deleteCustomer(call.world, customer)
    return { object: { ...customer, deleted: true } }
  }),

  route('POST /v1/checkout/sessions', sessionParams, ({ world, params }) => ({
    object: createSession(world, params),
  })),
  route('POST /v1/checkout/sessions/:id/expire', [], (call) => {
    const session = load(call, 'checkout.session')
    if (session.status !== 'open')
      throw invalid(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
      )
    return { object: expireSession(call.world, session) }
  }),
  route('GET /v1/checkout/sessions/:id/line_items', ['limit', 'starting_after', 'ending_before'], (call) => {
    const session = load(call, 'checkout.session')
    const data = sessionLines(call.world, session)
    return {
      plain: { object: 'list', data, has_more: false, url: `/v1/checkout/sessions/${session.id}/line_items` },
    }
  }),

  route(
    'POST /v1/refunds',
    ['charge', 'payment_intent', 'amount', 'reason', 'metadata'],
    ({ world, params }) => {
      const [name, id] = readTarget(params)
      const charge = findPaidCharge(world, id)
      if (charge === undefined) throw missing(name, id, name)
      return {
        object: refundCharge(world, charge, {
          amount: params.int('amount'),
          reason: params.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer'] as const),
          metadata: params.metadata('metadata'),
        }),
      }
    },
  ),
]

const readTarget = (params: Reader): [name: string, id: string] => {
  const charge = params.text('charge')
  if (charge !== undefined) return ['charge', charge]
  const intent = params.text('payment_intent')
  if (intent === undefined)
    throw invalid(
      'One of the following params should be provided for this request: payment_intent or charge.',
    )
  return ['payment_intent', intent]
}

const textFields = ['email', 'name', 'phone', 'description'] as const

const readTexts = (params: Reader): Partial<Record<(typeof textFields)[number], string | null>> =>
  Object.fromEntries(
    textFields
      .filter((name) => params.raw(name) !== undefined)
      .map((name) => [name, params.isCleared(name) ? null : (params.text(name) ?? null)]),
  )

const loadLiving = (call: Call): Customer => {
  const customer = load(call, 'customer')
  if (customer.deleted) throw missing('customer', customer.id)
  return customer
}

const updateCustomer = (call: Call): Customer => {
  const { world, params } = call
  const before = loadLiving(call)
  const metadata = params.metadata('metadata', before.metadata)
  const method = params.child('invoice_settings').text('default_payment_method')
  if (method !== undefined && !world.store.find('payment_method', method))
    throw missing('PaymentMethod', method, 'invoice_settings[default_payment_method]')
  const balance = params.int('balance')
  const patch = {
    ...readTexts(params),
    ...(metadata === undefined ? {} : { metadata }),
    ...(balance === undefined ? {} : { balance }),
    ...(method === undefined
      ? {}
      : { invoice_settings: { ...before.invoice_settings, default_payment_method: method } }),
  }
  const isSame = JSON.stringify({ ...before, ...patch }) === JSON.stringify(before)
  return isSame ? before : world.change('customer', before.id, patch, 'customer.updated')
}
