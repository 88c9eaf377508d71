import { activeDiscount, discountOf } from './catalogue.ts'
import { toInvoiceLine } from './lines.ts'
import type { DraftLine, Invoice, Subscription } from './types.ts'
import type { World } from './world.ts'

interface NewInvoice {
  readonly lines: readonly DraftLine[]
  readonly reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update'
  /** Until when it may still be changed; null for an invoice that somebody finalizes. */
  readonly draftUntil: number | null
  readonly period: { readonly start: number; readonly end: number }
}

/** A draft, kept without telling of it: its `invoice.created` comes after the subscription's own event. */
export const draftInvoice = (world: World, subscription: Subscription, given: NewInvoice): Invoice => {
  const invoice = buildInvoice(world, subscription, given, world.ids('in'))
  const used = activeDiscount(world, subscription.discounts, world.clock.seconds())
  // It counted once.
  if (used?.coupon.duration === 'once') world.store.put({ ...used.discount, end: world.clock.seconds() })
  for (const { invoiceItem } of given.lines)
    if (invoiceItem !== null && world.store.find('invoiceitem', invoiceItem))
      settleItem(world, invoiceItem, invoice.id)
  return world.add<'invoice'>(invoice)
}

const settleItem = (world: World, item: string, invoice: string): void => {
  world.change('invoiceitem', item, { invoice })
  world.notes.pendingLines.delete(item)
}

/** An invoice as it would be. https://docs.stripe.com/api/invoices/object */
export const buildInvoice = (
  world: World,
  subscription: Subscription,
  { lines, reason, draftUntil, period }: NewInvoice,
  id: string,
): Invoice => {
  const now = world.clock.seconds()
  const customer = world.store.get('customer', subscription.customer)
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0)
  const used = activeDiscount(world, subscription.discounts, now)
  const discount = discountOf(used?.coupon, subtotal)
  const total = subtotal - discount
  const due = Math.max(0, total + customer.balance)
  const on = { invoice: id, subscription: subscription.id, currency: subscription.currency }
  return {
    id,
    object: 'invoice',
    account_country: 'US',
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: due,
    amount_shipping: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: draftUntil !== null,
    automatic_tax: { enabled: false, status: null },
    automatically_finalizes_at: draftUntil,
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created: now,
    currency: subscription.currency,
    customer: customer.id,
    customer_address: null,
    customer_email: customer.email,
    customer_name: customer.name,
    default_payment_method: null,
    description: null,
    discounts: used ? [used.discount.id] : [],
    due_date: null,
    effective_at: null,
    ending_balance: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    lines: {
      object: 'list',
      data: lines.map((line) => toInvoiceLine(world, line, on)),
      has_more: false,
      total_count: lines.length,
      url: `/v1/invoices/${id}/lines`,
    },
    livemode: false,
    metadata: {},
    next_payment_attempt: draftUntil,
    number: null,
    parent: {
      type: 'subscription_details',
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
    },
    period_end: period.end,
    period_start: period.start,
    starting_balance: customer.balance,
    status: 'draft',
    status_transitions: {
      finalized_at: null,
      marked_uncollectible_at: null,
      paid_at: null,
      voided_at: null,
    },
    subtotal,
    total,
    total_discount_amounts: used && discount !== 0 ? [{ amount: discount, discount: used.discount.id }] : [],
    total_taxes: [],
    webhooks_delivered_at: null,
  }
}
