import { isDeepStrictEqual } from 'node:util'
import type { Subscription } from '../../core/dto/index.ts'
import { type Stored, typed } from '../prove/rules.ts'

/**
 * Converts a subscription to version 1's form: Stripe's own object, as far as it is known here.
 * https://docs.stripe.com/api/subscriptions/object
 */
export function toStored(s: Subscription): Stored {
  const period = {
    current_period_start: seconds(s.current_period_start),
    current_period_end: seconds(s.current_period_end),
  }
  return {
    id: s.id,
    object: 'subscription',
    customer: s.customer_id,
    status: s.status === 'expired' ? 'incomplete_expired' : s.status,
    currency: s.currency?.toLowerCase() ?? null,
    start_date: seconds(s.started_at),
    ...period,
    trial_end: seconds(s.trial_ends_at),
    cancel_at_period_end: s.cancel_at_period_end,
    cancel_at: seconds(s.cancel_at),
    canceled_at: seconds(s.canceled_at),
    ended_at: seconds(s.ended_at),
    pause_collection:
      s.status === 'paused' || (s.paused_at === null && s.resumes_at === null)
        ? null
        : { behavior: 'void', resumes_at: seconds(s.resumes_at) },
    livemode: s.livemode,
    metadata: s.metadata,
    items: {
      object: 'list',
      data: s.items.map((item, i) => ({
        id: item.id,
        object: 'subscription_item',
        price: {
          id: item.price_id,
          object: 'price',
          product: item.product_id,
          ...(i === 0 ? termsOf(s) : {}),
        },
        quantity: item.quantity,
        current_period_start: seconds(item.current_period_start),
        current_period_end: seconds(item.current_period_end),
      })),
    },
  }
}

/**
 * Updates the fields of a stored subscription and keeps its other fields. Returns the same object if nothing
 * changed.
 */
export function refreshed(kept: Stored, now: Stored): Stored {
  const before = typed(kept)
  const after = laidOver(before, now, always) as Stored
  return isDeepStrictEqual(before, after) ? kept : after
}

// Written even if the account lacks the field, because these decide access.
const always = new Set(['status', 'ended_at', 'cancel_at', 'pause_collection', 'items'])

function laidOver(kept: unknown, now: unknown, also: ReadonlySet<string>): unknown {
  if (Array.isArray(now))
    return now.map((item, i) =>
      laidOver(Array.isArray(kept) && kept.length === now.length ? kept[i] : undefined, item, also),
    )
  if (!isMap(now) || !isMap(kept)) return now
  const entries = Object.entries(now).filter(
    ([key, value]) => key in kept || (also.has(key) && value !== null),
  )
  return {
    ...kept,
    // An unknown value is not a change.
    ...Object.fromEntries(
      entries
        .filter(([key, value]) => value !== null || nullable.has(key))
        .map(([key, value]) => [key, laidOver(kept[key], value, also)]),
    ),
  }
}

const nullable = new Set(['cancel_at', 'canceled_at', 'ended_at', 'pause_collection', 'trial_end'])

function termsOf({ currency, unit_amount, interval, interval_count }: Subscription) {
  return {
    currency: currency?.toLowerCase() ?? null,
    unit_amount,
    recurring: interval === null ? null : { interval, interval_count },
  }
}

function seconds(at: string | null): number | null {
  return at === null ? null : Math.floor(Date.parse(at) / 1000)
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
