import type { ChargebackData } from '@mollie/api-client/dist/types/data/chargebacks/Chargeback.js'
import type { PaymentData } from '@mollie/api-client/dist/types/data/payments/data.js'
import type { RefundData } from '@mollie/api-client/dist/types/data/refunds/data.js'
import type { SubscriptionData } from '@mollie/api-client/dist/types/data/subscriptions/data.js'
import * as objects from '../../providers/mollie/events.ts'
import { from, type Message } from '../lifecycle.ts'
import type { Part } from '../typed.ts'

type Objects = readonly { readonly id: string }[]

export const plans = {
  pro: { name: 'Pro', prices: [{ id: 'pro', amount: 900, currency: 'EUR', interval: 'month' }] },
  book: { name: 'Book', prices: [{ id: 'book', amount: 3000, currency: 'EUR' }] },
}

export const { mollieBook, mollieCustomer, molliePing, noted } = objects

type Payment = Part<PaymentData>
type Subscription = Part<SubscriptionData>
export function mollieRefund(more: Part<RefundData>) {
  return objects.mollieRefund(more)
}
export function mollieChargeback(more: Part<ChargebackData>) {
  return objects.mollieChargeback(more)
}

// The notes of a purchase join its first payment and its subscription.
export const metadata = { ...noted, membership_intent: 'int_1', membership_first: 'tr_first' }
export function mollieFirst(more: Payment = {}) {
  return objects.mollieFirst({ metadata, ...more })
}
export function mollieSubscription(more: Subscription = {}) {
  return objects.mollieSubscription({ metadata, ...more })
}
export function mollieCharge(more: Payment = {}) {
  return objects.mollieCharge({ metadata, ...more })
}

/** The webhook names one object; the site asks for it and finds these. */
export function pings(at: string, id: string, ...objects: Objects): Message {
  return {
    at,
    event: molliePing(id),
    answers: Object.fromEntries(objects.map((object) => [object.id, object])),
  }
}

export const bought = pings(
  '2026-03-01T00:01:00Z',
  'tr_first',
  mollieCustomer(),
  mollieFirst(),
  mollieSubscription(),
)
export function euro(value: string) {
  return { value, currency: 'EUR' }
}
export function renewed(id: string, nextPaymentDate: string, charge: Payment = {}): Objects {
  return [mollieSubscription({ nextPaymentDate }), mollieCharge({ id, ...charge })]
}

export const payments = from('https://docs.mollie.com/reference/get-payment')
export const subscriptions = from('https://docs.mollie.com/reference/get-subscription')
export const recurring = from('https://docs.mollie.com/docs/recurring-payments')

/** The day on which the newer facts were read. */
export const today = '2026-11-30'
