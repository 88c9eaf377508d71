import {
  ApiError,
  cancelLater,
  cancelSubscription,
  changeSubscription,
  type Json,
  keepSubscription,
  pauseSubscription,
  resumeSubscription,
  type Subscription,
  type SubscriptionChange,
} from '../engine/index.ts'
import { missing } from './errors.ts'
import { type CreemCall as Call, type CreemRoute, route } from './routes.ts'
import { toSubscription } from './shapes.ts'

/** Routes of actions on subscriptions. https://docs.creem.io/features/subscriptions/managing */
export const subscriptionRoutes: readonly CreemRoute[] = [
  route('GET /subscriptions', (call) => shown(call, call.query.get('subscription_id') ?? '')),
  route('GET /subscriptions/search', ({ account }) => ({
    list: account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
  })),
  route('POST /subscriptions/:id', (call) => {
    const [item] = (call.body.items as Json[] | undefined) ?? []
    return change(call, { product: item?.product_id, units: item?.units })
  }),
  route('POST /subscriptions/:id/upgrade', (call) => change(call, { product: call.body.product_id })),
  route('POST /subscriptions/:id/cancel', (call) => {
    const cancel = call.body.mode === 'scheduled' ? cancelLater : cancelSubscription
    cancel(call.world, takeLiving(call))
    return shown(call, call.id)
  }),
  route('POST /subscriptions/:id/pause', (call) => {
    pauseSubscription(call.world, takeLiving(call))
    return shown(call, call.id)
  }),
  route('POST /subscriptions/:id/resume', (call) => {
    const { world, id } = call
    const before = takeLiving(call)
    if (before.status === 'paused') resumeSubscription(world, before, 'now')
    else if (before.cancel_at !== null) keepSubscription(world, before)
    else throw new ApiError(400, 'Subscription must be in paused or scheduled_cancel status')
    return shown(call, id)
  }),
]

function shown(call: Call, id: string): { data: Json } {
  return {
    data: toSubscription(call.account, take(call, id)),
  }
}

function take({ account }: Call, id: string): Subscription {
  const found = account.findSubscription(id)
  if (found === undefined) throw missing('Subscription')
  return found
}

function takeLiving(call: Call): Subscription {
  const found = take(call, call.id)
  if (found.status !== 'canceled') return found
  throw new ApiError(400, 'Subscription is canceled')
}

const behaviors: Readonly<Record<string, SubscriptionChange['prorates']>> = {
  'proration-charge-immediately': 'now',
  'proration-charge': 'later',
  'proration-none': 'never',
}

function change(call: Call, { product, units }: { product?: unknown; units?: unknown }): { data: Json } {
  const { world, body, id } = call
  const before = takeLiving(call)
  const price = product === undefined ? undefined : world.store.find('price', String(product))
  if (product !== undefined && price === undefined) throw missing('Product')
  const prorates = behaviors[String(body.update_behavior ?? 'proration-charge-immediately')]
  if (prorates === undefined) throw new ApiError(400, 'update_behavior must be one of its values')
  const [item] = before.items
  changeSubscription(world, before, {
    items: [
      {
        id: item?.id ?? '',
        ...(price === undefined ? {} : { price }),
        ...(units === undefined ? {} : { quantity: Number(units) }),
      },
    ],
    prorates,
    unpaid: 'refuse',
  })
  return shown(call, id)
}
