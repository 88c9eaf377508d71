import { type Json, str } from '../../providers/narrow.ts'
import {
  addPrice,
  charge,
  expireCheckout,
  openCheckout,
  openPayment,
  refund,
  refusalOf,
  type World,
} from '../engine/index.ts'
import { chargeIn, findPaying, type Paying, payings } from './account.ts'
import { invalid, missing } from './errors.ts'
import { amountIn, checkWebhook, readParams, shownOf, textIn } from './params.ts'
import { type Route, toPage } from './routes.ts'
import { statusOf } from './shapes.ts'

const known = [
  'amount',
  'description',
  'redirectUrl',
  'cancelUrl',
  'webhookUrl',
  'metadata',
  'customerId',
  'sequenceType',
  'method',
  'locale',
  'mandateId',
  'billingEmail',
  'dueDate',
]
// https://docs.mollie.com/docs/payment-status: most pages are open for a quarter of an hour.
const openSeconds = 15 * 60

function create(world: World, params: Json): Paying {
  const { amount, currency } = amountIn(params)
  checkWebhook(params)
  textIn(params, 'description')
  const customer = str(params.customerId)
  if (customer !== null && world.store.find('customer', customer) === undefined)
    throw missing('customer', customer)
  if (params.sequenceType === 'recurring') return chargeNow(world, params, { amount, currency, customer })
  if (params.sequenceType === 'first' && customer === null)
    throw invalid('A customer is required', 'customerId')
  if (amount === 0 && params.sequenceType !== 'first')
    throw invalid('The amount is lower than the minimum', 'amount')
  textIn(params, 'redirectUrl')
  const price = addPrice(world, { unit_amount: amount, currency, product: 'anything' })
  return openCheckout(world, {
    mode: 'payment',
    lines: [{ price: price.id, quantity: 1 }],
    currency,
    coupon: null,
    code: null,
    allows_codes: false,
    customer,
    email: null,
    allows_guests: customer === null,
    needs_method: params.sequenceType === 'first',
    trial: null,
    without_method: 'cancel',
    metadata: {},
    subscription_metadata: {},
    payment_metadata: {},
    success_url: str(params.redirectUrl),
    cancel_url: str(params.cancelUrl),
    expires_at: world.clock.seconds() + openSeconds,
    own: { sequenceType: 'oneoff', ...shownOf(params) },
  })
}

/** Charges a card without its owner, if it may be charged. https://docs.mollie.com/docs/recurring-payments */
function chargeNow(
  world: World,
  params: Json,
  given: { amount: number; currency: string; customer: string | null },
): Paying {
  const method = newestMethod(world, given.customer)
  if (method === undefined) throw invalid('No suitable mandates found for customer')
  const opened = openPayment(world, given)
  world.store.put({ ...opened, own: { sequenceType: 'recurring', ...shownOf(params) } })
  const { number, id, email } = method
  const refusal = refusalOf(world, number, { customer: given.customer })
  charge(world, opened.id, { number, method: id, email, name: null, days: method.days }, refusal)
  return world.store.get('payment', opened.id)
}

/** Returns the newest mandate of a customer. */
export function newestMethod({ store }: World, customer: string | null) {
  return (
    store.find('method', store.find('customer', customer)?.method ?? null) ??
    store
      .list('method')
      .filter((method) => method.customer === customer)
      .at(-1)
  )
}

function get(world: World, id: string): Paying {
  const found = findPaying(world, id)
  if (found === undefined) throw missing('payment', id)
  return found
}

/** Payments, refunds and chargebacks. */
export const paymentRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/payments$/,
    run: ({ world, shapes, asked }) => shapes.payment(create(world, readParams(asked.body, known))),
  },
  {
    method: 'POST',
    path: /^\/customers\/(\w+)\/payments$/,
    run: ({ world, shapes, asked, ids: [customerId] }) =>
      shapes.payment(create(world, { ...readParams(asked.body, known), customerId })),
  },
  {
    method: 'GET',
    path: /^\/payments\/(\w+)$/,
    run: ({ world, shapes, query, ids: [id = ''] }) =>
      shapes.payment(get(world, id), (query.get('embed') ?? '').split(',').filter(Boolean)),
  },
  {
    method: 'DELETE',
    path: /^\/payments\/(\w+)$/,
    run: ({ world, shapes, ids: [id = ''] }) => {
      const found = get(world, id)
      if (found.kind !== 'checkout' || found.status !== 'open')
        throw invalid('The payment cannot be canceled')
      world.change('checkout', id, { own: { ...found.own, isCanceled: true } })
      return shapes.payment(expireCheckout(world, id))
    },
  },
  {
    method: 'GET',
    path: /^\/payments$/,
    run: (request) => toPage(request, 'payments', payings(request.world), request.shapes.payment),
  },
  {
    method: 'GET',
    path: /^\/customers\/(\w+)\/payments$/,
    run: (request) => {
      const own = payings(request.world).filter(({ customer }) => customer === request.ids[0])
      return toPage(request, 'payments', own, request.shapes.payment)
    },
  },
  {
    method: 'POST',
    path: /^\/payments\/(\w+)\/refunds$/,
    run: ({ world, shapes, asked, ids: [id = ''] }) => {
      const { amount } = amountIn(readParams(asked.body, ['amount', 'description', 'metadata']))
      const paying = get(world, id)
      const charged = chargeIn(world, paying)
      if (charged === undefined || statusOf(world, paying) !== 'paid')
        throw invalid('The payment is not paid')
      return shapes.refund(refund(world, charged, { amount }))
    },
  },
  {
    method: 'GET',
    path: /^\/refunds$/,
    run: (request) => toPage(request, 'refunds', request.world.store.list('refund'), request.shapes.refund),
  },
  {
    method: 'GET',
    path: /^\/chargebacks$/,
    run: (request) =>
      toPage(request, 'chargebacks', request.world.store.list('dispute'), request.shapes.chargeback),
  },
]
