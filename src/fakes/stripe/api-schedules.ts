import {
  addIntervals,
  cancelSchedule,
  type Phase,
  releaseSchedule,
  reschedule,
  scheduleFrom,
  type World,
} from '../engine/index.ts'
import { take } from './api-read.ts'
import { invalid, missing } from './errors.ts'
import type { Reader } from './params.ts'
import { type Route, route } from './routes.ts'

const phaseParams = [
  'start_date',
  'end_date',
  'duration',
  'items',
  'metadata',
  'proration_behavior',
  'trial_end',
  'discounts',
  'default_tax_rates',
  'automatic_tax',
  'collection_method',
  'default_payment_method',
  'description',
]

/** https://docs.stripe.com/api/subscription_schedules; one can only be created from a subscription. */
export const scheduleRoutes: Route[] = [
  route('POST /v1/subscription_schedules', ['from_subscription'], ({ account, world, params }) => {
    const id = params.required('from_subscription')
    const subscription = world.store.find('subscription', id)
    if (subscription === undefined) throw missing('subscription', id, 'from_subscription')
    return { object: account.show(scheduleFrom(world, subscription)) }
  }),
  route(
    'POST /v1/subscription_schedules/:id',
    ['end_behavior', 'proration_behavior', 'phases', 'metadata'],
    (call) => {
      const { account, world, params } = call
      const schedule = take(call, 'schedule')
      if (schedule.status !== 'active')
        throw invalid(
          `You cannot update a subscription schedule that is currently in the \`${schedule.status}\` status. It must be in \`not_started\`, \`active\` status to be updated.`,
        )
      const ends = params.oneOf('end_behavior', ['release', 'cancel'] as const)
      const phases = readPhases(world, params.children('phases'))
      return {
        object: account.show(
          reschedule(world, schedule, {
            ...(ends === undefined ? {} : { ends }),
            ...(phases.length === 0 ? {} : { phases }),
          }),
        ),
      }
    },
  ),
  route('POST /v1/subscription_schedules/:id/release', ['preserve_cancel_date'], (call) => ({
    object: call.account.show(releaseSchedule(call.world, take(call, 'schedule'))),
  })),
  route('POST /v1/subscription_schedules/:id/cancel', ['invoice_now', 'prorate'], (call) => ({
    object: call.account.show(cancelSchedule(call.world, take(call, 'schedule'))),
  })),
]

function readPhases(world: World, given: readonly Reader[]): Phase[] {
  const phases: Phase[] = []
  for (const reader of given) {
    reader.only(...phaseParams)
    const start = reader.int('start_date') ?? phases.at(-1)?.end
    if (start === undefined)
      throw invalid('The first phase needs a start_date.', reader.nameOf('start_date'), 'parameter_missing')
    const end = reader.int('end_date') ?? afterDuration(reader, start)
    if (end <= start) throw invalid('A phase must end after its start.', reader.nameOf('end_date'))
    const before = phases.at(-1)
    if (before !== undefined && before.end !== start)
      throw invalid('Phases must follow each other without a gap.', reader.nameOf('start_date'))
    phases.push({
      start,
      end,
      items: reader.children('items').map((item) => readItem(world, item)),
      metadata: readMetadata(reader),
      trial_end: reader.int('trial_end') ?? null,
    })
  }
  return phases
}

function afterDuration(phase: Reader, start: number): number {
  const duration = phase.child('duration')
  const interval = duration.oneOf('interval', ['day', 'week', 'month', 'year'] as const)
  if (interval === undefined)
    throw invalid('A phase needs an end_date or a duration.', phase.nameOf('end_date'), 'parameter_missing')
  const interval_count = duration.int('interval_count') ?? 1
  return addIntervals(start, { interval, interval_count })
}

function readItem(world: World, item: Reader) {
  item.only('price', 'quantity', 'tax_rates', 'discounts')
  const price = item.required('price')
  if (!world.store.find('price', price)) throw missing('price', price, item.nameOf('price'))
  return { price, quantity: item.int('quantity') ?? 1 }
}

// An empty value stays: it removes the subscription's own when the phase begins.
function readMetadata(phase: Reader): Record<string, string> {
  const given = phase.raw('metadata')
  return typeof given === 'object' && given !== null ? { ...(given as Record<string, string>) } : {}
}
