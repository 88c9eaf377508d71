import type { Asked, World } from '../../../merchant/index.ts'
import type { Account } from './account.ts'
import { invalid } from './errors.ts'
import type { Json } from './options.ts'

/** What one request asks. */
export interface Call {
  readonly account: Account
  readonly world: World
  readonly query: URLSearchParams
  readonly body: Json
  /** The id in its path. */
  readonly id: string
}

/** What is answered: one object, or a list, oldest first, of which a page is shown. */
export type Result = { readonly one: Json; readonly status?: number } | { readonly list: readonly Json[] }

export interface Route {
  readonly method: string
  readonly path: RegExp
  run(call: Call): Result
}

/** `PATCH /subscriptions/:id` as a route. */
export const route = (line: string, run: Route['run']): Route => {
  const [method = '', path = ''] = line.split(' ')
  return { method, path: new RegExp(`^/v1${path.replaceAll(':id', '([^/]+)')}$`), run }
}

/** The body of a request. */
export const readBody = ({ body }: Pick<Asked, 'body'>): Json => {
  if (body === '') return {}
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  } catch {}
  throw invalid('body', 'JSON decode error')
}

const filters = ['id', 'status', 'customer_id', 'order_id', 'checkout_id', 'email']

/** A page of a list, newest first. https://polar.sh/docs/api-reference/introduction#pagination */
export const pageOf = (all: readonly Json[], query: URLSearchParams): Json => {
  const isAsked = (one: Json, name: string) => [null, String(one[name])].includes(query.get(name))
  const since = query.get('start_timestamp')
  const found = all
    .filter((one) => filters.every((name) => isAsked(one, name)))
    .filter((one) => since === null || String(one.created_at) >= since)
    .reverse()
  const [page, limit] = [Number(query.get('page') ?? 1), Math.min(Number(query.get('limit') ?? 10), 100)]
  return {
    items: found.slice((page - 1) * limit, page * limit),
    pagination: { total_count: found.length, max_page: Math.ceil(found.length / limit) },
  }
}
