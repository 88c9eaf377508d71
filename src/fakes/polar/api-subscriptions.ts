import {
  ApiError,
  cancellationAt,
  cancelSubscription,
  changeSubscription,
  type Json,
  keepSubscription,
  periodEnd,
  planPause,
  releaseSchedule,
  resumeSubscription,
  type Subscription,
  type SubscriptionChange,
  scheduleNext,
} from '../engine/index.ts'
import { found } from './api-buying.ts'
import { forbidden, invalid } from './errors.ts'
import { type PolarCall as Call, type PolarRoute, route } from './routes.ts'
import { toSubscription } from './shapes.ts'

/** Routes of actions on subscriptions. https://polar.sh/docs/api-reference/subscriptions/update */
export const subscriptionRoutes: readonly PolarRoute[] = [
  route('GET /subscriptions/', ({ account }) => ({
    list: account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
  })),
  route('GET /subscriptions/:id', (call) => shown(call, take(call))),
  route('PATCH /subscriptions/:id', (call) => {
    const before = takeLiving(call)
    const [word] = Object.keys(updates).filter((field) => field in call.body)
    if (word === undefined) throw invalid('body', 'nothing is to be changed')
    return shown(call, updates[word]!(call, before))
  }),
]

type Update = (call: Call, before: Subscription) => Subscription

const updates: Readonly<Record<string, Update>> = {
  product_id: (call, before) => change(call, before),
  seats: (call, before) => change(call, before),
  cancel_at_period_end: ({ world, body }, before) => {
    if (body.cancel_at_period_end === false) {
      if (before.cancel_at === null) throw new ApiError(400, 'It is not cancelled', { code: 'BadRequest' })
      return keepSubscription(world, before)
    }
    if (before.cancel_at !== null || before.status === 'paused') throw alreadyCanceled()
    const awake = { pause_at: null, resumes_at: null }
    const planned = { ...cancellationAt(world, free(world, before), null), ...awake }
    return world.change('subscription', before.id, planned, 'subscription changed')
  },
  revoke: ({ world }, before) => cancelSubscription(world, before),
  pause_at_period_end: ({ world, body }, before) => {
    if (body.pause_at_period_end === false) {
      if (before.pause_at === null) throw forbidden('NoScheduledPause', 'No pause is planned')
      const awake = { pause_at: null, resumes_at: null }
      return world.change('subscription', before.id, awake, 'subscription changed')
    }
    if (before.status !== 'active' || before.cancel_at !== null || before.pause_at !== null)
      throw forbidden('CannotPauseSubscription', 'It cannot be paused')
    const until = typeof body.resumes_at === 'string' ? Math.floor(Date.parse(body.resumes_at) / 1000) : null
    return planPause(world, free(world, before), until)
  },
  resume: (call, before) => goOn(call, before),
  pending_update: ({ world }, before) => {
    if (before.schedule === null) throw invalid('pending_update', 'nothing is pending')
    return free(world, before)
  },
}

/** Removes a scheduled change from the subscription. */
function free(world: Call['world'], before: Subscription): Subscription {
  if (before.schedule === null) return before
  releaseSchedule(world, world.store.get('schedule', before.schedule))
  return world.store.get('subscription', before.id)
}

function change({ world, body }: Call, before: Subscription): Subscription {
  const item = before.items[0]!
  const price = world.store.find('price', String(body.product_id ?? item.price.id))
  if (price === undefined || price.rhythm === null) throw invalid('product_id', 'Product does not exist.')
  const quantity = Number(body.seats ?? item.quantity)
  const prorates = modes[String(body.proration_behavior)]
  if (prorates === undefined) {
    scheduleNext(world, free(world, before), [{ price: price.id, quantity }])
    // The subscription shows the pending change.
    return world.change('subscription', before.id, {}, 'subscription changed')
  }
  return changeSubscription(world, free(world, before), {
    items: [{ id: item.id, price, quantity }],
    // A trial bills nothing.
    prorates: before.status === 'trialing' ? 'never' : prorates,
    unpaid: 'refuse',
  })
}

const modes: Readonly<Record<string, SubscriptionChange['prorates']>> = { invoice: 'now', prorate: 'later' }

/**
 * Resumes at once and charges afterwards; if that fails, it is past due and retried.
 * https://github.com/polarsource/polar/blob/main/server/polar/subscription/service.py, `resume`
 */
function goOn({ world }: Call, before: Subscription): Subscription {
  const after = resumeSubscription(world, before, 'now')
  if (after.status !== 'paused') return after
  const [now, item] = [world.clock.seconds(), before.items[0]!]
  const end = periodEnd(now, now, item.price.rhythm!)
  const { invoice } = world.store.get('subscription', before.id)
  world.change('invoice', invoice!, { next_try: now + 2 * 86_400, first_failure: now })
  return world.change(
    'subscription',
    before.id,
    {
      status: 'past_due',
      paused_at: null,
      resumes_at: null,
      anchor: now,
      items: [{ ...item, start: now, end }],
    },
    'subscription resumed',
  )
}

function shown({ account, world }: Call, { id }: Subscription): { data: Json } {
  return {
    data: toSubscription(account, world.store.get('subscription', id)),
  }
}

function take({ account, id }: Call): Subscription {
  return found(account.findSubscription(id))
}

function takeLiving(call: Call): Subscription {
  const subscription = take(call)
  if (subscription.status === 'canceled') throw alreadyCanceled()
  return subscription
}

function alreadyCanceled(): ApiError {
  return forbidden('AlreadyCanceledSubscription', 'This subscription is already canceled')
}
