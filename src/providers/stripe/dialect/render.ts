import type { Store } from '../../../merchant/index.ts'
import type { Notes } from './notes.ts'
import type { AnyObject, Invoice, InvoiceLine, Objects, Price, Subscription } from './types.ts'

type Json = Record<string, unknown>

/** A list inside another object shows its first ten. https://docs.stripe.com/api/pagination */
export const firstTen = <L extends { readonly data: readonly unknown[] }>(
  list: L,
): L & { has_more: boolean } => ({
  ...list,
  data: list.data.slice(0, 10),
  has_more: list.data.length > 10,
})
/** Where what an object names is found. */
type Source = { readonly store: Store<Objects>; readonly notes: Notes }

/** The API version that moved periods to the items and the intent out of the invoice.
 *  https://docs.stripe.com/changelog/basil */
const basil = '2025-03-31'

/** An object as that API version shows it. What comes back shares nothing that is changed later. */
export const render = (world: Source, object: AnyObject, version: string): Json => {
  if (object.object === 'customer' && object.deleted === true)
    return { id: object.id, object: 'customer', deleted: true }
  if (object.object === 'subscription') return renderSubscription(object, version < basil)
  if (object.object === 'price') return renderPrice(object)
  if (object.object === 'invoice') {
    const invoice = { ...object, lines: firstTen(object.lines) }
    return version >= basil ? invoice : oldInvoice(world, invoice)
  }
  if (version >= basil) return { ...object }
  if (object.object === 'charge')
    return { ...object, invoice: world.notes.invoiceOf.get(object.payment_intent) ?? null }
  if (object.object === 'payment_intent')
    return { ...object, invoice: world.notes.invoiceOf.get(object.id) ?? null }
  return { ...object }
}

// Only shown when expanded.
const renderPrice = ({ currency_options: _, ...price }: Price): Json => price

/** `plan`, the older word for a recurring price. https://docs.stripe.com/api/plans/object */
const planOf = (price: Price): Json => ({
  id: price.id,
  object: 'plan',
  active: price.active,
  amount: price.unit_amount,
  billing_scheme: 'per_unit',
  created: price.created,
  currency: price.currency,
  interval: price.recurring?.interval,
  interval_count: price.recurring?.interval_count,
  livemode: false,
  metadata: {},
  nickname: price.nickname,
  product: price.product,
  usage_type: 'licensed',
})

const renderSubscription = (subscription: Subscription, isOld: boolean): Json => {
  const data = subscription.items.data.map((item) => ({
    ...item,
    plan: planOf(item.price),
    price: renderPrice(item.price),
  }))
  const items = firstTen({ ...subscription.items, data })
  const [first] = data
  if (!isOld || first === undefined) return { ...subscription, items }
  return {
    ...subscription,
    current_period_start: first.current_period_start,
    current_period_end: first.current_period_end,
    items: {
      ...items,
      data: items.data.map(({ current_period_start: _s, current_period_end: _e, ...item }) => item),
    },
    ...(data.length === 1 ? { plan: first.plan, quantity: first.quantity } : { plan: null }),
  }
}

const oldInvoice = (world: Source, { parent, ...invoice }: Invoice): Json => {
  const payment = world.store.find('invoice_payment', world.notes.paymentOf.get(invoice.id) ?? null)
  const intent = world.store.find('payment_intent', payment?.payment.payment_intent ?? null)
  return {
    ...invoice,
    charge: intent?.latest_charge ?? null,
    lines: { ...invoice.lines, data: invoice.lines.data.map((line) => oldLine(world, line)) },
    paid: invoice.status === 'paid',
    payment_intent: intent?.id ?? null,
    subscription: parent.subscription_details.subscription,
    subscription_details: { metadata: parent.subscription_details.metadata },
  }
}

const oldLine = (world: Source, { parent, pricing, ...line }: InvoiceLine): Json => {
  const details = parent.subscription_item_details
  const price = world.store.get('price', pricing.price_details.price)
  return {
    ...line,
    invoice_item: details.invoice_item,
    plan: planOf(price),
    price: renderPrice(price),
    proration: details.proration,
    subscription: details.subscription,
    subscription_item: details.subscription_item,
    type: details.invoice_item === null ? 'subscription' : 'invoiceitem',
  }
}
