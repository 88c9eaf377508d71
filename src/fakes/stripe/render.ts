import type { Account } from './account.ts'
import { blank } from './blank.ts'
import type { AnyObject, Invoice, InvoiceLine, Price, Schedule, Subscription } from './shapes.ts'

type Json = Record<string, unknown>

/** Cuts a list inside another object to its first ten. https://docs.stripe.com/api/pagination */
export function firstTen<L extends { readonly data: readonly unknown[] }>(
  list: L,
): L & { has_more: boolean } {
  return {
    ...list,
    data: list.data.slice(0, 10),
    has_more: list.data.length > 10,
  }
}
/** Finds the objects that an object names. */
type Source = Pick<Account, 'find' | 'world'>

/**
 * API version that moved periods to the items and the intent out of the invoice.
 * https://docs.stripe.com/changelog/basil
 */
const basil = '2025-03-31'

/** API version that renamed the modes of payment pages: https://docs.stripe.com/changelog/dahlia */
const dahlia = '2026-03-25'

/** Shows an object in an API version. The result shares nothing that changes later. */
export function render(account: Source, object: AnyObject, version: string): Json {
  if (object.object === 'customer' && object.deleted === true)
    return { id: object.id, object: 'customer', deleted: true }
  if (object.object === 'subscription') return renderSubscription(object, version < basil)
  if (object.object === 'price') return renderPrice(object)
  if (object.object === 'subscription_schedule') return renderSchedule(account, object)
  if (object.object === 'invoice') {
    const invoice = { ...object, lines: firstTen(object.lines) }
    return version >= basil ? invoice : oldInvoice(account, invoice)
  }
  if (object.object === 'checkout.session')
    return { ...object, ui_mode: version >= dahlia ? 'hosted_page' : 'hosted' }
  if (version >= basil) return { ...object }
  const invoiceOf = (payment: string) => account.world.store.find('payment', payment)?.invoice ?? null
  if (object.object === 'charge') return { ...object, invoice: invoiceOf(object.payment_intent) }
  if (object.object === 'payment_intent') return { ...object, invoice: invoiceOf(object.id) }
  return { ...object }
}

// Only shown when expanded.
function renderPrice({ currency_options: _, ...price }: Price): Json {
  return price
}

/** Shows `plan`, the older form of a recurring price. https://docs.stripe.com/api/plans/object */
function planOf(price: Price): Json {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    ...blank('meter', 'tiers_mode', 'transform_usage', 'trial_period_days'),
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
  }
}

function renderItem<I extends { readonly price: Price }>(item: I) {
  return {
    ...item,
    plan: planOf(item.price),
    price: renderPrice(item.price),
  }
}

function renderSubscription({ pending_update, ...kept }: Subscription, isOld: boolean): Json {
  const subscription = {
    ...kept,
    pending_update: pending_update && {
      ...pending_update,
      subscription_items: pending_update.subscription_items.map(renderItem),
    },
  }
  const data = subscription.items.data.map(renderItem)
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

/** The phases contain only the ids of their prices. */
function renderSchedule(account: Source, schedule: Schedule): Json {
  return {
    ...schedule,
    phases: schedule.phases.map((phase) => ({
      ...phase,
      currency: account.find('price', phase.items[0]?.price ?? '')?.currency ?? null,
      items: phase.items.map((item) => ({
        ...item,
        billing_thresholds: null,
        discounts: [],
        metadata: {},
        plan: item.price,
        tax_rates: [],
      })),
    })),
  }
}

function oldInvoice(account: Source, { parent, ...invoice }: Invoice): Json {
  const kept = account.world.store.find('invoice', invoice.id)
  const intent = account.find('payment_intent', kept?.payment ?? null)
  return {
    ...invoice,
    charge: intent?.latest_charge ?? null,
    lines: { ...invoice.lines, data: invoice.lines.data.map((line) => oldLine(account, line)) },
    paid: invoice.status === 'paid',
    payment_intent: intent?.id ?? null,
    subscription: parent.subscription_details.subscription,
    subscription_details: { metadata: parent.subscription_details.metadata },
  }
}

function oldLine(account: Source, { parent, pricing, ...line }: InvoiceLine): Json {
  const details =
    parent.invoice_item_details === null ? parent.subscription_item_details : parent.invoice_item_details
  const item = parent.subscription_item_details?.subscription_item
  const price = account.find('price', pricing.price_details.price)!
  return {
    ...line,
    invoice_item: details.invoice_item,
    plan: planOf(price),
    price: renderPrice(price),
    proration: details.proration,
    subscription: details.subscription,
    ...(item === undefined ? {} : { subscription_item: item }),
    type: details.invoice_item === null ? 'subscription' : 'invoiceitem',
  }
}
