import type { Stripe } from 'stripe'
import * as objects from '../../support/stripe-events.ts'
import { from, type Message, type Step, seconds } from '../lifecycle.ts'
import { made, type Part } from '../typed.ts'

type Subscription = Part<Stripe.Subscription>
type Item = Part<Stripe.SubscriptionItem>
type Price = Part<Stripe.Price>
type Invoice = Part<Stripe.Invoice>
type Line = Part<Stripe.InvoiceLineItem>
export const customerObject = made<Part<Stripe.Customer>>(objects.customerObject)
export const invoiceObject = made<Invoice>(objects.invoiceObject)
export const priceObject = made<Price>(objects.priceObject)
export const subscriptionItem = made<Item>(objects.subscriptionItem)
export const subscriptionObject = made<Subscription>(objects.subscriptionObject)
export const chargeObject = made<Part<Stripe.Charge>>(objects.chargeObject)
export const checkoutObject = made<Part<Stripe.Checkout.Session>>(objects.checkoutObject)
export const disputeObject = made<Part<Stripe.Dispute>>(objects.disputeObject)
export const intentObject = made<Part<Stripe.PaymentIntent>>(objects.intentObject)
export const invoicePaymentObject = made<Part<Stripe.InvoicePayment>>(objects.invoicePaymentObject)
export const refundObject = made<Part<Stripe.Refund>>(objects.refundObject)
/** The object of an event, by the name of the event. */
type Told<Type extends Stripe.Event.Type> = Part<Extract<Stripe.Event, { type: Type }>['data']['object']>

export const plans = {
  pro: {
    name: 'Pro',
    group: 'm',
    prices: [{ id: 'price_gold', amount: 900, currency: 'EUR', interval: 'month' }],
  },
  team: {
    name: 'Team',
    group: 'm',
    prices: [{ id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' }],
  },
  book: { name: 'Book', prices: [{ id: 'price_book', amount: 3000, currency: 'EUR' }] },
}

export function says<Type extends Stripe.Event.Type>(
  at: string,
  type: Type,
  object: Told<Type>,
  previous?: Told<Type>,
): Message {
  return {
    at,
    event: objects.stripeEvent(
      type,
      { ...object },
      { created: seconds(at), ...(previous === undefined ? {} : { previous }) },
    ),
  }
}

export const first = { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' }
export const third = { start: '2026-05-01T00:00:00Z', end: '2026-06-01T00:00:00Z' }
export const second = { start: '2026-04-01T00:00:00Z', end: '2026-05-01T00:00:00Z' }

export const resumed = { start: '2026-04-20T10:00:00Z', end: '2026-05-20T10:00:00Z' }

export function item(period: typeof first, price: Price = {}): Item {
  return subscriptionItem({
    current_period_start: seconds(period.start),
    current_period_end: seconds(period.end),
    price: priceObject(price),
  })
}

export function subscription(
  period: typeof first,
  fields: Subscription = {},
  price: Price = {},
): Subscription {
  return subscriptionObject({
    items: { object: 'list', data: [item(period, price)], has_more: false },
    ...fields,
  })
}

export function line(price: string, amount: number, period: typeof first, proration = false): Line {
  return {
    id: `il_${price}${amount}`,
    object: 'line_item',
    amount,
    parent: {
      type: 'subscription_item_details',
      subscription_item_details: { proration, subscription: 'sub_1', subscription_item: 'si_1' },
    },
    period: { start: seconds(period.start), end: seconds(period.end) },
    pricing: { type: 'price_details', price_details: { price, product: `prod_${price}` } },
    quantity: 1,
  }
}

export function invoice(
  id: string,
  status: Invoice['status'],
  period: typeof first,
  fields: Invoice = {},
): Invoice {
  return invoiceObject({
    id,
    status,
    amount_paid: status === 'paid' ? 900 : 0,
    billing_reason: 'subscription_cycle',
    status_transitions: { paid_at: status === 'paid' ? seconds(period.start) : null },
    lines: { object: 'list', data: [line('price_gold', 900, period)], has_more: false },
    ...fields,
  })
}

export const bought: readonly Message[] = [
  says('2026-03-01T00:00:01Z', 'customer.created', customerObject()),
  says('2026-03-01T00:00:05Z', 'customer.subscription.created', subscription(first)),
  says(
    '2026-03-01T00:00:06Z',
    'invoice.paid',
    invoice('in_1', 'paid', first, { billing_reason: 'subscription_create' }),
  ),
]

export const pausing = from('https://docs.stripe.com/billing/subscriptions/pause-payment')
export const void_: Subscription = {
  pause_collection: { behavior: 'void', resumes_at: seconds('2026-06-01T00:00:00Z') },
}

export const overview = from('https://docs.stripe.com/billing/subscriptions/overview')
export const failedRenewal: readonly Message[] = [
  says(
    '2026-04-01T01:00:00Z',
    'customer.subscription.updated',
    subscription(second, { status: 'past_due', latest_invoice: 'in_2' }),
    { status: 'active' },
  ),
  says(
    '2026-04-01T01:00:01Z',
    'invoice.payment_failed',
    invoice('in_2', 'open', second, { next_payment_attempt: seconds('2026-04-04T00:00:00Z') }),
  ),
]
export function paidRenewal(at: string): Message {
  return says(
    at,
    'invoice.paid',
    invoice('in_2', 'paid', second, { status_transitions: { paid_at: seconds(at) } }),
  )
}

/** The day on which the newer facts were read. */
export const today = '2026-11-30'
export function page(path: string) {
  return from(`https://docs.stripe.com/${path}`, today)
}

/** Another price, on an item as `priceObject` makes it. */
export const teamPrice: Price = { id: 'price_team', product: 'prod_team', unit_amount: 2500 }

/** A month with the payment of its invoice, so that refunds and disputes find their payment. */
export const paidMonth: Step = {
  at: '2026-03-02T00:00:00Z',
  happens: 'paid',
  sends: [...bought, says('2026-03-01T00:00:07Z', 'invoice_payment.paid', invoicePaymentObject())],
  sees: { open: { pro: true }, payments: ['900 paid'], status: 'active' },
}

export function bookCharge(fields: Part<Stripe.Charge> = {}): Part<Stripe.Charge> {
  return chargeObject({
    amount: 3000,
    amount_captured: 3000,
    created: seconds('2026-03-02T09:00:04Z'),
    ...fields,
  })
}

/** A book that was bought in a checkout of this site. */
export const paidBook: Step = {
  at: '2026-03-02T12:00:00Z',
  happens: 'the book is paid',
  sends: [
    says('2026-03-02T09:00:05Z', 'charge.succeeded', bookCharge()),
    says(
      '2026-03-02T09:00:06Z',
      'checkout.session.completed',
      checkoutObject({ amount_total: 3000, created: seconds('2026-03-02T08:58:00Z') }),
    ),
  ],
  sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
}
