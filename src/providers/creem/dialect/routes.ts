import type { Asked, World } from '../../../merchant/index.ts'
import type { Account } from './account.ts'
import { ApiError } from './errors.ts'
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

/** What is answered: one object, or a list of which a page is shown. */
export type Result = { readonly data: Json } | { readonly list: readonly Json[] }

export interface Route {
  readonly method: string
  readonly path: RegExp
  run(call: Call): Result
}

/** `POST /v1/subscriptions/:id/cancel` as a route. */
export const route = (line: string, run: Route['run']): Route => {
  const [method = '', path = ''] = line.split(' ')
  return { method, path: new RegExp(`^${path.replaceAll(':id', '([^/]+)')}$`), run }
}

/** The body of a request. */
export const readBody = ({ body }: Pick<Asked, 'body'>): Json => {
  if (body === '') return {}
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  } catch {}
  throw new ApiError(400, 'The body is no JSON')
}

/** A page of a list, newest first. https://docs.creem.io/api-reference/endpoint/get-transactions */
export const pageOf = (all: readonly Json[], query: URLSearchParams): Json => {
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
