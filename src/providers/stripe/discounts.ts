import type Stripe from 'stripe'
import { MembershipError } from '../../core/errors.ts'
import type { DiscountRequest } from '../contract.ts'

/**
 * Reduces the next invoice by a coupon that lasts `once`. The note in the metadata stays, so that a
 * repetition and a second request find it.
 * https://docs.stripe.com/api/subscriptions/update#update_subscription-discounts
 */
export async function reduceNext(
  stripe: Stripe,
  { subscriptionId: id, percentOff, coupon: couponId, metadata, idempotencyKey }: DiscountRequest,
  now: Date,
): Promise<Stripe.Subscription> {
  if (couponId === null) throw wrongCoupon('A discount at Stripe needs the id of a coupon.')
  const current = await stripe.subscriptions.retrieve(id, { expand: ['customer', 'discounts'] })
  if (Object.keys(metadata).every((key) => current.metadata[key])) return stripe.subscriptions.retrieve(id)
  if (isReduced(current, now))
    throw new MembershipError('ERR_ACTION_REFUSED', 'This membership has a discount already.', {
      reason: 'not_allowed',
      action: 'Nothing was changed.',
    })
  const { duration, percent_off } = await stripe.coupons.retrieve(couponId)
  if (duration !== 'once' || percent_off !== percentOff)
    throw wrongCoupon(`The coupon "${couponId}" at Stripe is not ${percentOff} % off one payment.`)
  return stripe.subscriptions.update(id, { discounts: [{ coupon: couponId }], metadata }, { idempotencyKey })
}

// Discounts of the subscription replace those of its customer, which must not be lost.
function isReduced({ customer, discounts }: Stripe.Subscription, now: Date): boolean {
  const isRunning = (discount: string | Stripe.Discount) =>
    typeof discount === 'string' || discount.end === null || discount.end > now.getTime() / 1000
  const ofCustomer = typeof customer === 'string' || customer.deleted ? null : customer.discount
  return discounts.some(isRunning) || (ofCustomer != null && isRunning(ofCustomer))
}

function wrongCoupon(message: string): MembershipError {
  return new MembershipError('ERR_ACTION_REFUSED', message, {
    reason: 'provider_refused',
    action:
      'Nothing was changed. The site has to set membership.providers.stripe.discount.coupon to a coupon of that percentage with the duration "once".',
  })
}
