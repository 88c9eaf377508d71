import { collect, finalizeInvoice } from './collecting.ts'
import { draftInvoice, periodLines } from './invoices.ts'
import type { Coupon, Item, Metadata, Price, Subscription } from './objects.ts'
import { addMonths, periodEnd } from './periods.ts'
import { rhythmOf } from './proration.ts'
import type { World } from './world.ts'

/** A subscription to begin. */
export interface NewSubscription {
  readonly customer: string
  readonly currency: string
  readonly items: readonly { readonly price: Price; readonly quantity: number }[]
  readonly metadata: Metadata
  readonly method: string | null
  readonly trialEnd: number | null
  readonly withoutMethod: Subscription['without_method']
  readonly coupon: string | null
  readonly code: string | null
}

/**
 * Begins a subscription with its first invoice. It is `incomplete` until that is paid; a trial or a free one
 * needs no payment.
 */
export function startSubscription(world: World, given: NewSubscription): Subscription {
  const now = world.clock.seconds()
  const { currency } = given
  const subscription = build(world, given, now)
  const { id } = subscription
  const isTrial = given.trialEnd !== null
  const lines = periodLines(world, subscription.items, { currency, isTrial })
  const isFree =
    lines.every(({ amount }) => amount === 0) || world.store.find('coupon', given.coupon)?.percent_off === 100
  world.store.put({ ...subscription, status: isTrial ? 'trialing' : isFree ? 'active' : 'incomplete' })
  const coupon = world.store.find('coupon', given.coupon)
  if (coupon) addDiscount(world, world.store.get('subscription', id), { coupon, code: given.code })
  const invoice = draftInvoice(world, world.store.get('subscription', id), {
    lines,
    reason: 'start',
    draftUntil: null,
    period: { start: now, end: now },
  })
  world.change('subscription', id, { invoice: invoice.id }, 'subscription added')
  world.tell('invoice added', invoice)
  if (finalizeInvoice(world, invoice.id).status === 'open') collect(world, invoice.id, { isOwnerThere: true })
  return world.store.get('subscription', id)
}

/** Applies a coupon to a subscription, in place of earlier ones. The caller reports the subscription. */
export function addDiscount(
  world: World,
  { id: subscription, customer }: Pick<Subscription, 'id' | 'customer'>,
  { coupon, code }: { readonly coupon: Coupon; readonly code: string | null },
): Subscription {
  const now = world.clock.seconds()
  const discount = world.add<'discount'>(
    {
      kind: 'discount',
      id: world.idFor('discount'),
      created: now,
      coupon: coupon.id,
      code,
      customer,
      subscription,
      end: coupon.duration === 'repeating' ? addMonths(now, coupon.months ?? 1) : null,
    },
    'discount added',
  )
  return world.change('subscription', subscription, { discounts: [discount.id] })
}

function build(world: World, given: NewSubscription, now: number): Subscription {
  const id = world.idFor('subscription')
  const [first] = given.items
  if (!first?.price.rhythm) throw new TypeError('a subscription needs a price with a rhythm')
  // A trial is the first period, and the cycle begins at its end.
  const anchor = given.trialEnd ?? now
  const endOf = ({ price }: { price: Price }): number =>
    given.trialEnd ??
    periodEnd(anchor, now, rhythmOf(world.settings.mixesIntervals && price.rhythm ? price : first.price))
  const toItem = (item: { price: Price; quantity: number }): Item => ({
    id: world.idFor('item'),
    created: now,
    ...item,
    start: now,
    end: endOf(item),
  })
  return {
    kind: 'subscription',
    id,
    created: now,
    customer: given.customer,
    currency: given.currency,
    status: 'incomplete',
    items: given.items.map(toItem),
    anchor,
    metadata: given.metadata,
    method: given.method,
    discounts: [],
    invoice: null,
    trial_start: given.trialEnd === null ? null : now,
    trial_end: given.trialEnd,
    warned: false,
    without_method: given.withoutMethod,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation: { reason: null, comment: null, feedback: null },
    ended_at: null,
    paused_at: null,
    pause_at: null,
    resumes_at: null,
    collection: null,
    pending: null,
    schedule: null,
    fails_next: false,
  }
}
