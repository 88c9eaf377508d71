import type * as engine from '../engine/index.ts'
import { missing } from './errors.ts'
import { pageParams, toPage } from './listing.ts'
import type { Reader } from './params.ts'
import { type Call, type Route, route, wordFor } from './routes.ts'
import type { Kind, Objects } from './shapes.ts'

/**
 * Loads the object with that id.
 * @throws resource_missing, also for a deleted customer if `alive` is required
 */
export function load<K extends Kind>({ account, ids }: Call, kind: K): Objects[K] {
  const found = account.find(kind, ids[0] ?? null)
  if (found === undefined) throw missing(wordFor(kind), ids[0] ?? '')
  return found
}

/** Returns the engine's object, for a change. @throws resource_missing */
export function take<K extends 'subscription' | 'invoice' | 'customer' | 'checkout' | 'schedule'>(
  { world, ids }: Call,
  kind: K,
): engine.Objects[K] {
  const found = world.store.find(kind, ids[0] ?? null)
  if (found === undefined) throw missing(takenWords[kind] ?? kind, ids[0] ?? '')
  return found
}
const takenWords: Partial<Record<engine.Kind, string>> = {
  checkout: 'checkout session',
  schedule: 'subscription schedule',
}

type Filter<K extends Kind> = (item: Objects[K], value: string, params: Reader) => boolean

/** Builds the `GET` routes of one object and of the list. */
function readable<K extends Kind>(
  kind: K,
  path: string,
  filters: Readonly<Record<string, Filter<K>>> = {},
  isListed: (item: Objects[K], call: Pick<Call, 'account' | 'params'>) => boolean = () => true,
): Route[] {
  return [
    route(`GET /v1/${path}/:id`, [], (call) => ({ object: load(call, kind) })),
    route(`GET /v1/${path}`, [...pageParams, ...Object.keys(filters)], ({ account, params }) => {
      const asked = Object.entries(filters).filter(([name]) => params.raw(name) !== undefined)
      const customer = filters.customer ? params.text('customer') : undefined
      if (customer !== undefined && !account.find('customer', customer))
        throw missing('customer', customer, 'customer')
      const all = account
        .list(kind)
        .filter((item) => isListed(item, { account, params }))
        .filter((item) => asked.every(([name, fits]) => fits(item, textOf(params, name), params)))
      return { page: toPage(all, params, wordFor(kind)) }
    }),
  ]
}

// Lists and hashes are read by the filter itself.
function textOf(params: Reader, name: string): string {
  return typeof params.raw(name) === 'string' ? (params.text(name) ?? '') : ''
}

function is(field: string) {
  return (item: object, value: string) => String((item as Record<string, unknown>)[field]) === value
}

const inLookups: Filter<'price'> = (open, _, params) =>
  open.lookup_key !== null && (params.texts('lookup_keys') ?? []).includes(open.lookup_key)

const billed: Filter<'invoice'> = (open, value) => open.parent.subscription_details.subscription === value

function isLiving(
  subscription: Objects['subscription'],
  { account, params }: Pick<Call, 'account' | 'params'>,
): boolean {
  return (
    (params.raw('status') !== undefined || subscription.status !== 'canceled') &&
    (params.raw('customer') !== undefined ||
      !isOfClock(account.find('customer', String(subscription.customer))))
  )
}

// A list leaves out what a test clock has, unless it is asked for: https://docs.stripe.com/api/customers/list
function isOfClock(customer: Objects['customer'] | undefined): boolean {
  return customer?.test_clock != null
}

const hasStatus: Filter<'subscription'> = (open, value) =>
  value === 'all' || (value === 'ended' ? open.status === 'canceled' : open.status === value)

/** Builds the route of a list inside an object, in pages and in the object's own order. */
function inside(line: `GET /v1/${string}`, of: (call: Call) => readonly { readonly id: string }[]): Route {
  return route(line, [...pageParams, 'subscription'], (call) => {
    const { data, has_more } = toPage(of(call).toReversed(), call.params, 'item')
    return { plain: { object: 'list', data, has_more, url: line.slice('GET '.length) } }
  })
}

/** Every object that can be read and listed. */
export const readRoutes: Route[] = [
  inside('GET /v1/subscription_items', ({ account, params }) => [
    ...(account.find('subscription', params.text('subscription') ?? null)?.items.data ?? []),
  ]),
  inside('GET /v1/invoices/:id/lines', (call) => load(call, 'invoice').lines.data),
  ...readable(
    'customer',
    'customers',
    { email: is('email') },
    (open) => open.deleted !== true && !isOfClock(open),
  ),
  ...readable('product', 'products', {
    active: is('active'),
    ids: (open, _, params) => (params.texts('ids') ?? []).includes(open.id),
  }),
  ...readable('price', 'prices', {
    active: is('active'),
    currency: is('currency'),
    lookup_keys: inLookups,
    product: is('product'),
    type: is('type'),
    recurring: (open, _, params) =>
      open.recurring?.interval === (params.child('recurring').text('interval') ?? open.recurring?.interval),
  }),
  ...readable('coupon', 'coupons'),
  ...readable('promotion_code', 'promotion_codes', {
    active: is('active'),
    code: is('code'),
    coupon: is('coupon'),
  }),
  ...readable('checkout.session', 'checkout/sessions', {
    customer: is('customer'),
    payment_intent: is('payment_intent'),
    status: is('status'),
    subscription: is('subscription'),
  }),
  ...readable(
    'subscription',
    'subscriptions',
    {
      collection_method: is('collection_method'),
      customer: is('customer'),
      price: (open, value) => open.items.data.some(({ price }) => price.id === value),
      status: hasStatus,
    },
    isLiving,
  ),
  ...readable('subscription_schedule', 'subscription_schedules', { customer: is('customer') }),
  ...readable('invoice', 'invoices', {
    collection_method: is('collection_method'),
    customer: is('customer'),
    status: is('status'),
    subscription: billed,
  }),
  ...readable('invoice_payment', 'invoice_payments', {
    invoice: is('invoice'),
    payment: (item, _, params) =>
      item.payment.payment_intent === params.child('payment').text('payment_intent'),
    status: is('status'),
  }),
  ...readable('payment_intent', 'payment_intents', { customer: is('customer') }),
  ...readable('charge', 'charges', { customer: is('customer'), payment_intent: is('payment_intent') }),
  ...readable('refund', 'refunds', { charge: is('charge'), payment_intent: is('payment_intent') }),
  ...readable('dispute', 'disputes', { charge: is('charge'), payment_intent: is('payment_intent') }),
  ...readable('payment_method', 'payment_methods', { customer: is('customer'), type: is('type') }),
  ...readable('invoiceitem', 'invoiceitems', { customer: is('customer'), invoice: is('invoice') }),
  ...readable('billing_portal.configuration', 'billing_portal/configurations', {
    active: is('active'),
    is_default: is('is_default'),
  }),
]
