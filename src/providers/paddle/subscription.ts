import { moneyOf } from '../../core/dto/index.ts'
import type { SubscriptionSnapshot } from '../contract.ts'
import { int, interval, list, metadata, obj, str, whole } from '../narrow.ts'
import {
  type CostPart,
  costPart,
  type EndPart,
  moneyIn,
  type PausePart,
  type ReadSubscription,
  type StatusWords,
  statusPart,
} from '../subscription.ts'
import { currencyOf, priceOf, recurs } from './facts.ts'
import type { Item, Subscription } from './payload.ts'

/**
 * Converts a Paddle subscription; null without an id. None exists before the first payment. Source:
 * https://developer.paddle.com/api-reference/subscriptions
 */
export function toSubscriptionData(raw: Subscription): ReadSubscription | null {
  const id = str(raw.id)
  if (id === null) return null
  // One-time items are in the list too, but are not what the subscription is for.
  const lines = [...list(raw.items)].sort((a, b) => Number(recurs(b) ?? true) - Number(recurs(a) ?? true))
  const items = lines.map((line) => toItem(line, raw))
  const [first] = items
  const period = obj(raw.current_billing_period)
  const status = statusPart(statuses, str(raw.status))
  return {
    id,
    customer_id: str(raw.customer_id),
    price_id: first?.price_id ?? null,
    product_id: first?.product_id ?? null,
    quantity: first?.quantity ?? null,
    items,
    ...status,
    ...costOf(lines[0] ?? {}, raw),
    started_at: str(raw.started_at) ?? str(raw.created_at),
    trial_ends_at: trialEnd(raw, lines),
    current_period_start: str(period.starts_at),
    current_period_end: str(period.ends_at),
    ...endOf(raw, str(period.ends_at)),
    ended_at: status.status === 'canceled' ? str(raw.canceled_at) : null,
    ...pauseOf(raw),
    metadata: metadata(raw.custom_data),
  }
}

/**
 * Returns the end of the trial: the next bill while it runs, which the seller moves to extend it or to cut it
 * short. Source: https://developer.paddle.com/build/trials/extend-activate-change-date-trials
 */
function trialEnd(raw: Subscription, lines: readonly Item[]): string | null {
  const next = raw.status === 'trialing' ? str(raw.next_billed_at) : null
  return next ?? lines.map((line) => str(obj(line.trial_dates).ends_at)).find((at) => at !== null) ?? null
}

function toItem(line: Item, raw: Subscription): SubscriptionSnapshot['items'][number] {
  // A one-time item has no period.
  const period = recurs(line) === false ? {} : obj(raw.current_billing_period)
  return {
    id: null,
    ...priceOf(line),
    quantity: int(line.quantity),
    current_period_start: str(period.starts_at),
    current_period_end: str(period.ends_at),
  }
}

function costOf(line: Item, raw: Subscription): CostPart {
  const cycle = obj(raw.billing_cycle)
  const price = obj(line.price)
  // Nothing says which of them a buyer's country selected: https://developer.paddle.com/api-reference/prices/overview
  const unitPrices = [price, ...list(price.unit_price_overrides)].map(({ unit_price }) => obj(unit_price))
  const stated = unitPrices.map((unit) =>
    moneyOf(unit, { amount: 'amount', currency: 'currency_code' }, whole),
  )
  return costPart(moneyIn(currencyOf(raw), stated), {
    interval: interval(cycle.interval),
    interval_count: int(cycle.frequency),
  })
}

export const statuses: StatusWords = new Map([
  ['active', 'active'],
  ['trialing', 'trialing'],
  ['past_due', 'past_due'],
  ['paused', 'paused'],
  ['canceled', 'canceled'],
])

/**
 * Returns the end; until then the status stays `active`, and `scheduled_change` contains the future change.
 */
function endOf(raw: Subscription, periodEnd: string | null): Omit<EndPart, 'ended_at'> {
  const planned = obj(raw.scheduled_change)
  const at = planned.action === 'cancel' ? str(planned.effective_at) : null
  return {
    cancel_at_period_end: at !== null && at === periodEnd,
    cancel_at: at,
    canceled_at: str(raw.canceled_at),
  }
}

/**
 * Returns a current or planned pause. `effective_at` is the start of a planned pause, and the end of a
 * current one.
 */
function pauseOf(raw: Subscription): PausePart {
  const planned = obj(raw.scheduled_change)
  if (planned.action === 'pause')
    return { paused_at: str(planned.effective_at), resumes_at: str(planned.resume_at) }
  return {
    paused_at: str(raw.paused_at),
    resumes_at: planned.action === 'resume' ? str(planned.effective_at) : null,
  }
}
