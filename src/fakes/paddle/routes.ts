import { type Call, type Json, type Route, routesBelow } from '../engine/index.ts'
import type { Account } from './account.ts'

/** One request. */
export type PaddleCall = Call<Account>

/** Answer: one object, or a list that is shown in pages. */
export type Result = { readonly data: Json; readonly status?: number } | { readonly list: readonly Json[] }

/** One path of Paddle's API. */
export type PaddleRoute = Route<PaddleCall, Result>

/** Builds a route from text such as `PATCH /subscriptions/:id`. */
export const route = routesBelow<PaddleCall, Result>()

/**
 * Returns a page of a list after an id, with filters; `order_by` sorts newest first.
 * https://developer.paddle.com/api-reference/about/pagination
 */
export function pageOf(all: readonly Json[], query: URLSearchParams, url: string) {
  const idOf = (raw: Json) => raw.id ?? raw.event_id
  const found = all.filter((raw) => filters.every((name) => matches(raw, name, query.get(name))))
  const since = query.get('created_at[GTE]')
  const young = since === null ? found : found.filter((raw) => String(raw.created_at) >= since)
  const ordered = query.get('order_by')?.endsWith('[DESC]') ? [...young].reverse() : young
  const after = query.get('after')
  const rest = after === null ? ordered : ordered.slice(ordered.findIndex((raw) => idOf(raw) === after) + 1)
  const perPage = Math.min(Number(query.get('per_page') ?? 50), 200)
  const data = rest.slice(0, perPage)
  const last = data.at(-1)
  return {
    data,
    pagination: {
      per_page: perPage,
      next: `${url}?after=${String(last === undefined ? '' : idOf(last))}`,
      has_more: rest.length > data.length,
      estimated_total: ordered.length,
    },
  }
}

const filters = [
  'id',
  'status',
  'customer_id',
  'subscription_id',
  'transaction_id',
  'action',
  'code',
  'email',
]

function matches(raw: Json, name: string, asked: string | null): boolean {
  return asked === null || asked.split(',').includes(String(raw[name]))
}
