import { activeDiscount, discountOf, productName, trialUnitAmount, unitAmount, withTax } from './catalogue.ts'
import type { Invoice, Item, Line, Price, Subscription, Waiting } from './objects.ts'
import type { World } from './world.ts'

interface NewInvoice {
  readonly lines: readonly Line[]
  readonly reason: Invoice['reason']
  readonly draftUntil: number | null
  readonly period: Invoice['period']
}

/** Builds the lines of the items for their current period or trial. */
export function periodLines(
  world: World,
  items: readonly Item[],
  { currency, isTrial }: { currency: string; isTrial: boolean },
): Line[] {
  return items.map((item) => ({
    id: world.idFor('line'),
    item: item.id,
    price: item.price,
    quantity: item.quantity,
    amount: (isTrial ? trialUnitAmount : unitAmount)(item.price, currency) * item.quantity,
    period: { start: item.start, end: item.end },
    text: `${isTrial ? 'Trial period for' : `${item.quantity} ×`} ${productName(world, item.price)}`,
    waiting: null,
  }))
}

/** Stores a draft without reporting it: `invoice added` follows the subscription's own fact. */
export function draftInvoice(world: World, subscription: Subscription, given: NewInvoice): Invoice {
  const invoice = buildInvoice(world, subscription, given, world.idFor('invoice'))
  const used = activeDiscount(world, subscription.discounts, world.clock.seconds())
  // The coupon applied once. An invoice for nothing, such as that of a trial, does not use it up.
  if (used?.coupon.duration === 'once' && invoice.subtotal > 0)
    world.store.put({ ...used.discount, end: world.clock.seconds() })
  for (const { waiting } of given.lines)
    if (waiting !== null && world.store.find('waiting', waiting))
      world.change('waiting', waiting, { invoice: invoice.id })
  return world.add<'invoice'>(invoice)
}

/** Builds an invoice without storing it. */
export function buildInvoice(
  world: World,
  subscription: Subscription,
  { lines, reason, draftUntil, period }: NewInvoice,
  id: string,
): Invoice {
  const now = world.clock.seconds()
  const customer = world.store.get('customer', subscription.customer)
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0)
  const used = activeDiscount(world, subscription.discounts, now)
  const discount = discountOf(used?.coupon, subtotal)
  const { tax, total } = withTax(world, subtotal - discount)
  const due = Math.max(0, total + customer.balance)
  return {
    kind: 'invoice',
    id,
    created: now,
    customer: customer.id,
    email: customer.email,
    name: customer.name,
    subscription: subscription.id,
    metadata: subscription.metadata,
    currency: subscription.currency,
    reason,
    period,
    lines,
    subtotal,
    discount: used ? { id: used.discount.id, amount: discount } : null,
    tax,
    total,
    due,
    paid: 0,
    remaining: due,
    starting_balance: customer.balance,
    ending_balance: null,
    number: null,
    status: 'draft',
    draft_until: draftUntil,
    is_automatic: draftUntil !== null,
    attempts: 0,
    was_tried: false,
    next_try: draftUntil,
    first_failure: null,
    finalized_at: null,
    paid_at: null,
    voided_at: null,
    given_up_at: null,
    payment: null,
  }
}

/** Adds a line to the next invoice. */
export function addWaiting(world: World, subscription: Subscription, line: Line): Line {
  const id = world.idFor('waiting')
  const kept = { ...line, waiting: id }
  const { customer, currency } = subscription
  const created = world.clock.seconds()
  const on = { customer, currency, subscription: subscription.id }
  const waiting: Waiting = {
    kind: 'waiting',
    id,
    created,
    ...on,
    line: kept,
    invoice: null,
    dropped: false,
  }
  world.add<'waiting'>(waiting, 'line added')
  return kept
}

/** Adds a one-time price to the next invoice. */
export function addOnce(world: World, subscription: Subscription, price: Price): Line {
  const now = world.clock.seconds()
  return addWaiting(world, subscription, {
    id: world.idFor('line'),
    item: subscription.items[0]!.id,
    price,
    quantity: 1,
    amount: unitAmount(price, subscription.currency),
    period: { start: now, end: now },
    text: productName(world, price),
    waiting: null,
  })
}

/** Returns the lines that earlier changes left for the next invoice. */
export function waitingLines(world: World, subscription: { readonly id: string }): Line[] {
  return waitingOf(world, subscription.id).map(({ line }) => line)
}

/** Drops prorations that will not be billed. */
export function dropWaiting(world: World, subscription: string): void {
  for (const { id } of waitingOf(world, subscription))
    world.change('waiting', id, { dropped: true }, 'line dropped')
}

function waitingOf(world: World, subscription: string): Waiting[] {
  return world.store
    .having('waiting', 'subscription', subscription)
    .filter((waiting) => waiting.invoice === null && !waiting.dropped)
}

export function voidInvoice(world: World, id: string): Invoice {
  return world.change(
    'invoice',
    id,
    { next_try: null, status: 'void', voided_at: world.clock.seconds() },
    'invoice voided',
  )
}
