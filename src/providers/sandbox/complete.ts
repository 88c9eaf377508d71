import { type Desk, idFrom, unwritten } from './books.ts'
import type { SandboxCheckout, SandboxPayment, SandboxSubscription } from './objects.ts'
import { addDays, nextEnd } from './periods.ts'

/** The money of a checkout is there: what it was for begins. A trial begins without a payment. */
export const complete = async (desk: Desk, checkout: SandboxCheckout, at: string): Promise<void> => {
  const customer = checkout.customer!
  const subscription = checkout.mode === 'subscription' ? subscribe(desk, checkout, customer, at) : null
  const payment =
    subscription?.status === 'trialing' ? null : pay(desk, checkout, { customer, subscription, at })
  const paid = {
    ...checkout,
    paid: true,
    pays_at: null,
    subscription: subscription?.id ?? null,
    payment: payment?.id ?? null,
  }
  desk.write('checkout', paid, { type: 'checkout.completed', at })
}

const subscribe = (
  desk: Desk,
  { id, price, quantity, metadata }: SandboxCheckout,
  customer: string,
  at: string,
): SandboxSubscription => {
  const trialEnds = price.trial_days > 0 ? addDays(at, price.trial_days) : null
  return desk.write(
    'subscription',
    {
      id: idFrom('sub', id),
      customer,
      price,
      quantity,
      status: trialEnds === null ? 'active' : 'trialing',
      started: at,
      trial_ends: trialEnds,
      period_start: at,
      period_end: trialEnds ?? nextEnd(at, price, at),
      anchor: trialEnds ?? at,
      pending: [],
      fail_next: false,
      open_payment: null,
      attempts: 0,
      retry_at: null,
      scheduled: null,
      paused: null,
      resumes: null,
      cancel_at_period_end: false,
      canceled: null,
      ended: null,
      metadata,
      updated: unwritten,
    },
    { type: 'subscription.created', at },
  )
}

const pay = (
  desk: Desk,
  { id, price, quantity, metadata }: SandboxCheckout,
  { customer, subscription, at }: { customer: string; subscription: SandboxSubscription | null; at: string },
): SandboxPayment =>
  desk.write(
    'payment',
    {
      id: idFrom('pay', id),
      customer,
      subscription: subscription?.id ?? null,
      checkout: id,
      price,
      quantity,
      amount: price.amount * quantity,
      amount_refunded: 0,
      status: 'paid',
      paid: at,
      metadata,
      updated: unwritten,
    },
    { type: 'payment.created', at },
  )
