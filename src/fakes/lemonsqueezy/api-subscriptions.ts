import {
  ApiError,
  cancelLater,
  cancelSubscription,
  changeSubscription,
  type ItemChange,
  type Json,
  keepSubscription,
  type Subscription,
  type SubscriptionChange,
} from '../engine/index.ts'
import type { Resource } from './account.ts'
import { invalid, missing } from './errors.ts'
import { type LemonSqueezyCall as Call, type LemonSqueezyRoute, route } from './routes.ts'
import { toSubscription } from './shapes.ts'
import { linked, numberOf, priceIdOf } from './shapes-goods.ts'

/** Routes of actions on subscriptions. https://docs.lemonsqueezy.com/api/subscriptions */
export const subscriptionRoutes: readonly LemonSqueezyRoute[] = [
  route('GET /subscriptions', ({ account }) => ({
    list: account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
  })),
  route('GET /subscriptions/:id', (call) => shown(call, call.id)),
  route('DELETE /subscriptions/:id', (call) => {
    cancel(call, takeLiving(call, call.id))
    return shown(call, call.id)
  }),
  route('PATCH /subscriptions/:id', (call) => {
    const { world, id } = call
    const body = call.body.fields
    const before = takeLiving(call, id)
    if (body.cancelled === true) cancel(call, before)
    if (body.cancelled === false) keepSubscription(world, before)
    if (body.pause !== undefined)
      world.change('subscription', id, { collection: pauseOf(body.pause) }, 'subscription changed')
    if (body.variant_id !== undefined && !isPayPal(before)) {
      const price = world.store.find('price', String(body.variant_id))
      if (price === undefined) throw invalid('variant_id', 'The selected variant id is invalid.')
      change(call, before, { price })
    }
    return shown(call, id)
  }),
  route('PATCH /subscription-items/:id', (call) => {
    const { world, id } = call
    const { quantity } = call.body.fields
    const subscription = world.store
      .list('subscription')
      .find(({ items }) => items.some((item) => item.id === id))
    if (subscription === undefined) throw missing(id)
    const before = takeLiving(call, subscription.id)
    change(call, before, { quantity: Number(quantity) })
    const attributes = {
      subscription_id: numberOf(subscription.id),
      price_id: priceIdOf(world.store.get('subscription', subscription.id).items[0]!.price),
      quantity,
      is_usage_based: false,
      created_at: call.account.madeAt(subscription.id),
      updated_at: call.account.changedAt(subscription.id),
    }
    return { data: linked({ type: 'subscription-items', id, attributes }) }
  }),
]

function shown(call: Call, id: string): { data: Resource } {
  return {
    data: toSubscription(call.account, take(call, id)),
  }
}

function take({ account }: Call, id: string): Subscription {
  const found = account.findSubscription(id)
  if (found === undefined) throw missing(id)
  return found
}

function takeLiving(call: Call, id: string): Subscription {
  const found = take(call, id)
  if (found.status !== 'canceled') return found
  throw new ApiError(422, 'The subscription is expired.')
}

/** Cancels at the end of the last paid period, which is over after a failed payment. */
function cancel({ world }: Call, before: Subscription): void {
  if (before.status === 'past_due' || before.status === 'unpaid') cancelSubscription(world, before)
  else cancelLater(world, before)
}

function pauseOf(asked: unknown): Subscription['collection'] {
  if (asked === null) return null
  const { resumes_at } = asked as { resumes_at?: string | null }
  return { pause: 'void', resumes_at: resumes_at ? Math.floor(Date.parse(resumes_at) / 1000) : null }
}

/**
 * Returns true for a subscription paid with PayPal, which this call does not change.
 * https://docs.lemonsqueezy.com/api/subscriptions/update-subscription
 */
function isPayPal({ metadata }: Subscription): boolean {
  return metadata.paid_with === 'paypal'
}

function change({ world, body }: Call, before: Subscription, wanted: Omit<ItemChange, 'id'>): void {
  const [item] = before.items
  const prorates = proratesOf(body.fields)
  const items = [{ ...wanted, id: item?.id ?? '' }]
  changeSubscription(world, before, { items, prorates, unpaid: 'change' })
  const after = world.store.get('subscription', before.id)
  const invoice = world.store.find('invoice', after.invoice)
  if (invoice?.reason !== 'change' || invoice.status !== 'open') return
  // A failed renewal becomes `past_due`; an unpaid change leaves only its invoice.
  world.change('invoice', invoice.id, { next_try: null })
  const { status, invoice: newest } = before
  world.change('subscription', before.id, { status, invoice: newest }, 'subscription changed')
}

function proratesOf({ disable_prorations, invoice_immediately }: Json): SubscriptionChange['prorates'] {
  return disable_prorations === true ? 'never' : invoice_immediately === true ? 'now' : 'later'
}
