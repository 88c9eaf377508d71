import {
  cancelLater,
  cancelSubscription,
  changeSubscription,
  expireChange,
  type ItemChange,
  type Json,
  keepSubscription,
  pauseSubscription,
  previewInvoice,
  releaseSchedule,
  resumeSubscription,
  type Subscription,
  type SubscriptionChange,
  scheduleNext,
} from '../engine/index.ts'
import { found } from './api-buying.ts'
import { invalid } from './errors.ts'
import { type DodoCall as Call, type DodoRoute, route } from './routes.ts'
import { toListedSubscription, toSubscription } from './shapes.ts'

/**
 * Routes of actions on subscriptions.
 * https://docs.dodopayments.com/api-reference/subscriptions/patch-subscriptions
 */
export const subscriptionRoutes: readonly DodoRoute[] = [
  route('GET /subscriptions', ({ account }) => ({
    list: account.listSubscriptions().map((subscription) => toListedSubscription(account, subscription)),
  })),
  route('GET /subscriptions/:id', (call) => shown(call, take(call))),
  route('PATCH /subscriptions/:id', (call) => shown(call, update(call, takeLiving(call)))),
  route('POST /subscriptions/:id/change-plan', (call) => {
    const before = takeLiving(call)
    const isLater = call.body.effective_at === 'next_billing_date'
    if (before.schedule !== null && call.body.cancel_scheduled_change_plan !== true)
      throw invalid('A change is scheduled', 'PREVIOUS_PLAN_CHANGE_PENDING')
    if (isLater) plan(call, free(call, before))
    else change(call, free(call, before))
    return { data: {} }
  }),
  route('POST /subscriptions/:id/change-plan/preview', (call) => ({ data: preview(call, takeLiving(call)) })),
  route('DELETE /subscriptions/:id/change-plan/scheduled', (call) => {
    free(call, takeLiving(call))
    return { data: {} }
  }),
  route('POST /subscriptions/:id/update-payment-method', (call) => ({
    data: { payment_link: `${call.account.url}/session/${takeLiving(call).id}` },
  })),
]

function update({ world, body }: Call, before: Subscription): Subscription {
  const { status, cancel_at_next_billing_date: isEnding } = body
  if (status === 'cancelled') return cancelSubscription(world, before)
  if (status === 'paused') return pauseSubscription(world, before)
  if (status === 'active') return resumeSubscription(world, before, 'unchanged')
  if (isEnding === undefined) throw invalid('Nothing is to be changed')
  return isEnding ? cancelLater(world, before) : keepSubscription(world, before)
}

/** Removes a scheduled change from the subscription. */
function free({ world }: Call, before: Subscription): Subscription {
  if (before.schedule === null) return before
  releaseSchedule(world, world.store.get('schedule', before.schedule))
  return world.change('subscription', before.id, {}, 'subscription changed')
}

const modes: Readonly<Record<string, SubscriptionChange['prorates']>> = {
  prorated_immediately: 'now',
  do_not_bill: 'never',
}

function readChange({ world, body }: Call, before: Subscription): SubscriptionChange {
  const price = found(world.store.find('price', String(body.product_id)), 'Product')
  const prorates = modes[String(body.proration_billing_mode)]
  if (prorates === undefined) throw invalid('proration_billing_mode must be one of its values')
  const items = [{ id: before.items[0]?.id ?? '', price, quantity: Number(body.quantity) }]
  return { items, prorates, unpaid: body.on_payment_failure === 'prevent_change' ? 'wait' : 'change' }
}

/**
 * Makes a change; a declined payment is not retried:
 * https://docs.dodopayments.com/features/recovery/payment-retries
 */
function change(call: Call, before: Subscription): void {
  const after = changeSubscription(call.world, before, readChange(call, before))
  if (after.pending !== null) expireChange(call.world, after.id)
}

function plan(call: Call, before: Subscription): void {
  const { world } = call
  const [{ price, quantity = 1 }] = readChange(call, before).items as [ItemChange]
  scheduleNext(world, before, [{ price: price!.id, quantity }])
  // The subscription shows the scheduled change.
  world.change('subscription', before.id, {}, 'subscription changed')
}

/** https://docs.dodopayments.com/api-reference/subscriptions/preview-change-plan */
function preview(call: Call, before: Subscription): Json {
  const { account, world } = call
  const wanted = readChange(call, before)
  const invoice = wanted.prorates === 'now' ? previewInvoice(world, before, wanted) : null
  const currency = before.currency.toUpperCase()
  return {
    immediate_charge: {
      effective_at: world.clock.now().toISOString(),
      line_items: (invoice?.lines ?? []).map(({ price, amount, text }) => ({
        type: 'subscription',
        id: price.id,
        product_id: price.id,
        currency,
        name: text,
        unit_price: amount,
        quantity: 1,
        proration_factor: 1,
        tax_inclusive: true,
      })),
      summary: {
        currency,
        total_amount: invoice?.total ?? 0,
        customer_credits: 0,
        tax: 0,
        settlement_amount: invoice?.total ?? 0,
        settlement_currency: currency,
      },
    },
    new_plan: {
      ...toSubscription(account, before),
      product_id: call.body.product_id,
      quantity: call.body.quantity,
    },
  }
}

function shown({ account, world }: Call, { id }: Subscription): { data: Json } {
  return {
    data: toSubscription(account, world.store.get('subscription', id)),
  }
}

function take({ account, id }: Call): Subscription {
  return found(account.findSubscription(id), 'Subscription')
}

function takeLiving(call: Call): Subscription {
  const subscription = take(call)
  if (subscription.status === 'canceled')
    throw invalid('The subscription is cancelled', 'SUBSCRIPTION_INACTIVE')
  return subscription
}
