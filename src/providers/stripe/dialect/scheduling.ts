import { cancellationAt, noCancellation } from './cancellation.ts'
import { cancelNow } from './ending.ts'
import { invalid } from './errors.ts'
import type { SchedulePhase, Subscription, SubscriptionSchedule } from './types.ts'
import type { World } from './world.ts'

/** A schedule made from a subscription: one phase, the period that runs. What follows it is nothing yet.
 *  https://docs.stripe.com/api/subscription_schedules/create#create_subscription_schedule-from_subscription */
export const scheduleFrom = (world: World, subscription: Subscription): SubscriptionSchedule => {
  if (subscription.schedule !== null)
    throw invalid(
      'You cannot migrate a subscription that is already attached to a schedule.',
      'from_subscription',
    )
  const [first] = subscription.items.data
  const { current_period_start: start_date = 0, current_period_end: end_date = 0 } = first ?? {}
  const phase: SchedulePhase = {
    start_date,
    end_date,
    items: subscription.items.data.map(({ price, quantity }) => ({ price: price.id, quantity })),
    metadata: subscription.metadata,
    trial_end: subscription.status === 'trialing' ? subscription.trial_end : null,
  }
  const schedule = world.add<'subscription_schedule'>(
    {
      id: world.ids('sub_sched'),
      object: 'subscription_schedule',
      canceled_at: null,
      completed_at: null,
      created: world.clock.seconds(),
      current_phase: { start_date, end_date },
      customer: subscription.customer,
      end_behavior: 'release',
      livemode: false,
      metadata: {},
      phases: [phase],
      released_at: null,
      released_subscription: null,
      status: 'active',
      subscription: subscription.id,
    },
    'subscription_schedule.created',
  )
  world.change('subscription', subscription.id, { schedule: schedule.id }, 'customer.subscription.updated')
  return schedule
}

/** Replaces the phases. One that cancels at its end has its subscription say so. */
export const reschedule = (
  world: World,
  { id, current_phase, subscription }: SubscriptionSchedule,
  patch: { phases?: readonly SchedulePhase[]; end_behavior?: SubscriptionSchedule['end_behavior'] },
): SubscriptionSchedule => {
  const running = patch.phases?.find(({ start_date }) => start_date === current_phase?.start_date)
  if (patch.phases !== undefined && running === undefined)
    throw invalid('The current phase must be among the phases, with its start_date.', 'phases')
  const after = world.change(
    'subscription_schedule',
    id,
    {
      ...patch,
      ...(running ? { current_phase: { start_date: running.start_date, end_date: running.end_date } } : {}),
    },
    'subscription_schedule.updated',
  )
  if (subscription === null) return after
  const managed = world.store.get('subscription', subscription)
  const ends = after.end_behavior === 'cancel' ? (after.phases.at(-1)?.end_date ?? null) : null
  if (managed.cancel_at !== ends) {
    const fields = ends === null ? noCancellation(managed) : cancellationAt(world, managed, ends)
    world.change('subscription', subscription, fields, 'customer.subscription.updated')
  }
  return after
}

/** Leaves the subscription as it is, without what the schedule had planned. */
export const releaseSchedule = (world: World, schedule: SubscriptionSchedule): SubscriptionSchedule => {
  requireActive(schedule)
  const { id, subscription, end_behavior } = schedule
  const managed = world.store.get('subscription', subscription)
  world.change(
    'subscription',
    managed.id,
    { schedule: null, ...(end_behavior === 'cancel' ? noCancellation(managed) : {}) },
    'customer.subscription.updated',
  )
  return world.change(
    'subscription_schedule',
    id,
    {
      current_phase: null,
      released_at: world.clock.seconds(),
      released_subscription: subscription,
      status: 'released',
      subscription: null,
    },
    'subscription_schedule.released',
  )
}

/** Ends the schedule and its subscription at once. */
export const cancelSchedule = (world: World, schedule: SubscriptionSchedule): SubscriptionSchedule => {
  requireActive(schedule)
  const { id, subscription } = schedule
  world.change('subscription', subscription!, { schedule: null })
  cancelNow(world, subscription!, 'cancellation_requested')
  const canceled_at = world.clock.seconds()
  return world.change(
    'subscription_schedule',
    id,
    { canceled_at, current_phase: null, status: 'canceled' },
    'subscription_schedule.canceled',
  )
}

/** The running phase is over: the next one begins, or the schedule is done. */
export const endPhase = (world: World, id: string): void => {
  const schedule = world.store.get('subscription_schedule', id)
  const { current_phase, phases, subscription, end_behavior } = schedule
  const next = phases.find(({ start_date }) => start_date >= (current_phase?.end_date ?? 0))
  if (next !== undefined) {
    enter(world, world.store.get('subscription', subscription), next)
    const { start_date, end_date } = next
    world.change(
      'subscription_schedule',
      id,
      { current_phase: { start_date, end_date } },
      'subscription_schedule.updated',
    )
    return
  }
  if (end_behavior === 'release') {
    releaseSchedule(world, schedule)
    return
  }
  // Its subscription ends in the same second, by `cancel_at`.
  const completed_at = world.clock.seconds()
  world.change('subscription', subscription!, { schedule: null })
  world.change(
    'subscription_schedule',
    id,
    { completed_at, current_phase: null, status: 'completed' },
    'subscription_schedule.completed',
  )
}

// Before the period of the same second ends, so that the next one is billed with what is there now.
const enter = (world: World, subscription: Subscription, phase: SchedulePhase): void => {
  const data = phase.items.map(({ price, quantity }, i) => ({
    ...subscription.items.data[i]!,
    price: world.store.get('price', price),
    quantity,
  }))
  const [first] = data
  const isSameRhythm =
    JSON.stringify(first?.price.recurring) === JSON.stringify(subscription.items.data[0]?.price.recurring)
  const metadata = { ...subscription.metadata, ...phase.metadata }
  world.change(
    'subscription',
    subscription.id,
    {
      items: { ...subscription.items, data },
      metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== '')),
      ...(isSameRhythm ? {} : { billing_cycle_anchor: world.clock.seconds() }),
    },
    'customer.subscription.updated',
  )
}

const requireActive = ({ status }: SubscriptionSchedule): void => {
  if (status !== 'active')
    throw invalid(
      `You cannot release or cancel a subscription schedule that is currently in the \`${status}\` status. It must be in \`not_started\` or \`active\`.`,
    )
}
