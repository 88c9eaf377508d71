import {
  addDiscount,
  cancellationAt,
  cancelSubscription,
  changeSubscription,
  type ItemChange,
  noCancellation,
  pauseSubscription,
  resumeSubscription,
  type Subscription,
  type SubscriptionChange,
  type World,
} from '../engine/index.ts'
import { readPriceData } from './api-prices.ts'
import { take } from './api-read.ts'
import { invalid, missing } from './errors.ts'
import type { Reader } from './params.ts'
import { type Call, type Route, route } from './routes.ts'
import { readMissingMethod } from './sessions.ts'

const updateParams = [
  'items',
  'proration_behavior',
  'proration_date',
  'payment_behavior',
  'billing_cycle_anchor',
  'cancel_at_period_end',
  'cancel_at',
  'cancellation_details',
  'pause_collection',
  'trial_end',
  'trial_settings',
  'metadata',
  'default_payment_method',
  'description',
  'off_session',
  'discounts',
  'payment_settings',
  'collection_method',
  'automatic_tax',
]

const paymentBehaviors = [
  'allow_incomplete',
  'default_incomplete',
  'error_if_incomplete',
  'pending_if_incomplete',
] as const

const unpaidWords = {
  allow_incomplete: 'change',
  default_incomplete: 'change',
  error_if_incomplete: 'refuse',
  pending_if_incomplete: 'wait',
} as const
const prorationWords = { create_prorations: 'later', always_invoice: 'now', none: 'never' } as const
const pauseWords = { keep_as_draft: 'draft', mark_uncollectible: 'uncollectible', void: 'void' } as const

/** https://docs.stripe.com/billing/subscriptions/pending-updates-reference#supported-attributes */
const pendingParams = [
  'billing_cycle_anchor',
  'expand',
  'items',
  'off_session',
  'payment_behavior',
  'proration_behavior',
  'proration_date',
  'trial_end',
]

/** Changes, cancels, pauses and resumes subscriptions; none is created here. */
export const subscriptionRoutes: Route[] = [
  route('POST /v1/subscriptions/:id', updateParams, (call) => ({
    object: call.account.show(update(call)),
  })),
  route('DELETE /v1/subscriptions/:id', ['cancellation_details', 'invoice_now', 'prorate'], (call) => {
    const { account, world, params } = call
    const subscription = take(call, 'subscription')
    if (subscription.status === 'canceled') throw missing('subscription', subscription.id)
    refuseManaged(subscription)
    return {
      object: account.show(
        cancelSubscription(world, subscription, {
          details: readDetails(params),
          billsNow: params.bool('invoice_now'),
          prorates: params.bool('prorate'),
        }),
      ),
    }
  }),
  route(
    'POST /v1/subscriptions/:id/resume',
    ['billing_cycle_anchor', 'payment_behavior', 'proration_behavior', 'proration_date'],
    (call) => ({
      object: call.account.show(
        resumeSubscription(
          call.world,
          take(call, 'subscription'),
          call.params.oneOf('billing_cycle_anchor', ['now', 'unchanged'] as const) ?? 'now',
        ),
      ),
    }),
  ),
  route('POST /v1/subscriptions/:id/pause', ['bill_for', 'invoicing_behavior', 'type'], (call) => ({
    object: call.account.show(pauseSubscription(call.world, take(call, 'subscription'))),
  })),
]

function update(call: Call): Subscription {
  const { world, params } = call
  const before = take(call, 'subscription')
  if (before.status === 'canceled') {
    const isMore = updateParams.some(
      (name) => !['metadata', 'cancellation_details'].includes(name) && params.raw(name) !== undefined,
    )
    if (isMore)
      throw invalid('A canceled subscription can only update its cancellation_details and metadata.')
  }
  if (params.raw('cancel_at') !== undefined || params.raw('cancel_at_period_end') !== undefined)
    refuseManaged(before)
  const paymentBehavior = params.oneOf('payment_behavior', paymentBehaviors)
  if (paymentBehavior === 'pending_if_incomplete') params.only(...pendingParams)
  if (paymentBehavior === 'default_incomplete')
    throw invalid('This test double does not model default_incomplete for updates.', 'payment_behavior')
  return changeSubscription(world, before, {
    ...readChange(world, params),
    unpaid: paymentBehavior && unpaidWords[paymentBehavior],
    fields: readFields(world, params, before),
  })
}

// Stripe's exact words.
function refuseManaged({ schedule }: Subscription): void {
  if (schedule !== null)
    throw invalid(
      `The subscription is managed by the subscription schedule \`${schedule}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
    )
}

/** Reads the parameters of an update or its preview. */
export function readChange(world: World, params: Reader): SubscriptionChange {
  const end = params.text('trial_end')
  const behavior = params.oneOf('proration_behavior', [
    'create_prorations',
    'always_invoice',
    'none',
  ] as const)
  return {
    items: params.children('items').map((item) => readItem(world, item)),
    prorates: behavior && prorationWords[behavior],
    prorationDate: params.int('proration_date'),
    resetsCycle: params.oneOf('billing_cycle_anchor', ['now', 'unchanged'] as const) === 'now',
    trialEnd: end === 'now' ? 'now' : params.int('trial_end'),
  }
}

function readItem(world: World, item: Reader): ItemChange {
  item.only(
    'id',
    'price',
    'price_data',
    'quantity',
    'deleted',
    'metadata',
    'clear_usage',
    'discounts',
    'tax_rates',
  )
  const price = item.text('price')
  const inline =
    item.raw('price_data') === undefined ? undefined : readPriceData(world, item.child('price_data'))
  const found = price === undefined ? inline : world.store.find('price', price)
  if (price !== undefined && found === undefined) throw missing('price', price, item.nameOf('price'))
  if (found?.rhythm === null)
    throw invalid(
      'The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.',
      item.nameOf('price'),
    )
  const quantity = item.int('quantity')
  if (quantity !== undefined && quantity < 0)
    throw invalid(
      'This value must be greater than or equal to 0.',
      item.nameOf('quantity'),
      'parameter_invalid_integer',
    )
  return {
    id: item.text('id'),
    price: found,
    quantity,
    deleted: item.bool('deleted'),
    param: item.nameOf(item.text('id') === undefined ? 'price' : 'id'),
  }
}

function readDetails(params: Reader): { comment?: string; feedback?: string } {
  const given = params.child('cancellation_details')
  given.only('comment', 'feedback', 'feedback_option')
  return {
    ...(given.raw('comment') === undefined ? {} : { comment: given.text('comment') }),
    ...(given.raw('feedback') === undefined ? {} : { feedback: given.text('feedback') }),
  }
}

function readFields(world: World, params: Reader, before: Subscription): Partial<Subscription> {
  const metadata = params.metadata('metadata', before.metadata)
  const method = params.text('default_payment_method')
  if (method !== undefined && !world.store.find('method', method))
    throw missing('PaymentMethod', method, 'default_payment_method')
  const without_method = readMissingMethod(params)
  const cancellation = { ...before.cancellation, ...readDetails(params) }
  return {
    ...(metadata === undefined ? {} : { metadata }),
    ...(method === undefined ? {} : { method }),
    ...(without_method === undefined ? {} : { without_method }),
    cancellation,
    ...readPause(params),
    ...readDiscounts(world, params, before),
    ...readCancellation(world, params, { ...before, cancellation }),
  }
}

/** The given discounts replace the earlier ones. https://docs.stripe.com/api/subscriptions/update */
function readDiscounts(world: World, params: Reader, before: Subscription): Partial<Subscription> {
  const [given, ...more] = params.children('discounts')
  if (given === undefined) return {}
  if (more.length > 0) throw invalid('This test double models one discount.', 'discounts')
  given.only('coupon', 'discount', 'promotion_code')
  const id = given.required('coupon')
  const coupon = world.store.find('coupon', id)
  if (!coupon) throw missing('coupon', id, given.nameOf('coupon'))
  return { discounts: addDiscount(world, before, { coupon, code: null }).discounts }
}

function readPause(params: Reader): Partial<Subscription> {
  if (params.raw('pause_collection') === undefined) return {}
  if (params.isCleared('pause_collection')) return { collection: null }
  const given = params.child('pause_collection')
  const behavior = given.oneOf('behavior', ['keep_as_draft', 'mark_uncollectible', 'void'] as const)
  if (behavior === undefined)
    throw invalid(
      'Missing required param: pause_collection[behavior].',
      given.nameOf('behavior'),
      'parameter_missing',
    )
  return { collection: { pause: pauseWords[behavior], resumes_at: given.int('resumes_at') ?? null } }
}

/** Reads the two exclusive ways to cancel; both record when it was requested. */
function readCancellation(world: World, params: Reader, before: Subscription): Partial<Subscription> {
  const atEnd = params.bool('cancel_at_period_end')
  const isSet = params.raw('cancel_at') !== undefined
  if (atEnd !== undefined && isSet)
    throw invalid(
      'You may only specify one of these parameters: cancel_at, cancel_at_period_end.',
      'cancel_at',
    )
  if (atEnd === undefined && !isSet) return {}
  const at = isSet && !params.isCleared('cancel_at') ? params.int('cancel_at') : undefined
  if (at !== undefined && at <= world.clock.seconds())
    throw invalid('`cancel_at` must be in the future.', 'cancel_at')
  if (!atEnd && at === undefined) return noCancellation(before)
  return cancellationAt(world, before, atEnd ? null : (at ?? null))
}
