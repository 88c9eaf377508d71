import { addMonths, periodEnd } from '../../../merchant/index.ts'
import { collect, finalizeInvoice } from './collecting.ts'
import { draftInvoice } from './invoices.ts'
import { periodLines } from './lines.ts'
import type { Metadata, Price, Subscription, SubscriptionItem } from './types.ts'
import type { World } from './world.ts'

export interface NewSubscription {
  readonly customer: string
  readonly currency: string
  readonly items: readonly { readonly price: Price; readonly quantity: number }[]
  readonly metadata: Metadata
  readonly method: string | null
  readonly trialEnd: number | null
  readonly missingPaymentMethod: Subscription['trial_settings']['end_behavior']['missing_payment_method']
  readonly coupon: string | null
  readonly promotionCode: string | null
}

/** A subscription with its first invoice. It is `incomplete` until that is paid; a trial and what is free need no
 *  payment and begin as they stay. https://docs.stripe.com/billing/subscriptions/overview#subscription-lifecycle */
export const startSubscription = (world: World, given: NewSubscription): Subscription => {
  const now = world.clock.seconds()
  const subscription = build(world, given, now)
  const isTrial = given.trialEnd !== null
  const lines = periodLines(world, subscription.items.data, { currency: given.currency, isTrial })
  const isFree = lines.every((line) => line.amount === 0) || isFullyDiscounted(world, given.coupon)
  const status = isTrial ? 'trialing' : isFree ? 'active' : 'incomplete'
  world.store.put({ ...subscription, status })
  addDiscount(world, subscription.id, given)
  const invoice = draftInvoice(world, world.store.get('subscription', subscription.id), {
    lines,
    reason: 'subscription_create',
    draftUntil: null,
    period: { start: now, end: now },
  })
  world.change(
    'subscription',
    subscription.id,
    { latest_invoice: invoice.id },
    'customer.subscription.created',
  )
  world.emit('invoice.created', invoice)
  if (finalizeInvoice(world, invoice.id).status === 'open') collect(world, invoice.id, { isOwnerThere: true })
  return world.store.get('subscription', subscription.id)
}

const isFullyDiscounted = (world: World, coupon: string | null): boolean =>
  world.store.find('coupon', coupon)?.percent_off === 100

const addDiscount = (world: World, subscription: string, given: NewSubscription): void => {
  const coupon = world.store.find('coupon', given.coupon)
  if (coupon === undefined) return
  const now = world.clock.seconds()
  const months = coupon.duration === 'repeating' ? (coupon.duration_in_months ?? 1) : null
  const discount = world.add<'discount'>(
    {
      id: world.ids('di'),
      object: 'discount',
      checkout_session: null,
      coupon: coupon.id,
      customer: given.customer,
      end: months === null ? null : addMonths(now, months),
      invoice: null,
      invoice_item: null,
      promotion_code: given.promotionCode,
      source: { coupon: coupon.id, type: 'coupon' },
      start: now,
      subscription,
      subscription_item: null,
    },
    'customer.discount.created',
  )
  world.change('subscription', subscription, { discounts: [discount.id] })
}

/** https://docs.stripe.com/api/subscriptions/object */
const build = (world: World, given: NewSubscription, now: number): Subscription => {
  const id = world.ids('sub')
  // A trial is the first period, and the cycle begins at its end.
  const anchor = given.trialEnd ?? now
  const recurring = given.items[0]?.price.recurring
  if (!recurring) throw new TypeError('a subscription needs a recurring price')
  const end = given.trialEnd ?? periodEnd(anchor, now, recurring)
  const items = given.items.map((one) => createItem(world, { ...one, subscription: id, start: now, end }))
  return {
    id,
    object: 'subscription',
    application: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: anchor,
    billing_mode: { flexible: null, type: 'classic' },
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    collection_method: 'charge_automatically',
    created: now,
    currency: given.currency,
    customer: given.customer,
    days_until_due: null,
    default_payment_method: given.method,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: null,
    items: {
      object: 'list',
      data: items,
      has_more: false,
      total_count: items.length,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    latest_invoice: null,
    livemode: false,
    metadata: given.metadata,
    pause_collection: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now,
    status: 'incomplete',
    trial_end: given.trialEnd,
    trial_settings: { end_behavior: { missing_payment_method: given.missingPaymentMethod } },
    trial_start: given.trialEnd === null ? null : now,
  }
}

/** https://docs.stripe.com/api/subscription_items/object */
export const createItem = (
  world: World,
  given: { price: Price; quantity: number; subscription: string; start: number; end: number },
): SubscriptionItem => ({
  id: world.ids('si', 14),
  object: 'subscription_item',
  created: world.clock.seconds(),
  current_period_end: given.end,
  current_period_start: given.start,
  discounts: [],
  metadata: {},
  price: given.price,
  quantity: given.quantity,
  subscription: given.subscription,
  tax_rates: [],
})
