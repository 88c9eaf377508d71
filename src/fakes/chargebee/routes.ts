import { type Call, type Json, type Route, routesBelow } from '../engine/index.ts'
import type { Account } from './account.ts'

/** One request. */
export type ChargebeeCall = Call<Account, Params>

/** Answer: objects side by side, or a `list` that is shown in pages. */
export type Result = Json

/** One path of Chargebee's API. */
export type ChargebeeRoute = Route<ChargebeeCall, Result>

/** Builds a route from text such as `POST /subscriptions/:id/pause`. */
export const route = routesBelow<ChargebeeCall, Result>('/api/v2')

/** Fields of a form, by names such as `customer[id]` and `subscription_items[item_price_id][0]`. */
export interface Params {
  text(name: string): string | null
  number(name: string): number | null
  is(name: string): boolean
  /** Returns the texts of a list, `name[0]` and so on. */
  texts(name: string): string[]
  /** Returns the rows of a list of objects. */
  rows(name: string): ReadonlyMap<string, string>[]
}

/** Reads a form. */
export function readParams(body: string): Params {
  const form = new URLSearchParams(body)
  const text = (name: string) => form.get(name)
  return {
    text,
    number: (name) => {
      const given = text(name)
      return given === null || !/^-?\d+$/.test(given) ? null : Number(given)
    },
    is: (name) => text(name) === 'true',
    texts: (name) =>
      [...form]
        .filter(([key]) => /^\w+\[\d+\]$/.test(key) && key.startsWith(`${name}[`))
        .map(([, item]) => item),
    rows: (name) => {
      const rows: Map<string, string>[] = []
      for (const [key, value] of form) {
        const [, list, field = '', place = ''] = /^(\w+)\[(\w+)\]\[(\d+)\]$/.exec(key) ?? []
        if (list !== name) continue
        rows[Number(place)] ??= new Map()
        rows[Number(place)]!.set(field, value)
      }
      return rows
    },
  }
}

/**
 * Returns a page of a list by `limit` and `offset`, with filters such as `status[in]` and `date[after]`.
 * https://apidocs.chargebee.com/docs/api, "Pagination"
 */
export function pageOf(all: readonly Json[], query: URLSearchParams): Json {
  const found = all.filter((item) => [...query].every(([name, asked]) => matches(item, name, asked)))
  const limit = Math.min(Number(query.get('limit') ?? 10), 100)
  const [start = 0] = JSON.parse(query.get('offset') ?? '[0]') as number[]
  const list = found.slice(start, start + limit)
  const end = start + list.length
  return { list, ...(end < found.length ? { next_offset: `[${end}]` } : {}) }
}

function matches(item: Json, name: string, asked: string): boolean {
  const [, field = '', operator] = /^(\w+)\[(is|in|after)\]$/.exec(name) ?? []
  if (operator === undefined) return true
  const value = (Object.values(item)[0] as Json)[field]
  if (operator === 'after') return Number(value) > Number(asked)
  return operator === 'is' ? String(value) === asked : (JSON.parse(asked) as unknown[]).includes(value)
}
