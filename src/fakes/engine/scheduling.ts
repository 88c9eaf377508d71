import { cancellationAt, endSubscription, noCancellation } from './ending.ts'
import type { Phase, Schedule, Subscription } from './objects.ts'
import { addIntervals } from './periods.ts'
import { soonestOf } from './proration.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/**
 * Creates a schedule from a subscription, with the current period as its only phase.
 * @throws Refusal for one that has a schedule
 */
export function scheduleFrom(world: World, subscription: Subscription): Schedule {
  if (subscription.schedule !== null) throw new Refusal('is scheduled')
  const { start = 0, end = 0 } = soonestOf(subscription.items) ?? {}
  const phase: Phase = {
    start,
    end,
    items: subscription.items.map(({ price, quantity }) => ({ price: price.id, quantity })),
    metadata: subscription.metadata,
    trial_end: subscription.status === 'trialing' ? subscription.trial_end : null,
  }
  const schedule = world.add<'schedule'>(
    {
      kind: 'schedule',
      id: world.idFor('schedule'),
      created: world.clock.seconds(),
      customer: subscription.customer,
      subscription: subscription.id,
      phases: [phase],
      current: { start, end },
      ends: 'release',
      status: 'active',
      ended_at: null,
      released: null,
    },
    'schedule added',
  )
  world.change('subscription', subscription.id, { schedule: schedule.id }, 'subscription changed')
  return schedule
}

/** Schedules other items from the next period on. @throws Refusal for one that has a schedule */
export function scheduleNext(world: World, before: Subscription, items: Phase['items']): Schedule {
  const schedule = scheduleFrom(world, before)
  const running = schedule.phases[0]!
  const start = running.end
  const { rhythm } = world.store.get('price', items[0]!.price)
  const next = { start, end: addIntervals(start, rhythm!), items, metadata: {}, trial_end: null }
  return reschedule(world, schedule, { phases: [running, next] })
}

/** Replaces the phases. If the schedule cancels at its end, the subscription shows that. @throws Refusal */
export function reschedule(
  world: World,
  { id, current, subscription }: Schedule,
  patch: { phases?: readonly Phase[]; ends?: Schedule['ends'] },
): Schedule {
  const running = patch.phases?.find(({ start }) => start === current?.start)
  if (patch.phases !== undefined && running === undefined) throw new Refusal('no running phase')
  const now = running && { current: { start: running.start, end: running.end } }
  const after = world.change('schedule', id, { ...patch, ...now }, 'schedule changed')
  if (subscription === null) return after
  const managed = world.store.get('subscription', subscription)
  const ends = after.ends === 'cancel' ? (after.phases.at(-1)?.end ?? null) : null
  if (managed.cancel_at !== ends) {
    const fields = ends === null ? noCancellation(managed) : cancellationAt(world, managed, ends)
    world.change('subscription', subscription, fields, 'subscription changed')
  }
  return after
}

/** Removes the schedule and leaves the subscription as it is. @throws Refusal when it is over */
export function releaseSchedule(world: World, schedule: Schedule): Schedule {
  requireActive(schedule)
  const { id, subscription, ends } = schedule
  const managed = world.store.get('subscription', subscription)
  const free = { schedule: null, ...(ends === 'cancel' ? noCancellation(managed) : {}) }
  world.change('subscription', managed.id, free, 'subscription changed')
  const ended_at = world.clock.seconds()
  const patch = {
    current: null,
    ended_at,
    released: subscription,
    status: 'released' as const,
    subscription: null,
  }
  return world.change('schedule', id, patch, 'schedule released')
}

/** Ends the schedule and its subscription at once. @throws Refusal when it is over */
export function cancelSchedule(world: World, schedule: Schedule): Schedule {
  requireActive(schedule)
  const { id, subscription } = schedule
  world.change('subscription', subscription!, { schedule: null })
  endSubscription(world, subscription!, 'asked')
  const ended = { current: null, ended_at: world.clock.seconds(), status: 'canceled' as const }
  return world.change('schedule', id, ended, 'schedule canceled')
}

/** Ends the current phase: the next one begins, or the schedule is done. */
export function endPhase(world: World, id: string): void {
  const schedule = world.store.get('schedule', id)
  const { current, phases, subscription, ends } = schedule
  const over = current?.end ?? 0
  // An empty phase would end as it begins, and begin again.
  const next = phases.find(({ start, end }) => start >= over && end > over)
  if (next !== undefined) {
    enter(world, world.store.get('subscription', subscription), next)
    world.change('schedule', id, { current: { start: next.start, end: next.end } }, 'schedule changed')
  } else if (ends === 'release') releaseSchedule(world, schedule)
  else {
    // Its subscription ends in the same second, by `cancel_at`.
    world.change('subscription', subscription!, { schedule: null })
    const ended = { current: null, ended_at: world.clock.seconds(), status: 'completed' as const }
    world.change('schedule', id, ended, 'schedule completed')
  }
}

// Runs before the period of the same second ends, so that the new items are billed.
function enter(world: World, subscription: Subscription, phase: Phase): void {
  const items = phase.items.map(({ price, quantity }, i) => ({
    ...subscription.items[i]!,
    price: world.store.get('price', price),
    quantity,
  }))
  const [was, is] = [subscription.items[0], items[0]].map((item) => JSON.stringify(item?.price.rhythm))
  const metadata = Object.entries({ ...subscription.metadata, ...phase.metadata })
  const patch = {
    items,
    metadata: Object.fromEntries(metadata.filter(([, value]) => value !== '')),
    ...(was === is ? {} : { anchor: world.clock.seconds() }),
  }
  world.change('subscription', subscription.id, patch, 'subscription changed')
}

function requireActive({ status }: Schedule): void {
  if (status !== 'active') throw new Refusal('schedule is over', { status })
}
