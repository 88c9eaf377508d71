import { type Call, type Json, type Route, routesBelow } from '../engine/index.ts'
import type { Account } from './account.ts'

/** One request. */
export type DodoCall = Call<Account>

/** Answer: one object, or a list that is shown in pages. */
export type Result = { readonly data: Json } | { readonly list: readonly Json[] }

/** One path of Dodo's API. */
export type DodoRoute = Route<DodoCall, Result>

/** Builds a route from text such as `POST /subscriptions/:id/change-plan`. */
export const route = routesBelow<DodoCall, Result>()

/**
 * Returns a page of a list, newest first; the first page is 0.
 * https://docs.dodopayments.com/api-reference/payments/get-payments
 */
export function pageOf(all: readonly Json[], query: URLSearchParams): Json {
  const isAsked = (name: string, value: unknown) => [null, String(value)].includes(query.get(name))
  const since = query.get('created_at_gte')
  const found = all
    .filter((raw) => isAsked('status', raw.status) && isAsked('subscription_id', raw.subscription_id))
    .filter(({ customer }) => isAsked('customer_id', (customer as Json | undefined)?.customer_id))
    .filter(({ created_at }) => since === null || String(created_at) >= since)
    .reverse()
  const size = Math.min(Number(query.get('page_size') ?? 10), 100)
  const start = Number(query.get('page_number') ?? 0) * size
  return { items: found.slice(start, start + size) }
}
