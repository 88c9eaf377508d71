import { type Asked, type Call, type Json, type Route, routesBelow } from '../engine/index.ts'
import type { Account, Resource } from './account.ts'
import { invalid } from './errors.ts'

/** Body of a request: its `attributes`, and the ids in its `relationships`. */
interface Sent {
  readonly fields: Json
  readonly named: Readonly<Record<string, string | undefined>>
}

/** One request. */
export type LemonSqueezyCall = Call<Account, Sent>

/** Answer: one object, or a list that is shown in pages. */
export type Result =
  | { readonly data: Resource; readonly status?: number }
  | { readonly list: readonly Resource[] }
  | { readonly document: Json }

/** One path of Lemon Squeezy's API. */
export type LemonSqueezyRoute = Route<LemonSqueezyCall, Result>

/** Builds a route from text such as `PATCH /subscriptions/:id`. */
export const route = routesBelow<LemonSqueezyCall, Result>('/v1')

/** Reads a JSON:API document. */
export function readBody({ body }: Pick<Asked, 'body'>): Sent {
  if (body === '') return { fields: {}, named: {} }
  try {
    const { data } = JSON.parse(body) as { data: { attributes?: Json; relationships?: Json } }
    const named = Object.entries(data.relationships ?? {}).map(([name, item]) => [
      name,
      (item as { data?: { id?: string } }).data?.id,
    ])
    return { fields: data.attributes ?? {}, named: Object.fromEntries(named) }
  } catch {
    throw invalid('', 'The document is no JSON:API.')
  }
}

/**
 * Returns a page of a list, newest first, with filters.
 * https://docs.lemonsqueezy.com/api/getting-started/requests
 */
export function pageOf(all: readonly Resource[], query: URLSearchParams) {
  const filters = [...query].flatMap(([key, value]) => {
    const name = /^filter\[(\w+)\]$/.exec(key)?.[1]
    return name === undefined ? [] : [[name, value] as const]
  })
  const found = all.filter(({ attributes }) =>
    filters.every(([name, value]) => String(attributes[name]) === value),
  )
  const perPage = Math.min(Number(query.get('page[size]') ?? 10), 100)
  const currentPage = Number(query.get('page[number]') ?? 1)
  const data = found.toReversed().slice((currentPage - 1) * perPage, currentPage * perPage)
  const lastPage = Math.max(1, Math.ceil(found.length / perPage))
  const from = data.length === 0 ? null : (currentPage - 1) * perPage + 1
  const to = from === null ? null : from + data.length - 1
  const at = (number: number): string => `https://api.lemonsqueezy.com/v1?page[number]=${number}`
  return {
    data,
    meta: { page: { currentPage, from, lastPage, perPage, to, total: found.length } },
    links: { first: at(1), last: at(lastPage) },
  }
}
