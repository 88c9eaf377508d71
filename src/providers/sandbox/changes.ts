import { invoicePath, moneyOf } from '../../core/dto/index.ts'
import type { Change, CustomerChange, MoneyChange, Stage, SubscriptionChange } from '../contract.ts'
import { amountPart, type ReadMoney } from '../money.ts'
import { costPart } from '../subscription.ts'
import {
  type SandboxCheckout,
  type SandboxCustomer,
  type SandboxDispute,
  type SandboxKind,
  type SandboxObject,
  type SandboxPayment,
  type SandboxSubscription,
  sandboxEvent,
} from './objects.ts'

/** Reads an event of the sandbox. Unknown events yield no change. */
export function sandboxChanges(message: unknown): Change[] {
  const { success, data: event } = sandboxEvent.safeParse(message)
  if (!success) return []
  const stage: Stage = event.type.endsWith('.created')
    ? 'created'
    : event.type.endsWith('.deleted')
      ? 'deleted'
      : 'updated'
  return [changeOf(event, stage)]
}

/** Converts an object of the sandbox to a ledger change. */
export function changeOf(view: Viewed, stage: Stage = 'updated'): Change {
  switch (view.object) {
    case 'checkout':
      return checkoutChange(view.data, stage)
    case 'customer':
      return customerChange(view.data, stage)
    case 'subscription':
      return subscriptionChange(view.data, stage)
    case 'payment':
      return paymentChange(view.data, stage)
    case 'dispute':
      return disputeChange(view.data, stage)
    default:
      throw new TypeError(`unhandled ${view satisfies never}`)
  }
}
type Viewed = { [K in SandboxKind]: { readonly object: K; readonly data: SandboxObject<K> } }[SandboxKind]

/** Returns the kind of object that a change is about. */
export function kindOf(change: Change): string {
  return change.type === 'money' ? change.kind : change.type
}

/** Converts a customer; only the stage shows that it was deleted. */
function customerChange(c: SandboxCustomer, stage: Stage): CustomerChange {
  return {
    type: 'customer',
    id: c.id,
    at: c.updated,
    stage,
    data: { id: c.id, email: c.email, name: c.name, deleted: stage === 'deleted', livemode: false },
  }
}

/** Converts a subscription with one item; a scheduled change takes effect at the period's end. */
export function subscriptionChange(s: SandboxSubscription, stage: Stage): SubscriptionChange {
  return {
    type: 'subscription',
    id: s.id,
    at: s.updated,
    stage,
    data: {
      id: s.id,
      customer_id: s.customer,
      price_id: s.price.id,
      product_id: null,
      quantity: s.quantity,
      items: [
        {
          id: `${s.id}_item`,
          price_id: s.price.id,
          product_id: null,
          quantity: s.quantity,
          current_period_start: s.period_start,
          current_period_end: s.period_end,
        },
      ],
      status: s.status,
      provider_status: null,
      ...costPart(moneyOf(s.price, { amount: 'amount', currency: 'currency' }), s.price),
      started_at: s.started,
      trial_ends_at: s.trial_ends,
      current_period_start: s.period_start,
      current_period_end: s.period_end,
      cancel_at_period_end: s.cancel_at_period_end,
      cancel_at: null,
      canceled_at: s.canceled,
      ended_at: s.ended,
      paused_at: s.paused,
      resumes_at: s.resumes,
      scheduled_change:
        s.scheduled === null
          ? null
          : {
              price_id: s.scheduled.price.id,
              quantity: s.scheduled.quantity,
              at: s.period_end,
              ...(s.scheduled.price.id === s.price.id && s.scheduled.price.amount !== s.price.amount
                ? { unit_amount: s.scheduled.price.amount }
                : {}),
            },
      livemode: false,
      metadata: s.metadata,
    },
  }
}

type ReadChange = MoneyChange & { readonly data: ReadMoney }

/** Converts a payment, joined to its checkout; amounts are in minor units. */
function paymentChange(p: SandboxPayment, stage: Stage): ReadChange {
  return {
    type: 'money',
    kind: 'payment',
    id: p.id,
    at: p.updated,
    stage,
    data: {
      id: p.id,
      refs: p.checkout === null ? [] : [{ kind: 'checkout', id: p.checkout }],
      customer_id: p.customer,
      subscription_id: p.subscription,
      purpose: p.subscription === null && p.price.interval === null ? 'one_time' : 'recurring',
      price_id: p.price.id,
      items: [{ price_id: p.price.id, product_id: null, quantity: p.quantity }],
      quantity: p.quantity,
      ...amountPart(
        moneyOf({ amount: p.amount, currency: p.price.currency }, { amount: 'amount', currency: 'currency' }),
        { amount_refunded: p.amount_refunded },
      ),
      state: p.status,
      paid_at: p.paid,
      card_last4: p.last4 ?? null,
      invoice_url: p.status === 'paid' ? invoicePath(p.id) : null,
      livemode: false,
      metadata: p.metadata,
    },
  }
}

/** Converts a dispute with its payment; the amount is in minor units. */
function disputeChange(d: SandboxDispute, stage: Stage): ReadChange {
  return {
    type: 'money',
    kind: 'dispute',
    id: d.id,
    at: d.updated,
    stage,
    data: {
      id: d.id,
      refs: [{ kind: 'payment', id: d.payment }],
      customer_id: d.customer,
      ...amountPart(moneyOf(d, { amount: 'amount', currency: 'currency' })),
      state: d.status,
      livemode: false,
    },
  }
}

// A trial costs nothing at first.
function priceOf({ mode, price, quantity }: SandboxCheckout) {
  return {
    amount: mode === 'subscription' && price.trial_days > 0 ? 0 : price.amount * quantity,
    currency: price.currency,
  }
}

/**
 * Converts a checkout, joined to its payment if there is one. The amount is in minor units, 0 for a trial. An
 * expired checkout counts as failed.
 */
function checkoutChange(c: SandboxCheckout, stage: Stage): ReadChange {
  return {
    type: 'money',
    kind: 'checkout',
    id: c.id,
    at: c.updated,
    stage,
    data: {
      id: c.id,
      refs: c.payment === null ? [] : [{ kind: 'payment', id: c.payment }],
      customer_id: c.customer,
      subscription_id: c.subscription,
      price_id: c.price.id,
      quantity: c.quantity,
      ...amountPart(moneyOf(priceOf(c), { amount: 'amount', currency: 'currency' })),
      state: c.paid ? 'paid' : c.status === 'expired' ? 'failed' : 'pending',
      paid_at: c.paid ? c.updated : null,
      email: c.email,
      name: c.name,
      livemode: false,
      metadata: c.metadata,
      intent_id: c.intent_id,
      checkout_status: c.status,
      purpose: c.mode === 'subscription' ? 'recurring' : 'one_time',
    },
  }
}
