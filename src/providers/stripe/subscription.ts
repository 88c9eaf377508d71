import { moneyOf } from '../../core/dto/index.ts'
import { currency, idOf, int, interval, isObject, type Json, list, obj, str, time } from '../narrow.ts'
import {
  type CostPart,
  costPart,
  moneyIn,
  type ReadSubscription,
  type StatusWords,
  statusPart,
} from '../subscription.ts'
import { isCut } from './long-lists.ts'
import { namedPrice, siteMetadata } from './notes.ts'
import type { Item, Price, Subscription } from './payload.ts'
import { pauseOf, putOff, scheduledOf, trialEndOf } from './terms.ts'

type Data = ReadSubscription

/** Converts a Stripe subscription of any API version; null without an id. */
export function toSubscriptionData(raw: Subscription, livemode: boolean): Data | null {
  const id = str(raw.id)
  if (id === null) return null
  const lines = itemsOf(raw)
  const items = lines.map((line) => toItem(line, raw))
  const first = items[0]
  // On the subscription until API 2025-03-31 (basil), on its items since.
  const periodStart = time(raw.current_period_start) ?? first?.current_period_start ?? null
  const periodEnd = time(raw.current_period_end) ?? first?.current_period_end ?? null
  const status = statusPart(statuses, str(raw.status))
  const price = priceOf(lines[0] ?? {}, raw)
  const pause = pauseOf(raw)
  // Every field but the cost, which is one value, is written out in a fixed order: spreads take V8 several times as
  // long, and this runs for each event.
  const data: Data = {
    id,
    customer_id: idOf(raw.customer),
    price_id: first?.price_id ?? null,
    product_id: first?.product_id ?? null,
    quantity: first?.quantity ?? int(raw.quantity),
    items,
    status: status.status,
    provider_status: pause.provider_status ?? status.provider_status,
    ...price,
    started_at: time(raw.start_date) ?? time(raw.start) ?? time(raw.created),
    trial_ends_at: trialEndOf(raw),
    current_period_start: periodStart,
    current_period_end: periodEnd,
    // Independent of each other: `cancel_at` may be set while this is false.
    cancel_at_period_end: raw.cancel_at_period_end === true,
    cancel_at: time(raw.cancel_at),
    canceled_at: time(raw.canceled_at),
    ended_at: time(raw.ended_at),
    paused_at: pause.paused_at ?? null,
    resumes_at: pause.resumes_at ?? null,
    scheduled_change: scheduledOf(raw),
    livemode: typeof raw.livemode === 'boolean' ? raw.livemode : livemode,
    metadata: siteMetadata(raw),
  }
  const ended_for = data.ended_at === null ? undefined : endReasons.get(obj(raw.cancellation_details).reason)
  if (ended_for !== undefined) Object.assign(data, { ended_for })
  const wait = putOff(raw)
  if (wait !== null) Object.assign(data, wait)
  return isCut(raw.items) ? Object.assign(data, { cut: true as const }) : data
}

/** Reconstructs the subscription before an update by applying `previous_attributes`. */
export function toSubscriptionBefore(raw: Subscription, previous: unknown, livemode: boolean): Data | null {
  if (!isObject(previous)) return null
  const before: Subscription = merge(raw, previous, 0)
  return toSubscriptionData(
    Object.assign(before, { id: raw.id, items: itemsBefore(before, previous) }),
    livemode,
  )
}

/** Returns the items; in older versions without items, the subscription's own plan is the only one. */
function itemsOf(raw: Subscription): readonly Item[] {
  const items = list(raw.items)
  if (items.length > 0 || !(str(raw.plan) || isObject(raw.plan))) return items
  return [{ plan: raw.plan, quantity: raw.quantity }]
}

function toItem(line: Item, raw: Subscription): Data['items'][number] {
  // `price` replaced `plan` (API 2020-08-27) and has the same id; either may be only the id.
  const product = idOf(obj(line.price).product) ?? idOf(obj(line.plan).product)
  return {
    id: str(line.id),
    price_id: namedPrice(raw, idOf(line.price) ?? idOf(line.plan), product),
    product_id: product,
    quantity: int(line.quantity),
    current_period_start: time(line.current_period_start) ?? time(raw.current_period_start),
    current_period_end: time(line.current_period_end) ?? time(raw.current_period_end),
  }
}

function priceOf(line: Item, raw: Subscription): CostPart {
  const [price, plan] = [obj(line.price), obj(line.plan)]
  const recurring = obj(price.recurring)
  // https://docs.stripe.com/api/prices/object#price_object-currency_options: by currency
  const options = Object.entries(obj(price.currency_options)).map(([code, option]) => ({
    ...obj(option),
    code,
  }))
  const stated = [
    moneyOf(price, { amount: 'unit_amount', currency: 'currency' }),
    moneyOf(plan, { amount: 'amount', currency: 'currency' }),
    ...options.map((option: Json) => moneyOf(option, { amount: 'unit_amount', currency: 'code' })),
  ]
  return costPart(moneyIn(currency(raw.currency), stated), {
    interval: interval(recurring.interval) ?? interval(plan.interval),
    interval_count: int(recurring.interval_count) ?? int(plan.interval_count),
  })
}

/**
 * Returns true if the price states its amount in another currency than the subscription is charged in. Only the price
 * itself lists the others, and only on request.
 */
export function hidesAmount(raw: Subscription): boolean {
  const charged = currency(raw.currency)
  const { currency: base, currency_options } = obj(list(raw.items)[0]?.price)
  return (
    charged !== null && currency(base) !== null && currency(base) !== charged && !isObject(currency_options)
  )
}

/** Returns the subscription with the amounts of its first item's price. */
export function withPrice(raw: Subscription, { currency_options }: Price): Subscription {
  const [first, ...others] = list(raw.items)
  const items = [{ ...first, price: { ...obj(first?.price), currency_options } }, ...others]
  return { ...(raw as Json), items: { ...obj(raw.items as unknown), data: items } } as unknown as Subscription
}

// https://docs.stripe.com/api/subscriptions/object#subscription_object-cancellation_details-reason
const endReasons: ReadonlyMap<unknown, NonNullable<Data['ended_for']>> = new Map([
  ['cancellation_requested', 'request'],
  ['payment_failed', 'unpaid'],
  ['payment_disputed', 'dispute'],
])

export const statuses: StatusWords = new Map([
  ['incomplete', 'incomplete'],
  ['incomplete_expired', 'expired'],
  ['trialing', 'trialing'],
  ['active', 'active'],
  ['past_due', 'past_due'],
  ['unpaid', 'unpaid'],
  ['paused', 'paused'],
  ['canceled', 'canceled'],
])

/** Merges objects and replaces everything else; null stands for an absent value. */
function merge(now: Json, before: Json, depth: number): Json {
  const merged: Record<string, unknown> = { ...now }
  for (const [key, value] of Object.entries(before)) {
    if (key === '__proto__') continue
    const current = now[key]
    merged[key] =
      isObject(value) && isObject(current) && depth < 20 ? merge(current, value, depth + 1) : value
  }
  return merged
}

// Old API versions report a changed plan or quantity of the only item on the subscription alone.
function itemsBefore(before: Subscription, previous: Json): unknown {
  const items = list(before.items)
  const [only] = items
  if ('items' in previous || items.length !== 1 || only === undefined) return before.items
  const had: Record<string, unknown> = { ...only }
  if (isObject(previous.plan)) Object.assign(had, { price: null, plan: before.plan })
  if (int(previous.quantity) !== null) had.quantity = previous.quantity
  return [had]
}
