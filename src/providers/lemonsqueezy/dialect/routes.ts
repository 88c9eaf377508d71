import type { Asked, World } from '../../../merchant/index.ts'
import type { Account } from './account.ts'
import { invalid } from './errors.ts'
import type { Json, Resource } from './options.ts'

/** What one request asks. */
export interface Call {
  readonly account: Account
  readonly world: World
  readonly query: URLSearchParams
  /** The `attributes` of what was sent. */
  readonly body: Json
  /** Its `relationships`: the ids that are named. */
  readonly named: Readonly<Record<string, string | undefined>>
  /** The id in its path. */
  readonly id: string
}

/** What is answered: one object, or a list of which a page is shown. */
export type Result =
  | { readonly data: Resource; readonly status?: number }
  | { readonly list: readonly Resource[] }

export interface Route {
  readonly method: string
  readonly path: RegExp
  run(call: Call): Result
}

/** `PATCH /v1/subscriptions/:id` as a route. */
export const route = (line: string, run: Route['run']): Route => {
  const [method = '', path = ''] = line.split(' ')
  return { method, path: new RegExp(`^${path.replaceAll(':id', '([^/]+)')}$`), run }
}

/** What a request sends. */
export const readBody = ({ body }: Pick<Asked, 'body'>): Pick<Call, 'body' | 'named'> => {
  if (body === '') return { body: {}, named: {} }
  try {
    const { data } = JSON.parse(body) as { data: { attributes?: Json; relationships?: Json } }
    const named = Object.entries(data.relationships ?? {}).map(([name, one]) => [
      name,
      (one as { data?: { id?: string } }).data?.id,
    ])
    return { body: data.attributes ?? {}, named: Object.fromEntries(named) }
  } catch {
    throw invalid('', 'The document is no JSON:API.')
  }
}

/** A page of a list, newest first, filtered by what is asked.
 *  https://docs.lemonsqueezy.com/api/getting-started/requests */
export const pageOf = (all: readonly Resource[], query: URLSearchParams) => {
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
  return { data, meta: { page: { currentPage, lastPage, perPage, total: found.length } } }
}
