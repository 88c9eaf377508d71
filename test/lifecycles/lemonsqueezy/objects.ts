import type * as lemon from '@lemonsqueezy/lemonsqueezy.js'
import * as objects from '../../providers/lemonsqueezy/events.ts'
import { from, type Message } from '../lifecycle.ts'
import { made, type Part } from '../typed.ts'

type Attributes<Of extends { data: { attributes: object } }> = Part<Of['data']['attributes']> & {
  readonly id?: string
}
export type Subscription = Attributes<lemon.Subscription>
/**
 * The package names `renewal` twice, and `updated` not at all:
 * https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object
 */
export type Invoice = Omit<Attributes<lemon.SubscriptionInvoice>, 'billing_reason'> & {
  readonly billing_reason?: 'initial' | 'renewal' | 'updated'
}
export type Order = Attributes<lemon.Order>
type EventName = lemon.NewWebhook['events'][number]
export const lemonBook = made<Order>(objects.lemonBook)
export const lemonInvoice = made<Invoice>(objects.lemonInvoice)
export const lemonOrder = made<Order>(objects.lemonOrder)
export const lemonSubscription = made<Subscription>(objects.lemonSubscription)

export const plans = {
  pro: { name: 'Pro', prices: [{ id: '1001', amount: 1200, currency: 'EUR', interval: 'month' }] },
}

export function says<Name extends EventName>(
  at: string,
  name: Name,
  object: Name extends `order_${string}`
    ? Order
    : Name extends `subscription_payment_${string}`
      ? Invoice
      : Subscription,
): Message {
  return { at, event: objects.lemonEvent(name, object as never) }
}

export const bought: readonly Message[] = [
  says('2026-03-01T00:00:03Z', 'order_created', lemonOrder()),
  says('2026-03-01T00:00:04Z', 'subscription_created', lemonSubscription()),
  says('2026-03-01T00:00:05Z', 'subscription_payment_success', lemonInvoice()),
]

export const chosen = {
  pro: {
    name: 'Pro',
    prices: [
      { id: '1001', amount: 1200, currency: 'EUR', interval: 'month' },
      { id: '1003', amount: 12000, currency: 'EUR', interval: 'year' },
    ],
  },
  max: { name: 'Max', prices: [{ id: '1002', amount: 2400, currency: 'EUR', interval: 'month' }] },
  vip: { name: 'VIP', prices: [{ id: '1004', amount: 24000, currency: 'EUR', interval: 'year' }] },
}

export function at(moment: string) {
  return { updated_at: `${moment.slice(0, -1)}.000000Z` }
}
export function renewal(moment: string, fields: Invoice = {}) {
  return lemonInvoice({
    id: '902',
    billing_reason: 'renewal',
    created_at: '2026-04-01T00:00:01.000000Z',
    ...at(moment),
    ...fields,
  })
}
export const failed: readonly Message[] = [
  says(
    '2026-04-01T00:00:10Z',
    'subscription_updated',
    lemonSubscription({
      status: 'past_due',
      renews_at: '2026-04-04T00:00:00.000000Z',
      ...at('2026-04-01T00:00:10Z'),
    }),
  ),
  says(
    '2026-04-01T00:00:11Z',
    'subscription_payment_failed',
    renewal('2026-04-01T00:00:11Z', { status: 'pending' }),
  ),
]
/** A renewal that was paid: its invoice names no variant. */
export function renewed(
  id: string,
  day: string,
  next: string,
  fields: Subscription = {},
): readonly Message[] {
  return [
    says(
      `${day}T00:00:10Z`,
      'subscription_updated',
      lemonSubscription({ renews_at: `${next}T00:00:00.000000Z`, ...at(`${day}T00:00:10Z`), ...fields }),
    ),
    says(
      `${day}T00:00:11Z`,
      'subscription_payment_success',
      lemonInvoice({
        id,
        billing_reason: 'renewal',
        created_at: `${day}T00:00:01.000000Z`,
        ...at(`${day}T00:00:11Z`),
      }),
    ),
  ]
}
/** A change to another variant that is charged at once, and whose charge fails. */
export function declined(id: string, day: string, variant_id: number): readonly Message[] {
  return [
    says(
      `${day}T12:00:03Z`,
      'subscription_updated',
      lemonSubscription({ variant_id, status: 'past_due', ...at(`${day}T12:00:03Z`) }),
    ),
    says(
      `${day}T12:00:04Z`,
      'subscription_payment_failed',
      lemonInvoice({
        id,
        billing_reason: 'updated',
        status: 'pending',
        created_at: `${day}T12:00:01.000000Z`,
        ...at(`${day}T12:00:04Z`),
      }),
    ),
  ]
}
export const changing = from(
  'https://docs.lemonsqueezy.com/guides/tutorials/change-subscriber-plan',
  '2026-11-29',
)
export const invoicing = from(
  'https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object',
  '2026-11-29',
)

export const recovery = from('https://docs.lemonsqueezy.com/help/online-store/recovery-dunning')

export const pausing = from('https://docs.lemonsqueezy.com/api/subscriptions/update-subscription')

/** Today, for the facts that were read for these lifecycles. */
export const today = '2026-11-30'
