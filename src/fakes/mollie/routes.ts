import type { Json } from '../../providers/narrow.ts'
import type { AnyObject, Asked, World } from '../engine/index.ts'
import { MollieError, missing } from './errors.ts'
import type { Shapes } from './shapes.ts'

/** Input of a route. */
export interface Request {
  readonly world: World
  readonly shapes: Shapes
  readonly asked: Asked
  readonly query: URLSearchParams
  /** Ids in its path, in order. */
  readonly ids: readonly string[]
  /** Address of the API. */
  readonly base: string
}

/** One path of the API. */
export interface Route {
  readonly method: string
  readonly path: RegExp
  run(request: Request): Json
}

const mostOnPage = 250

/**
 * Returns one page of a list, newest first, from an object on. https://docs.mollie.com/reference/pagination
 */
export function toPage<T extends Pick<AnyObject, 'id'>>(
  { query, base, asked }: Request,
  name: string,
  all: readonly T[],
  show: (item: T) => Json,
): Json {
  const limit = Number(query.get('limit') ?? 50)
  if (!(limit >= 1 && limit <= mostOnPage)) throw new MollieError(400, 'Invalid limit', 'limit')
  const newest = [...all].reverse()
  const from = query.get('from')
  const start = from === null ? 0 : newest.findIndex(({ id }) => id === from)
  if (start < 0) throw missing(name, from ?? '')
  const page = newest.slice(start, start + limit)
  const next = newest[start + limit]
  const path = asked.path.slice('/v2'.length)
  return {
    count: page.length,
    _embedded: { [name]: page.map((item) => show(item)) },
    _links: {
      self: { href: `${base}${path}`, type: 'application/hal+json' },
      previous: null,
      next: next
        ? { href: `${base}${path}?from=${next.id}&limit=${limit}`, type: 'application/hal+json' }
        : null,
    },
  }
}
