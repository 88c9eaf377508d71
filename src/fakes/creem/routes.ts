import { type Call, type Json, type Route, routesBelow } from '../engine/index.ts'
import type { Account } from './account.ts'

/** One request. */
export type CreemCall = Call<Account>

/** Answer: one object, or a list that is shown in pages. */
export type Result = { readonly data: Json } | { readonly list: readonly Json[] }

/** One path of Creem's API. */
export type CreemRoute = Route<CreemCall, Result>

/** Builds a route from text such as `POST /subscriptions/:id/cancel`. */
export const route = routesBelow<CreemCall, Result>('/v1')

/** Returns a page of a list, newest first. https://docs.creem.io/api-reference/endpoint/get-transactions */
export function pageOf(all: readonly Json[], query: URLSearchParams): Json {
  const size = Number(query.get('page_size') ?? 10)
  const page = Number(query.get('page_number') ?? 1)
  const pages = Math.max(1, Math.ceil(all.length / size))
  return {
    items: all.toReversed().slice((page - 1) * size, page * size),
    pagination: {
      total_records: all.length,
      total_pages: pages,
      current_page: page,
      next_page: page < pages ? page + 1 : null,
      prev_page: page > 1 ? page - 1 : null,
    },
  }
}
