import type { Subscription } from './objects.ts'
import { soonestOf } from './proration.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** Marks a subscription as paused: no billing and no use until it is resumed. */
export function markPaused(world: World, id: string): Subscription {
  return world.change(
    'subscription',
    id,
    { status: 'paused', paused_at: world.clock.seconds(), pause_at: null },
    'subscription paused',
  )
}

/** Pauses a running subscription. @throws Refusal for one that does not run, or is managed by a schedule */
export function pauseSubscription(world: World, before: Subscription): Subscription {
  if (before.status !== 'active' && before.status !== 'trialing')
    throw new Refusal('cannot be paused', { status: before.status })
  if (before.schedule !== null) throw new Refusal('has schedule')
  return markPaused(world, before.id)
}

/**
 * Plans a pause from the end of the paid period, until a moment or until somebody resumes it.
 * @throws Refusal for one that does not run, or is managed by a schedule
 */
export function planPause(world: World, before: Subscription, until: number | null): Subscription {
  if (before.status !== 'active' && before.status !== 'trialing')
    throw new Refusal('cannot be paused', { status: before.status })
  if (before.schedule !== null) throw new Refusal('has schedule')
  const planned = { pause_at: soonestOf(before.items)?.end ?? null, resumes_at: until }
  return world.change('subscription', before.id, planned, 'subscription changed')
}
