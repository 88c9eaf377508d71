import type { AnyObject, Fact } from '../engine/index.ts'

interface TypedObject {
  readonly type: string
  /** Set if the event contains the link between invoice and payment. */
  readonly of?: 'invoice payment'
}

const subscription = 'customer.subscription'
// https://docs.stripe.com/api/events/types; `….updated` is sent after a change.
const types: Record<Fact, readonly string[]> = {
  'product added': ['product.created'],
  'price added': ['price.created'],
  'coupon added': ['coupon.created'],
  'code added': ['promotion_code.created'],
  'discount added': ['customer.discount.created'],
  'customer added': ['customer.created'],
  'customer changed': ['customer.updated'],
  'customer deleted': ['customer.deleted'],
  'method added': ['payment_method.attached'],
  'checkout completed': ['checkout.session.completed'],
  'checkout expired': ['checkout.session.expired'],
  'checkout paid': ['checkout.session.async_payment_succeeded'],
  'checkout failed': ['checkout.session.async_payment_failed'],
  'subscription added': [`${subscription}.created`],
  'subscription changed': [`${subscription}.updated`],
  'subscription ended': [`${subscription}.deleted`],
  'subscription paused': [`${subscription}.updated`, `${subscription}.paused`],
  'subscription resumed': [`${subscription}.updated`, `${subscription}.resumed`],
  'trial ending': [`${subscription}.trial_will_end`],
  'change applied': [`${subscription}.updated`, `${subscription}.pending_update_applied`],
  'change expired': [`${subscription}.updated`, `${subscription}.pending_update_expired`],
  'schedule added': ['subscription_schedule.created'],
  'schedule changed': ['subscription_schedule.updated'],
  'schedule released': ['subscription_schedule.released'],
  'schedule canceled': ['subscription_schedule.canceled'],
  'schedule completed': ['subscription_schedule.completed'],
  'line added': ['invoiceitem.created'],
  'line dropped': ['invoiceitem.deleted'],
  'invoice added': ['invoice.created'],
  'invoice finalized': ['invoice.finalized'],
  'invoice paid': ['invoice.updated', 'invoice.paid', 'invoice.payment_succeeded'],
  'invoice failed': ['invoice.updated', 'invoice.payment_failed'],
  'invoice asks': ['invoice.payment_action_required'],
  'invoice voided': ['invoice.updated', 'invoice.voided'],
  'invoice given up': ['invoice.updated', 'invoice.marked_uncollectible'],
  'payment opened': ['payment_intent.created'],
  'payment paid': ['payment_intent.succeeded'],
  'payment failed': ['payment_intent.payment_failed'],
  'payment processing': ['payment_intent.processing'],
  'payment asks': ['payment_intent.requires_action'],
  'charge paid': ['charge.succeeded'],
  'charge failed': ['charge.failed'],
  'charge pending': ['charge.pending'],
  'charge refunded': ['charge.refunded'],
  'refund made': ['refund.created'],
  'dispute opened': ['charge.dispute.created', 'charge.dispute.funds_withdrawn'],
  'dispute won': ['charge.dispute.updated', 'charge.dispute.funds_reinstated', 'charge.dispute.closed'],
  'dispute lost': ['charge.dispute.updated', 'charge.dispute.closed'],
}

/** Returns the events by which Stripe reports a fact, in order. */
export function typesOf(fact: Fact, object: AnyObject): TypedObject[] {
  return [
    ...types[fact].map((type) => ({ type })),
    ...(fact === 'invoice paid' && object.kind === 'invoice' && object.payment !== null
      ? [{ type: 'invoice_payment.paid', of: 'invoice payment' as const }]
      : []),
  ]
}
