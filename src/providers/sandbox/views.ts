import {
  type Checkout,
  type Dispute,
  findCharge,
  isAccount,
  type Payment,
  type Price,
  type Subscription,
  type World,
} from '../../fakes/engine/index.ts'
import type {
  SandboxCheckout,
  SandboxCustomer,
  SandboxDispute,
  SandboxKind,
  SandboxObject,
  SandboxPayment,
  SandboxPrice,
  SandboxSubscription,
} from './objects.ts'

/** Moment of the newest event about each object, by id. */
export type Told = Readonly<Record<string, string>>

/** An object as the site sees it. Unless `isTold`, no event has reported it. */
export type View = {
  [K in SandboxKind]: { readonly object: K; readonly data: SandboxObject<K>; readonly isTold: boolean }
}[SandboxKind]

/**
 * Returns everything that a site can see, payments before their purchases. Unfinished beginnings are hidden:
 * a subscription whose first payment waits for the bank, and a payment that nobody tried.
 */
export function viewsOf(world: World, told: Told): View[] {
  const { store } = world
  const updatedOf = ({ id, created }: { readonly id: string; readonly created: number }) =>
    told[id] ?? isoOf(created)
  const customers = store.list('customer').map((customer): View => {
    const { id, email, name } = customer
    const data: SandboxCustomer = { id, email, name, updated: updatedOf(customer) }
    return { object: 'customer', data, isTold: true }
  })
  const payments = store.list('payment').flatMap((payment): View[] => {
    const data = toPayment(world, payment, updatedOf(payment))
    return data === null ? [] : [{ object: 'payment', data, isTold: true }]
  })
  const subscriptions = store.list('subscription').flatMap((subscription): View[] => {
    const data = toSubscription(world, subscription, updatedOf(subscription))
    return data === null ? [] : [{ object: 'subscription', data, isTold: true }]
  })
  const checkouts = store.list('checkout').map((checkout): View => {
    const data = toCheckout(world, checkout, updatedOf(checkout))
    return { object: 'checkout', data, isTold: data.paid || data.status === 'expired' }
  })
  const disputes = store.list('dispute').map((dispute): View => {
    const data = toDispute(world, dispute, updatedOf(dispute))
    return { object: 'dispute', data, isTold: true }
  })
  return [...customers, ...payments, ...subscriptions, ...checkouts, ...disputes]
}

/** Converts the engine's seconds to ISO 8601 UTC. */
export function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
function orNull(seconds: number | null): string | null {
  return seconds === null ? null : isoOf(seconds)
}

/** Converts a price for the site. */
export function toPrice({ id, nickname, amount, currency, rhythm }: Price): SandboxPrice {
  return {
    id,
    label: nickname ?? id,
    amount,
    currency: currency.toUpperCase(),
    interval: rhythm?.interval ?? null,
    interval_count: rhythm?.interval_count ?? 1,
    trial_days: 0,
  }
}

function toSubscription(
  world: World,
  subscription: Subscription,
  updated: string,
): SandboxSubscription | null {
  const { id, customer, status, metadata, cancel_at_period_end } = subscription
  const [item] = subscription.items
  if (item === undefined || status === 'incomplete' || status === 'expired' || status === 'unpaid')
    return null
  const isOver = status === 'canceled'
  return {
    id,
    customer,
    price: toPrice(item.price),
    quantity: item.quantity,
    status,
    started: isoOf(subscription.created),
    trial_ends: orNull(subscription.trial_end),
    period_start: isoOf(item.start),
    period_end: isoOf(item.end),
    scheduled: isOver ? null : plannedOf(world, subscription),
    paused: isOver ? null : orNull(status === 'paused' ? subscription.paused_at : subscription.pause_at),
    resumes: isOver ? null : orNull(subscription.resumes_at),
    cancel_at_period_end,
    canceled: orNull(subscription.canceled_at),
    ended: orNull(subscription.ended_at),
    metadata,
    updated,
  }
}

function plannedOf(world: World, { schedule }: Subscription): SandboxSubscription['scheduled'] {
  const { phases = [], current = null } = world.store.find('schedule', schedule) ?? {}
  const [planned] = phases.find(({ start }) => current !== null && start >= current.end)?.items ?? []
  if (planned === undefined) return null
  return { price: toPrice(world.store.get('price', planned.price)), quantity: planned.quantity }
}

const paymentStatus = { paid: 'paid', asks: 'pending', open: 'failed' } as const

function toPayment(world: World, payment: Payment, updated: string): SandboxPayment | null {
  const { id, customer, amount, status } = payment
  const charge = findCharge(world, id)
  if (status === 'processing' || (status === 'open' && charge === undefined)) return null
  const invoice = world.store.find('invoice', payment.invoice)
  const checkout = world.store.list('checkout').find((page) => paymentOf(world, page) === id)
  // The last line is the subject of an invoice; earlier lines credit unused time.
  const line = invoice?.lines.at(-1)
  return {
    id,
    customer: customer ?? '',
    subscription: invoice?.subscription ?? null,
    checkout: checkout?.id ?? null,
    price: line ? toPrice(line.price) : priceOn(checkout!),
    quantity: line?.quantity ?? checkout?.lines[0]?.quantity ?? 1,
    amount,
    amount_refunded: charge?.refunded ?? 0,
    status: paymentStatus[status],
    paid: status === 'paid' ? isoOf(invoice?.paid_at ?? charge!.created) : null,
    ...(charge === undefined || isAccount(charge.number) ? {} : { last4: charge.number.slice(-4) }),
    metadata: { ...(invoice?.metadata ?? payment.metadata) },
    updated,
  }
}

function paymentOf(world: World, { payment, invoice }: Checkout): string | null {
  return payment ?? world.store.find('invoice', invoice)?.payment ?? null
}

/** Returns the price when the page was opened, with the trial that was offered. */
function priceOn({ own }: Checkout): SandboxPrice {
  return own?.price as SandboxPrice
}

function toCheckout(world: World, checkout: Checkout, updated: string): SandboxCheckout {
  const { id, mode, customer, status, metadata } = checkout
  const paid = checkout.paid !== 'unpaid'
  return {
    id,
    intent_id: String(checkout.own?.intent_id),
    mode,
    price: priceOn(checkout),
    quantity: checkout.lines[0]?.quantity ?? 1,
    discount: checkout.discount,
    code: world.store.find('code', checkout.code)?.code ?? null,
    customer,
    email: checkout.email ?? checkout.buyer?.email ?? null,
    name: checkout.buyer?.name ?? null,
    status,
    paid,
    subscription: paid ? checkout.subscription : null,
    payment: paid ? paymentOf(world, checkout) : null,
    return_url: checkout.success_url ?? '',
    cancel_url: checkout.cancel_url ?? '',
    metadata,
    updated,
  }
}

function toDispute(world: World, dispute: Dispute, updated: string): SandboxDispute {
  const { id, payment, currency, status } = dispute
  const { amount, customer } = world.store.get('payment', payment)
  return {
    id,
    payment,
    customer: customer ?? '',
    amount,
    currency: currency.toUpperCase(),
    status,
    updated,
  }
}
