import {
  addCustomer,
  type Customer,
  deleteCustomer,
  expireCheckout,
  findCharge,
  refund,
} from '../engine/index.ts'
import { take } from './api-read.ts'
import { invalid, missing } from './errors.ts'
import type { Reader } from './params.ts'
import { type Call, type Route, route } from './routes.ts'
import { createSession, sessionLines } from './sessions.ts'

const customerParams = [
  'address',
  'balance',
  'description',
  'email',
  'invoice_settings',
  'metadata',
  'name',
  'phone',
  'preferred_locales',
  'shipping',
  'tax',
  'tax_exempt',
  'tax_id_data',
  'source',
  'payment_method',
]

const sessionParams = [
  'mode',
  'line_items',
  'customer',
  'customer_email',
  'customer_creation',
  'customer_update',
  'client_reference_id',
  'metadata',
  'subscription_data',
  'payment_intent_data',
  'discounts',
  'payment_method_collection',
  'allow_promotion_codes',
  'automatic_tax',
  'success_url',
  'cancel_url',
  'expires_at',
  'currency',
  'locale',
  'ui_mode',
  'return_url',
  'payment_method_types',
  'tax_id_collection',
  'billing_address_collection',
  'phone_number_collection',
  'consent_collection',
  'custom_text',
  'custom_fields',
  'submit_type',
  'invoice_creation',
  'after_expiration',
  'saved_payment_method_options',
  'managed_payments',
  'payment_method_options',
  'shipping_address_collection',
  'adaptive_pricing',
  'branding_settings',
]

/** Customers, checkout sessions and refunds. Only a buyer can pay. */
export const checkoutRoutes: Route[] = [
  route('POST /v1/customers', customerParams, ({ account, world, params }) => ({
    object: account.show(
      addCustomer(world, {
        ...readTexts(params),
        metadata: params.metadata('metadata'),
        own: readOwn(params),
      }),
    ),
  })),
  route('POST /v1/customers/:id', customerParams, (call) => ({
    object: call.account.show(updateCustomer(call)),
  })),
  route('DELETE /v1/customers/:id', [], (call) => {
    return { object: call.account.show(deleteCustomer(call.world, takeLiving(call))) }
  }),

  route('POST /v1/checkout/sessions', sessionParams, ({ account, world, params }) => ({
    object: account.show(createSession(world, params)),
  })),
  route('POST /v1/checkout/sessions/:id/expire', [], (call) => {
    const session = take(call, 'checkout')
    if (session.status !== 'open')
      throw invalid(
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
      )
    return { object: call.account.show(expireCheckout(call.world, session.id)) }
  }),
  route('GET /v1/checkout/sessions/:id/line_items', ['limit', 'starting_after', 'ending_before'], (call) => {
    const session = take(call, 'checkout')
    const data = sessionLines(call.world, session.id).map((line) => ({
      ...line,
      price: call.account.show(line.price),
    }))
    return {
      plain: { object: 'list', data, has_more: false, url: `/v1/checkout/sessions/${session.id}/line_items` },
    }
  }),

  route(
    'POST /v1/refunds',
    ['charge', 'payment_intent', 'amount', 'reason', 'metadata'],
    ({ account, world, params }) => {
      const [name, id] = readTarget(params)
      const charge = findCharge(world, id)
      if (charge === undefined) throw missing(name, id, name)
      return {
        object: account.show(
          refund(world, charge, {
            amount: params.int('amount'),
            reason: params.oneOf('reason', ['duplicate', 'fraudulent', 'requested_by_customer'] as const),
            metadata: params.metadata('metadata'),
          }),
        ),
      }
    },
  ),
]

function readTarget(params: Reader): [name: string, id: string] {
  const charge = params.text('charge')
  if (charge !== undefined) return ['charge', charge]
  const intent = params.text('payment_intent')
  if (intent === undefined)
    throw invalid(
      'One of the following params should be provided for this request: payment_intent or charge.',
    )
  return ['payment_intent', intent]
}

function readTexts(params: Reader) {
  return textsOf(params, ['email', 'name'])
}
function readOwn(params: Reader) {
  const address = textsOf(params.child('address'), [
    'city',
    'country',
    'line1',
    'line2',
    'postal_code',
    'state',
  ])
  return {
    ...textsOf(params, ['phone', 'description']),
    ...(Object.keys(address).length === 0 ? {} : { address }),
  }
}

function textsOf(params: Reader, names: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(
    names
      .filter((name) => params.raw(name) !== undefined)
      .map((name) => [name, params.isCleared(name) ? null : (params.text(name) ?? null)]),
  )
}

function takeLiving(call: Call): Customer {
  const customer = take(call, 'customer')
  if (customer.deleted) throw missing('customer', customer.id)
  return customer
}

function updateCustomer(call: Call): Customer {
  const { world, params } = call
  const before = takeLiving(call)
  const metadata = params.metadata('metadata', before.metadata)
  const method = params.child('invoice_settings').text('default_payment_method')
  if (method !== undefined && !world.store.find('method', method))
    throw missing('PaymentMethod', method, 'invoice_settings[default_payment_method]')
  const balance = params.int('balance')
  const patch = {
    ...readTexts(params),
    ...(metadata === undefined ? {} : { metadata }),
    ...(balance === undefined ? {} : { balance }),
    ...(method === undefined ? {} : { method }),
    own: { ...before.own, ...readOwn(params) },
  }
  const isSame = JSON.stringify({ ...before, ...patch }) === JSON.stringify(before)
  return isSame ? before : world.change('customer', before.id, patch, 'customer changed')
}
