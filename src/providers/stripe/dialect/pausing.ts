import type { Subscription } from './types.ts'
import type { World } from './world.ts'

/** https://docs.stripe.com/billing/subscriptions/pause-payment */
export const markPaused = (world: World, id: string): Subscription => {
  const paused = { subscription: null, transitioned_at: world.clock.seconds(), type: 'subscription' }
  const after = world.change(
    'subscription',
    id,
    { status: 'paused', status_details: { paused } },
    'customer.subscription.updated',
  )
  world.emit('customer.subscription.paused', after)
  return after
}
