import type { World } from '../engine/index.ts'
import type { Account } from './account.ts'
import type { Reader } from './params.ts'
import type { AnyObject, Kind } from './shapes.ts'

/** One request. */
export interface Call {
  readonly account: Account
  /** The engine's world behind the account. */
  readonly world: World
  readonly params: Reader
  /** Ids in its path. */
  readonly ids: readonly string[]
}

/** Answer: an object is shown in its version, a page is a list of them, `plain` is sent unchanged. */
export type Result =
  | { readonly object: AnyObject }
  | { readonly page: { readonly data: readonly AnyObject[]; readonly has_more: boolean } }
  | { readonly plain: Record<string, unknown> }

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: RegExp
  /** Accepted parameters, besides `expand`; others are refused. */
  readonly params: readonly string[]
  run(call: Call): Result
}

/** Builds a route from text such as `/v1/customers/:id`. */
export function route(
  line: `${Route['method']} /v1/${string}`,
  params: readonly string[],
  run: Route['run'],
): Route {
  const [method, path = ''] = line.split(' ')
  return {
    method: method as Route['method'],
    path: new RegExp(`^${path.replaceAll(':id', '([^/]+)')}$`),
    params: [...params, 'expand'],
    run,
  }
}

/** Returns the name of an object's kind in a message. */
export function wordFor(kind: Kind): string {
  return kind === 'payment_intent' ? kind : kind.replaceAll(/[._]/g, ' ')
}
