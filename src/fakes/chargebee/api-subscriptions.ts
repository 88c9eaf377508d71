import {
  cancelLater,
  cancelSubscription,
  changeSubscription,
  type ItemChange,
  type Json,
  keepSubscription,
  pauseSubscription,
  planPause,
  previewInvoice,
  releaseSchedule,
  resumeSubscription,
  type Subscription,
  type SubscriptionChange,
  scheduleNext,
  voidInvoice,
} from '../engine/index.ts'
import { listBills } from './bills.ts'
import { missing, refused, untimely, wrong } from './errors.ts'
import { type ChargebeeCall as Call, type ChargebeeRoute, route } from './routes.ts'
import { itemPriceOf, plannedPhase, priceAt, toCustomer, toSubscription } from './shapes.ts'

/** Routes of actions on subscriptions. https://apidocs.chargebee.com/docs/api/subscriptions */
export const subscriptionRoutes: readonly ChargebeeRoute[] = [
  route('GET /subscriptions', ({ account, world }) => ({
    list: account.listSubscriptions().map((subscription) => ({
      subscription: toSubscription(account, subscription),
      customer: toCustomer(account, world.store.get('customer', subscription.customer)),
    })),
  })),
  route('GET /subscriptions/:id', (call) => shown(call, take(call))),
  route('GET /subscriptions/:id/retrieve_with_scheduled_changes', (call) => {
    const { account, world } = call
    const subscription = take(call)
    const planned = plannedPhase(account, subscription)
    if (planned === null) throw untimely('There are no scheduled changes')
    const items = planned.items.map(({ price, quantity }) => ({
      price: world.store.get('price', price),
      quantity,
    }))
    return {
      subscription: toSubscription(account, subscription, items),
      customer: toCustomer(account, world.store.get('customer', subscription.customer)),
    }
  }),
  route('POST /subscriptions/:id/update_for_items', (call) => {
    const before = withoutPlan(call, takeLiving(call))
    if (call.body.text('change_option') === 'end_of_term') return shown(call, plan(call, before))
    return shown(call, changeSubscription(call.world, before, readChange(call, before)))
  }),
  route('POST /subscriptions/:id/remove_scheduled_changes', (call) => {
    const before = takeLiving(call)
    if (plannedPhase(call.account, before) === null) throw untimely('There are no scheduled changes')
    return shown(call, withoutPlan(call, before))
  }),
  route('POST /subscriptions/:id/cancel_for_items', (call) => {
    const before = withoutPlan(call, takeLiving(call))
    if (call.body.text('cancel_option') === 'immediately')
      return shown(call, cancelSubscription(call.world, before))
    if (before.cancel_at !== null) throw untimely('The subscription is to end already')
    return shown(call, cancelLater(call.world, before))
  }),
  route('POST /subscriptions/:id/remove_scheduled_cancellation', (call) => {
    const before = takeLiving(call)
    if (before.cancel_at === null) throw untimely('The subscription is not to end')
    return shown(call, keepSubscription(call.world, before))
  }),
  route('POST /subscriptions/:id/pause', (call) => {
    const before = withoutPlan(call, takeLiving(call))
    if (call.body.text('pause_option') === 'immediately')
      return shown(call, pauseSubscription(call.world, before))
    return shown(call, planPause(call.world, before, call.body.number('resume_date')))
  }),
  route('POST /subscriptions/:id/remove_scheduled_pause', (call) => {
    const before = takeLiving(call)
    if (before.pause_at === null) throw untimely('No pause is planned')
    const awake = { pause_at: null, resumes_at: null }
    return shown(call, call.world.change('subscription', before.id, awake, 'subscription changed'))
  }),
  // Within the paid time it costs nothing:
  // https://apidocs.chargebee.com/docs/api/subscriptions/resume-a-subscription
  route('POST /subscriptions/:id/resume', (call) => {
    const { world } = call
    const before = takeLiving(call)
    const after = resumeSubscription(world, before, 'unchanged')
    if (after.status !== 'paused') return shown(call, after)
    for (const { id, subscription, status } of world.store.list('invoice'))
      if (subscription === before.id && status === 'open') voidInvoice(world, id)
    throw refused()
  }),
  route('POST /estimates/update_subscription_for_items', (call) => ({
    estimate: estimate(call, takeLiving({ ...call, id: call.body.text('subscription[id]') ?? '' })),
  })),
]

function shown({ account, world }: Call, { id }: Subscription): Json {
  const subscription = world.store.get('subscription', id)
  return {
    subscription: toSubscription(account, subscription),
    customer: toCustomer(account, world.store.get('customer', subscription.customer)),
  }
}

function take({ account, id }: Call): Subscription {
  const found = account.findSubscription(id)
  if (found === undefined) throw missing('subscription', id)
  return found
}

function takeLiving(call: Call): Subscription {
  const found = take(call)
  if (found.status === 'canceled') throw untimely('The subscription is cancelled')
  return found
}

/** "Any existing scheduled change on the subscription is deleted." */
function withoutPlan({ world }: Call, before: Subscription): Subscription {
  const schedule = world.store.find('schedule', before.schedule)
  if (schedule !== undefined) releaseSchedule(world, schedule)
  return world.store.get('subscription', before.id)
}

function plan(call: Call, before: Subscription): Subscription {
  const { world } = call
  const items = readItems(call, before)
  scheduleNext(
    world,
    before,
    items.map(({ price, quantity = 1 }) => ({ price: price!.id, quantity })),
  )
  return world.store.get('subscription', before.id)
}

function readItems({ account, world, body }: Call, before: Subscription): ItemChange[] {
  const rows = body.rows('subscription_items')
  if (rows.length === 0 || !body.is('replace_items_list'))
    throw wrong('replace_items_list', 'This test double replaces the whole list')
  // Listed prices stay; the others are replaced in order, or removed.
  const kept = rows.filter((row) => before.items.some(({ price }) => price.id === row.get('item_price_id')))
  const others = rows.filter((row) => !kept.includes(row))
  return before.items.map((item) => {
    const row = kept.find((wanted) => wanted.get('item_price_id') === item.price.id) ?? others.shift()
    if (row === undefined) return { id: item.id, deleted: true }
    const price = world.store.find('price', row.get('item_price_id') ?? '')
    if (price === undefined) throw missing('item_price', row.get('item_price_id') ?? '')
    if (price.rhythm === null) throw wrong('subscription_items[item_price_id][0]', 'must be a plan')
    const given = row.get('unit_price')
    const own = priceAt(account, price, given === undefined ? null : Number(given))
    return { id: item.id, price: own, quantity: Number(row.get('quantity') ?? 1) }
  })
}

function readChange(call: Call, before: Subscription): SubscriptionChange {
  const { body } = call
  const prorates = !body.is('prorate') ? 'never' : body.is('invoice_immediately') ? 'now' : 'later'
  if (before.status === 'paused') throw untimely('The subscription is paused')
  return { items: readItems(call, before), prorates, unpaid: 'refuse' }
}

/** https://apidocs.chargebee.com/docs/api/estimates/update-subscription-for-items-estimate */
function estimate(call: Call, before: Subscription): Json {
  const { account, world } = call
  const change = readChange(call, before)
  const invoice = change.prorates === 'now' ? previewInvoice(world, before, change) : null
  const currency_code = before.currency.toUpperCase()
  const lines = (sign: 1 | -1) =>
    (invoice?.lines ?? [])
      .filter(({ amount }) => amount * sign > 0)
      .map(({ text, amount, price }) => ({
        description: text,
        amount: amount * sign,
        unit_amount: amount * sign,
        date_from: world.clock.seconds(),
        date_to: before.items[0]?.end ?? world.clock.seconds(),
        is_taxed: false,
        entity_type: 'plan_item_price',
        entity_id: itemPriceOf(price),
      }))
  const sum = (of: readonly { readonly amount: number }[]) => of.reduce((all, { amount }) => all + amount, 0)
  const [charged, credited] = [lines(1), lines(-1)]
  const total = sum(charged)
  const due = invoice?.due ?? 0
  return {
    created_at: world.clock.seconds(),
    subscription_estimate: {
      id: before.id,
      currency_code,
      next_billing_at: toSubscription(account, before).next_billing_at,
    },
    ...(charged.length === 0
      ? {}
      : {
          invoice_estimate: {
            currency_code,
            recurring: true,
            price_type: 'tax_exclusive',
            sub_total: total,
            total,
            credits_applied: total - due,
            amount_paid: 0,
            amount_due: due,
            line_items: charged,
          },
        }),
    credit_note_estimates:
      credited.length === 0
        ? []
        : [
            {
              type: 'refundable',
              currency_code,
              price_type: 'tax_exclusive',
              sub_total: sum(credited),
              total: sum(credited),
              amount_allocated: 0,
              amount_available: sum(credited),
              // The overpaid invoice: https://apidocs.chargebee.com/docs/api/estimates/estimate-object
              reference_invoice_id: lastBillOf(call, before),
              line_items: credited,
            },
          ],
  }
}

function lastBillOf({ account }: Call, { id }: Subscription): string | undefined {
  return listBills(account).findLast(({ subscription }) => subscription === id)?.id
}
