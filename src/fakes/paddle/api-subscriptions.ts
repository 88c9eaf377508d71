import {
  cancelLater,
  cancelSubscription,
  changeSubscription,
  type ItemChange,
  type Json,
  noCancellation,
  pauseSubscription,
  planPause,
  previewInvoice,
  Refusal,
  resumeSubscription,
  type Subscription,
  type SubscriptionChange,
  voidInvoice,
} from '../engine/index.ts'
import { fault, invalid, missing } from './errors.ts'
import { type PaddleCall as Call, type PaddleRoute, route } from './routes.ts'
import { priceOfItem, toPrice, toProduct, toSubscription } from './shapes.ts'
import { toTransaction } from './transactions.ts'

/** Routes of actions on subscriptions. https://developer.paddle.com/api-reference/subscriptions */
export const subscriptionRoutes: readonly PaddleRoute[] = [
  route('GET /subscriptions', ({ account }) => ({
    list: account.listSubscriptions().map((subscription) => withPortal(account, subscription)),
  })),
  route('GET /subscriptions/:id', (call) => shown(call, take(call))),
  route('PATCH /subscriptions/:id', (call) => {
    const before = takeLiving(call)
    if (call.body.items !== undefined)
      return shown(call, changeSubscription(call.world, before, readChange(call, before)))
    if (call.body.scheduled_change !== null)
      throw fault(
        400,
        'subscription_scheduled_change_invalid_update',
        'You can only set the `scheduled_change` field to `null`.',
      )
    const free = { ...noCancellation(before), pause_at: null, resumes_at: null }
    return shown(call, call.world.change('subscription', before.id, free, 'subscription changed'))
  }),
  route('PATCH /subscriptions/:id/preview', (call) => ({ data: preview(call, takeLiving(call)) })),
  route('POST /subscriptions/:id/cancel', (call) => {
    const before = takeLiving(call)
    if (call.body.effective_from === 'immediately' || before.status === 'paused')
      return shown(call, cancelSubscription(call.world, before))
    requireUnplanned(before)
    return shown(call, cancelLater(call.world, before))
  }),
  route('POST /subscriptions/:id/pause', (call) => {
    const { world, body } = call
    const before = takeLiving(call)
    if (body.effective_from === 'immediately') return shown(call, pauseNow(call, before))
    requireUnplanned(before)
    const until = typeof body.resume_at === 'string' ? Math.floor(Date.parse(body.resume_at) / 1000) : null
    return shown(call, planPause(world, before, until))
  }),
  route('POST /subscriptions/:id/resume', (call) => {
    const before = takeLiving(call)
    if (before.status !== 'paused') throw new Refusal('is not paused')
    const after = resumeSubscription(call.world, before, 'now')
    if (after.status !== 'paused') return shown(call, after)
    // It continues unpaid, and the payment is retried:
    // https://developer.paddle.com/webhooks/simulator/subscription-resumed
    const goesOn = { status: 'past_due' as const, paused_at: null, resumes_at: null }
    return shown(call, call.world.change('subscription', before.id, goesOn, 'subscription resumed'))
  }),
  route('GET /subscriptions/:id/update-payment-method-transaction', (call) => {
    const { account, world } = call
    const living = takeLiving(call)
    const open = account
      .listSold()
      .findLast(({ invoice }) => invoice?.subscription === living.id && invoice.status === 'open')
    if (open !== undefined) return { data: toTransaction(account, open) }
    const first = account.listSold().find(({ checkout }) => checkout?.subscription === living.id)
    const data = first === undefined ? {} : toTransaction(account, first)
    const origin = 'subscription_payment_method_change'
    const id = world.idFor('checkout')
    const checkout = { url: `${account.url}/pay?_ptxn=${id}` }
    return {
      data: {
        ...data,
        id,
        status: 'ready',
        origin,
        checkout,
        details: { totals: { grand_total: '0' }, line_items: [] },
      },
    }
  }),
]

function shown({ account, world }: Call, { id }: Subscription): { data: Json } {
  return {
    data: withPortal(account, world.store.get('subscription', id)),
  }
}

/** Adds links to the customer's pages, which the API shows but events do not. */
function withPortal(account: Call['account'], subscription: Subscription): Json {
  return {
    ...toSubscription(account, subscription),
    management_urls: { update_payment_method: null, cancel: `${account.url}/portal/${subscription.id}` },
  }
}

function take({ account, id }: Call): Subscription {
  const found = account.findSubscription(id)
  if (found === undefined) throw missing('Subscription', id)
  return found
}

function takeLiving(call: Call): Subscription {
  const found = take(call)
  if (found.status !== 'canceled') return found
  throw fault(
    400,
    'subscription_update_when_canceled',
    'cannot update subscription, as subscription is canceled',
  )
}

// https://developer.paddle.com/errors/subscriptions/subscription_locked_pending_changes
function requireUnplanned({ cancel_at, pause_at }: Subscription): void {
  if (cancel_at === null && pause_at === null) return
  throw fault(
    400,
    'subscription_locked_pending_changes',
    'cannot update subscription, pending scheduled changes',
  )
}

function pauseNow({ world }: Call, before: Subscription): Subscription {
  if (before.status !== 'past_due') return pauseSubscription(world, before)
  // https://developer.paddle.com/webhooks/simulator/subscription-paused
  for (const { id, subscription, status } of world.store.list('invoice'))
    if (subscription === before.id && status === 'open') voidInvoice(world, id)
  const paused = { status: 'paused' as const, paused_at: world.clock.seconds() }
  return world.change('subscription', before.id, paused, 'subscription paused')
}

const modes: Readonly<Record<string, SubscriptionChange['prorates']>> = {
  prorated_immediately: 'now',
  prorated_next_billing_period: 'later',
  do_not_bill: 'never',
}

function readChange({ account, body }: Call, before: Subscription): SubscriptionChange {
  const items = body.items as (Json & { quantity?: number })[]
  const mode = String(body.proration_billing_mode)
  const prorates = modes[mode]
  if (prorates === undefined) throw invalid('proration_billing_mode', 'must be a known mode')
  if (before.status === 'paused')
    throw fault(400, 'subscription_update_error_when_paused', 'paused subscriptions cannot be updated')
  if (before.status === 'trialing' && prorates !== 'never')
    throw fault(400, 'subscription_trialing_items_update_invalid_options', 'trials take do_not_bill only')
  // Listed prices stay; the others are replaced in order, or removed.
  const kept = items.filter((wanted) => before.items.some(({ price }) => price.id === wanted.price_id))
  const others = items.filter((wanted) => !kept.includes(wanted))
  const changes = before.items.map((item): ItemChange => {
    const wanted = kept.find(({ price_id }) => price_id === item.price.id) ?? others.shift()
    if (wanted === undefined) return { id: item.id, deleted: true }
    const price = priceOfItem(account, wanted)
    if (price === undefined) throw missing('Price', String(wanted.price_id))
    return { id: item.id, price, quantity: wanted.quantity ?? 1 }
  })
  return {
    items: changes,
    prorates,
    unpaid: body.on_payment_failure === 'apply_change' ? 'change' : 'refuse',
  }
}

/** https://developer.paddle.com/api-reference/subscriptions/preview-subscription-update */
function preview(call: Call, before: Subscription): Json {
  const { account, world } = call
  const change = readChange(call, before)
  const isNow = change.prorates === 'now'
  const invoice = isNow ? previewInvoice(world, before, change) : null
  const currency_code = before.currency.toUpperCase()
  const money = (amount: number) => ({ amount: String(Math.abs(amount)), currency_code })
  const sum = (sign: 1 | -1) =>
    (invoice?.lines ?? [])
      .map(({ amount }) => amount * sign)
      .reduce((all, item) => all + Math.max(0, item), 0)
  const total = invoice?.total ?? 0
  const first = change.items?.find(({ deleted }) => !deleted)
  const shownNow = toSubscription(account, before)
  return {
    ...shownNow,
    management_urls: null,
    items: (shownNow.items as Json[]).map((item) => ({
      ...item,
      price: toPrice(account, first!.price!),
      quantity: first!.quantity,
    })),
    immediate_transaction:
      invoice === null || total <= 0
        ? null
        : {
            billing_period: shownNow.current_billing_period,
            adjustments: [],
            details: {
              tax_rates_used: [],
              totals: {
                subtotal: String(invoice.subtotal),
                discount: '0',
                tax: String(invoice.tax),
                total: String(total),
                credit: '0',
                credit_to_balance: '0',
                balance: String(invoice.due),
                grand_total: String(invoice.due),
                grand_total_tax: String(invoice.tax),
                fee: null,
                earnings: null,
                currency_code,
              },
              line_items: invoice.lines.map(({ price, quantity, amount }) => {
                const totals = { subtotal: String(amount), discount: '0', tax: '0', total: String(amount) }
                const product = toProduct(account, world.store.get('product', price.product))
                return { price_id: price.id, quantity, tax_rate: '0', unit_totals: totals, totals, product }
              }),
            },
          },
    next_transaction: null,
    recurring_transaction_details: null,
    update_summary: {
      credit: money(sum(-1)),
      charge: money(sum(1)),
      result: { action: total < 0 ? 'credit' : 'charge', ...money(total) },
    },
  }
}
