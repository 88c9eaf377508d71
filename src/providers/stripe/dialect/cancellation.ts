import type { Subscription } from './types.ts'
import type { World } from './world.ts'

/** A cancellation that is to come: at a moment, or at the end of the period. */
export const cancellationAt = (
  world: World,
  before: Subscription,
  at: number | null,
): Partial<Subscription> => ({
  cancel_at: at ?? before.items.data[0]?.current_period_end ?? null,
  cancel_at_period_end: at === null,
  canceled_at: before.canceled_at ?? world.clock.seconds(),
  cancellation_details: { ...before.cancellation_details, reason: 'cancellation_requested' },
})

/** Nothing is to come any more. */
export const noCancellation = (before: Subscription): Partial<Subscription> => ({
  cancel_at: null,
  cancel_at_period_end: false,
  canceled_at: null,
  cancellation_details: { ...before.cancellation_details, reason: null },
})
