import type {
  IAdjustmentNotificationResponse,
  ICustomerNotificationResponse,
  IEventName,
  IPriceNotificationResponse,
  ISubscriptionCreatedNotificationResponse,
  ITransactionNotificationResponse,
} from '@paddle/paddle-node-sdk'
import * as objects from '../../providers/paddle/events.ts'
import { from, type Message, monthsAfter, type Step } from '../lifecycle.ts'
import { made, type Part } from '../typed.ts'

type Adjustment = Part<IAdjustmentNotificationResponse>
export type Subscription = Part<ISubscriptionCreatedNotificationResponse>
export type Transaction = Part<ITransactionNotificationResponse>
type Attempt = NonNullable<Transaction['payments']>[number]
type Price = Part<IPriceNotificationResponse>
type Customer = Part<ICustomerNotificationResponse>
export const paddleAdjustment = made<Adjustment>(objects.paddleAdjustment)
export const paddleBook = made<Price>(objects.paddleBook)
export const paddleCustomer = made<Customer>(objects.paddleCustomer)
export const paddlePrice = made<Price>(objects.paddlePrice)
export const paddleSubscription = made<Subscription>(objects.paddleSubscription)
export const paddleTransaction = made<Transaction>(objects.paddleTransaction)

/** The object of an event, by the first word of its name. */
type Told<Name extends IEventName> = Name extends `adjustment.${string}`
  ? Adjustment
  : Name extends `subscription.${string}`
    ? Subscription
    : Name extends `transaction.${string}`
      ? Transaction
      : Customer

export const plans = {
  pro: { name: 'Pro', prices: [{ id: 'pri_pro_monthly', amount: 1200, currency: 'EUR', interval: 'month' }] },
  book: { name: 'Book', prices: [{ id: 'pri_book', amount: 3000, currency: 'EUR' }] },
}

export function says<Name extends IEventName>(at: string, type: Name, data: Told<Name>): Message {
  return {
    at,
    event: objects.paddleEvent(type, at, { ...data, updated_at: at }),
  }
}

export function period(start: string) {
  return { starts_at: start, ends_at: monthsAfter(start, 1) }
}
export const april = '2026-04-01T00:00:00Z'
export const may = '2026-05-01T00:00:00Z'

export function subscription(start: string, fields: Subscription = {}): Subscription {
  return paddleSubscription({
    current_billing_period: period(start),
    next_billed_at: monthsAfter(start, 1),
    ...fields,
  })
}

/** The renewal of the month that begins then. */
export function renewal(
  id: string,
  start: string,
  status: Transaction['status'],
  fields: Transaction = {},
): Transaction {
  return paddleTransaction({
    id,
    status,
    subscription_id: 'sub_1',
    origin: 'subscription_recurring',
    created_at: start,
    billed_at: start,
    billing_period: period(start),
    payments: [attempt(start, status === 'past_due' ? 'error' : 'captured')],
    ...fields,
  })
}

export function attempt(at: string, status: 'captured' | 'error'): Attempt {
  return {
    payment_attempt_id: `attempt-of-${at}`,
    amount: '1200',
    status,
    error_code: status === 'error' ? 'declined' : null,
    created_at: at,
    captured_at: status === 'captured' ? at : null,
  }
}

export const bought: readonly Message[] = [
  says('2026-03-01T00:00:01Z', 'customer.created', paddleCustomer()),
  says('2026-03-01T00:00:03Z', 'subscription.created', paddleSubscription({ transaction_id: 'txn_1' })),
  says('2026-03-01T00:00:04Z', 'transaction.completed', paddleTransaction({ subscription_id: 'sub_1' })),
]
export const paid: Step = {
  at: '2026-03-02T00:00:00Z',
  happens: 'paid',
  sends: bought,
  sees: { open: { pro: true }, payments: ['1200 paid'] },
}

export const withBook = paddleTransaction({
  subscription_id: 'sub_1',
  items: [
    { price: paddlePrice(), quantity: 1, proration: null },
    { price: paddleBook(), quantity: 1, proration: null },
  ],
  details: {
    totals: { subtotal: '3529', tax: '671', total: '4200', grand_total: '4200', currency_code: 'EUR' },
  },
})

export const failed: readonly Message[] = [
  says('2026-04-01T00:00:05Z', 'transaction.past_due', renewal('txn_2', april, 'past_due')),
  says('2026-04-01T00:00:06Z', 'subscription.past_due', subscription(april, { status: 'past_due' })),
]

/** A trial whose items say that it ends on 8 March. */
export function onTrial(next: string): Subscription {
  const raw = paddleSubscription({ status: 'trialing', next_billed_at: next })
  const march = { starts_at: '2026-03-01T00:00:00Z', ends_at: '2026-03-08T00:00:00Z' }
  return {
    ...raw,
    current_billing_period: { ...march, ends_at: next },
    items: (raw.items ?? []).map((item) => ({ ...item, status: 'trialing', trial_dates: march })),
  }
}

export function simulator(scenario: string) {
  return from(`https://developer.paddle.com/webhooks/simulator/scenarios/${scenario}`)
}
export const recovery = from('https://developer.paddle.com/build/retain/configure-payment-recovery-dunning')

/** A book that was bought alone, once. */
export const bookBought: readonly Message[] = [
  says('2026-03-02T09:00:01Z', 'customer.created', paddleCustomer()),
  says(
    '2026-03-02T09:00:02Z',
    'transaction.completed',
    paddleTransaction({
      id: 'txn_2',
      items: [{ price: paddleBook(), quantity: 1, proration: null }],
      details: { totals: { grand_total: '3000', currency_code: 'EUR' } },
    }),
  ),
]

/** Today, for the facts that were read for these lifecycles. */
export const today = '2026-11-30'
