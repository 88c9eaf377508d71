import { addIntervals, type Interval } from '../../../merchant/index.ts'
import { load } from './api-read.ts'
import { invalid, missing } from './errors.ts'
import type { Reader } from './params.ts'
import { type Route, route } from './routes.ts'
import { cancelSchedule, releaseSchedule, reschedule, scheduleFrom } from './scheduling.ts'
import type { SchedulePhase } from './types.ts'
import type { World } from './world.ts'

const phaseParams = [
  ...['start_date', 'end_date', 'duration', 'items', 'metadata', 'proration_behavior', 'trial_end'],
  ...['discounts', 'default_tax_rates', 'automatic_tax', 'collection_method', 'default_payment_method'],
  'description',
]

/** https://docs.stripe.com/api/subscription_schedules; of creating them only the way from a subscription. */
export const scheduleRoutes: Route[] = [
  route('POST /v1/subscription_schedules', ['from_subscription'], ({ world, params }) => {
    const id = params.required('from_subscription')
    const subscription = world.store.find('subscription', id)
    if (subscription === undefined) throw missing('subscription', id, 'from_subscription')
    return { object: scheduleFrom(world, subscription) }
  }),
  route(
    'POST /v1/subscription_schedules/:id',
    ['end_behavior', 'proration_behavior', 'phases', 'metadata'],
    (call) => {
      const { world, params } = call
      const schedule = load(call, 'subscription_schedule')
      if (schedule.status !== 'active')
        throw invalid(
          `You cannot update a subscription schedule that is currently in the \`${schedule.status}\` status. It must be in \`not_started\`, \`active\` status to be updated.`,
        )
      const end_behavior = params.oneOf('end_behavior', ['release', 'cancel'] as const)
      const phases = readPhases(world, params.children('phases'))
      return {
        object: reschedule(world, schedule, {
          ...(end_behavior === undefined ? {} : { end_behavior }),
          ...(phases.length === 0 ? {} : { phases }),
        }),
      }
    },
  ),
  route('POST /v1/subscription_schedules/:id/release', ['preserve_cancel_date'], (call) => ({
    object: releaseSchedule(call.world, load(call, 'subscription_schedule')),
  })),
  route('POST /v1/subscription_schedules/:id/cancel', ['invoice_now', 'prorate'], (call) => ({
    object: cancelSchedule(call.world, load(call, 'subscription_schedule')),
  })),
]

const readPhases = (world: World, given: readonly Reader[]): SchedulePhase[] => {
  const phases: SchedulePhase[] = []
  for (const one of given) {
    one.only(...phaseParams)
    const start_date = one.int('start_date') ?? phases.at(-1)?.end_date
    if (start_date === undefined)
      throw invalid('The first phase needs a start_date.', one.nameOf('start_date'), 'parameter_missing')
    const end_date = one.int('end_date') ?? afterDuration(one, start_date)
    const before = phases.at(-1)
    if (before !== undefined && before.end_date !== start_date)
      throw invalid('Phases must follow each other without a gap.', one.nameOf('start_date'))
    phases.push({
      start_date,
      end_date,
      items: one.children('items').map((item) => readItem(world, item)),
      metadata: readMetadata(one),
      trial_end: one.int('trial_end') ?? null,
    })
  }
  return phases
}

const afterDuration = (phase: Reader, start: number): number => {
  const duration = phase.child('duration')
  const interval = duration.oneOf('interval', ['day', 'week', 'month', 'year'] as const)
  if (interval === undefined)
    throw invalid('A phase needs an end_date or a duration.', phase.nameOf('end_date'), 'parameter_missing')
  const interval_count = duration.int('interval_count') ?? 1
  return addIntervals(start, { interval: interval as Interval, interval_count })
}

const readItem = (world: World, item: Reader) => {
  item.only('price', 'quantity', 'tax_rates', 'discounts')
  const price = item.required('price')
  if (!world.store.find('price', price)) throw missing('price', price, item.nameOf('price'))
  return { price, quantity: item.int('quantity') ?? 1 }
}

// An empty value is kept: it takes the subscription's own away when the phase begins.
const readMetadata = (phase: Reader): Record<string, string> => {
  const given = phase.raw('metadata')
  return typeof given === 'object' && given !== null ? { ...(given as Record<string, string>) } : {}
}
