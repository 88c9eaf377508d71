import { type Call, type Json, type Route, routesBelow } from '../engine/index.ts'
import type { Account } from './account.ts'
import { invalid } from './errors.ts'

/** One request. */
export type PolarCall = Call<Account>

/** Answer: one object, or a list, oldest first, that is shown in pages. */
export type Result = { readonly data: Json; readonly status?: number } | { readonly list: readonly Json[] }

/** One path of Polar's API. */
export type PolarRoute = Route<PolarCall, Result>

const routeBelow = routesBelow<PolarCall, Result>('/v1')
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Builds a route from text such as `PATCH /subscriptions/:id`. An id that is no UUID is a validation error. */
export function route(line: string, run: PolarRoute['run']): PolarRoute {
  return routeBelow(line, (call) => {
    if (line.includes(':id') && !uuid.test(call.id)) throw invalid('id', 'Input should be a valid UUID')
    return run(call)
  })
}

const filters = ['id', 'status', 'customer_id', 'order_id', 'checkout_id', 'email']

/** Returns a page of a list, newest first. https://polar.sh/docs/api-reference/introduction#pagination */
export function pageOf(all: readonly Json[], query: URLSearchParams): Json {
  const isAsked = (raw: Json, name: string) => [null, String(raw[name])].includes(query.get(name))
  const since = query.get('start_timestamp')
  const found = all
    .filter((raw) => filters.every((name) => isAsked(raw, name)))
    .filter((raw) => since === null || String(raw.created_at) >= since)
    .reverse()
  const [page, limit] = [Number(query.get('page') ?? 1), Math.min(Number(query.get('limit') ?? 10), 100)]
  return {
    items: found.slice((page - 1) * limit, page * limit),
    pagination: { total_count: found.length, max_page: Math.ceil(found.length / limit) },
  }
}
