import { toMinor } from '../../providers/decimals.ts'
import { type Json, list, obj, str, whole } from '../../providers/narrow.ts'
import { paypalDigits } from '../../providers/paypal/minor-units.ts'
import { type Buyer, openCheckout, type PaidCheckout, payCheckout, type World } from '../engine/index.ts'
import type { Account } from './account.ts'
import { route } from './api.ts'
import { ApiError, missing } from './errors.ts'
import { orderKey, toOrder } from './shapes-money.ts'
import { toSubscription } from './shapes-subscription.ts'

const daySeconds = 86_400

// Common fields of every page that PayPal opens.
const plain = {
  coupon: null,
  code: null,
  allows_codes: false,
  customer: null,
  email: null,
  allows_guests: false,
  without_method: 'bill' as const,
  metadata: {},
  subscription_metadata: {},
  success_url: null,
  cancel_url: null,
}

/** Routes of the pages on which buyers approve, and of completing the approved purchase. */
export const checkoutRoutes = [
  route('POST /v1/billing/subscriptions *', ({ account, body }) => {
    const { world } = account
    const price = world.store.find('price', str(body.plan_id))
    if (!price?.active) throw new ApiError(422, 'PLAN_STATUS_INVALID')
    const now = world.clock.seconds()
    const start = Date.parse(str(body.start_time) ?? '') / 1000
    const free = price.trial_days === null ? null : now + price.trial_days * daySeconds
    const until = start > now ? start : free
    const id = account.newId('subscription')
    account.note(id, {
      ...customId(body),
      ...(start > now ? { start_time: start } : {}),
      subscriber_email: str(obj(body.subscriber).email_address) ?? undefined,
      update_time: now,
      agreed: null,
    })
    const page = account.begin(id, () =>
      openCheckout(world, {
        ...plain,
        mode: 'subscription',
        lines: [{ price: price.id, quantity: whole(body.quantity) ?? 1 }],
        currency: price.currency,
        needs_method: true,
        trial: until === null ? null : { until },
        payment_metadata: {},
        expires_at: now + pageSeconds,
      }),
    )
    account.tellOf('BILLING.SUBSCRIPTION.CREATED', page)
    return toSubscription(account, id)
  }),

  route('POST /v2/checkout/orders *', ({ account, body }) => {
    const { world } = account
    const [unit = {}] = list(body.purchase_units)
    const amount = obj(unit.amount)
    const currency = str(amount.currency_code) ?? ''
    const minor = toMinor(amount.value, currency, paypalDigits)
    if (paypalDigits(currency) === 0 && String(amount.value).includes('.'))
      throw new ApiError(422, 'DECIMALS_NOT_SUPPORTED')
    if (minor === null) throw new ApiError(422, 'DECIMAL_PRECISION')
    const sum = list(unit.items).reduce(
      (all, item) =>
        all +
        (toMinor(obj(item.unit_amount).value, currency, paypalDigits) ?? 0) * (whole(item.quantity) ?? 1),
      0,
    )
    if (sum !== minor) throw new ApiError(422, 'ITEM_TOTAL_MISMATCH')
    const id = account.newId('order')
    const price = priceFor(world, minor, currency)
    account.note(id, {
      ...customId(unit),
      items: unit.items,
      subscriber_email: str(obj(obj(body.payment_source).paypal).email_address) ?? undefined,
      agreed: null,
    })
    const page = account.begin(id, () =>
      openCheckout(world, {
        ...plain,
        mode: 'payment',
        lines: [{ price, quantity: 1 }],
        currency: currency.toLowerCase(),
        needs_method: false,
        trial: null,
        payment_metadata: { [orderKey]: id },
        expires_at: world.clock.seconds() + pageSeconds,
      }),
    )
    return toOrder(account, page)
  }),

  route('GET /v2/checkout/orders/:id', ({ account, id }) => {
    const page = account.world.store.find('checkout', id)
    if (page?.mode !== 'payment') throw missing()
    return toOrder(account, page)
  }),

  route('POST /v2/checkout/orders/:id/capture *', ({ account, id }) => {
    const page = account.world.store.find('checkout', id)
    if (page?.mode !== 'payment') throw missing()
    if (page.status === 'complete') throw new ApiError(422, 'ORDER_ALREADY_CAPTURED')
    if (takeAgreed(account, id) !== null) throw new ApiError(422, 'INSTRUMENT_DECLINED')
    return toOrder(account, account.world.store.get('checkout', id))
  }),
]

/** Approves on PayPal's page as a buyer, with their account and payment method. Nothing is paid yet. */
export function agreeTo(account: Account, id: string, buyer: Buyer): PaidCheckout {
  const { world } = account
  const page = world.store.get('checkout', id)
  if (page.status !== 'open') throw new TypeError(`The page ${id} is ${page.status}`)
  const email = buyer.email ?? account.notesOf(id).subscriber_email ?? 'buyer@example.com'
  const known = world.store.list('customer').find((customer) => customer.email === email)
  account.note(id, { agreed: { ...buyer, email } })
  const agreed = known ? world.change('checkout', id, { customer: known.id }) : page
  if (page.mode === 'payment') account.tellOf('CHECKOUT.ORDER.APPROVED', agreed)
  return { checkout: agreed, refusal: null }
}

/**
 * Takes the approved payment; a refusal sends the buyer back to the page.
 * @throws ApiError before the buyer approved
 */
export function takeAgreed(account: Account, id: string): PaidCheckout['refusal'] {
  const { agreed } = account.notesOf(id)
  const page = account.world.store.get('checkout', id)
  if (!agreed || page.status !== 'open')
    throw new ApiError(422, page.mode === 'payment' ? 'ORDER_NOT_APPROVED' : 'SUBSCRIPTION_STATUS_INVALID')
  const now = account.world.clock.seconds()
  account.note(id, { status_update_time: now })
  const { refusal } = account.begin(id, () => payCheckout(account.world, id, agreed))
  if (refusal !== null) account.note(id, { agreed: null })
  return refusal
}

// https://developer.paypal.com/docs/api/orders/v2/: three hours; subscriptions wait longer.
const pageSeconds = 3 * 86_400

function customId(raw: Json): { custom_id?: string } {
  const custom_id = str(raw.custom_id)
  return custom_id === null ? {} : { custom_id }
}

/** Creates a price for an order, because PayPal stores no one-time prices. */
function priceFor(world: World, amount: number, currency: string): string {
  const id = `order ${amount} ${currency}`
  if (world.store.find('price', id) === undefined)
    world.store.put({
      kind: 'price',
      id,
      created: world.clock.seconds(),
      product: 'order',
      nickname: null,
      lookup_key: null,
      active: false,
      amount,
      currency: currency.toLowerCase(),
      amounts: {},
      rhythm: null,
      trial_days: null,
      trial_amount: null,
      metadata: {},
    })
  return id
}
