import type { WebhookEventType, WebhookPayload } from 'dodopayments/resources/webhook-events'
import * as objects from '../../providers/dodo/events.ts'
import { from, type Message, type Step } from '../lifecycle.ts'
import { made, type Part } from '../typed.ts'

type Subscription = Part<WebhookPayload.Subscription>
type Payment = Part<WebhookPayload.Payment>
export const dodoPayment = made<Payment>(objects.dodoPayment)
export const dodoSubscription = made<Subscription>(objects.dodoSubscription)
type Refund = Part<WebhookPayload.Refund>
type Dispute = Part<WebhookPayload.Dispute>
export const dodoBook = made<Payment>(objects.dodoBook)
export const dodoRefund = made<Refund>(objects.dodoRefund)
export const dodoDispute = made<Dispute>(objects.dodoDispute)

export const plans = {
  pro: { name: 'Pro', prices: [{ id: 'pdt_pro_monthly', amount: 1200, currency: 'EUR', interval: 'month' }] },
  year: { name: 'Year', prices: [{ id: 'pdt_year', amount: 9000, currency: 'EUR', interval: 'year' }] },
  book: { name: 'Book', prices: [{ id: 'pdt_book', amount: 3000, currency: 'EUR' }] },
}

export function says<Type extends WebhookEventType>(
  at: string,
  type: Type,
  data: Type extends `payment.${string}`
    ? Payment
    : Type extends `refund.${string}`
      ? Refund
      : Type extends `dispute.${string}`
        ? Dispute
        : Subscription,
): Message {
  return { at, event: objects.dodoEvent(type, at, data) }
}

export const today = '2026-11-30'
export const bookBought = says('2026-03-02T09:00:05Z', 'payment.succeeded', dodoBook())
export const disputed = says(
  '2026-03-10T10:00:05Z',
  'dispute.opened',
  dodoDispute({ created_at: '2026-03-10T10:00:00Z' }),
)
export const disputes = from('https://docs.dodopayments.com/features/transactions/disputes', today)
export const changing = from(
  'https://docs.dodopayments.com/developer-resources/subscription-upgrade-downgrade',
  today,
)

export const bought: readonly Message[] = [
  says('2026-03-01T00:00:10Z', 'subscription.active', dodoSubscription()),
  says('2026-03-01T00:00:11Z', 'payment.succeeded', dodoPayment()),
]

export const year: Subscription = {
  product_id: 'pdt_year',
  recurring_pre_tax_amount: 9000,
  payment_frequency_interval: 'Year',
  next_billing_date: '2027-03-01T00:00:00Z',
}

export const april = {
  previous_billing_date: '2026-04-01T00:00:00Z',
  next_billing_date: '2026-05-01T00:00:00Z',
}
export const failed: readonly Message[] = [
  says(
    '2026-04-01T00:00:10Z',
    'payment.failed',
    dodoPayment({ payment_id: 'pay_2', status: 'failed', created_at: '2026-04-01T00:00:05Z' }),
  ),
  says('2026-04-01T00:00:11Z', 'subscription.on_hold', dodoSubscription({ status: 'on_hold' })),
]

export const paid: Step = {
  at: '2026-03-01T00:05:00Z',
  happens: 'paid',
  sends: bought,
  sees: { open: { pro: true }, payments: ['1200 paid'] },
}

const pages = 'https://docs.dodopayments.com'
export const subscriptions = from(`${pages}/features/subscription`, today)
export const disputeEvents = from(`${pages}/developer-resources/webhooks/intents/dispute`, today)
export const refunds = from(`${pages}/features/transactions/refunds`, today)
export const debits = from(`${pages}/features/payment-methods/ach`, today)
export const onDemand = from(`${pages}/developer-resources/ondemand-subscriptions`, today)
