import type { Subscription } from './types.ts'
import type { World } from './world.ts'

type Reason = 'cancellation_requested' | 'payment_failed' | 'payment_disputed' | null

/** The end of a subscription. Its open invoices are not tried again.
 *  https://docs.stripe.com/billing/subscriptions/cancel */
export const cancelNow = (world: World, id: string, reason: Reason): Subscription => {
  const now = world.clock.seconds()
  const before = world.store.get('subscription', id)
  for (const invoice of world.store.list('invoice'))
    if (
      invoice.parent.subscription_details.subscription === id &&
      (invoice.status === 'draft' || invoice.status === 'open')
    )
      world.change('invoice', invoice.id, {
        auto_advance: false,
        automatically_finalizes_at: null,
        next_payment_attempt: null,
      })
  return world.change(
    'subscription',
    id,
    {
      canceled_at: before.canceled_at ?? now,
      cancellation_details: {
        ...before.cancellation_details,
        reason: reason ?? before.cancellation_details.reason,
      },
      ended_at: now,
      status: 'canceled',
    },
    'customer.subscription.deleted',
  )
}
