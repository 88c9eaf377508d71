import type { Answer } from './idempotency.ts'
import { Refusal } from './refusal.ts'
import type { Answered, ApiHandler, Asked } from './server.ts'
import type { World } from './world.ts'

/** JSON object. */
export type Json = Record<string, unknown>

/** Further fields of an API error: its name, the field that it is about, its kind. */
export interface ErrorExtras {
  readonly code?: string
  readonly field?: string
  readonly type?: string
}

/** An answer that is an error, in a provider's words. */
export class ApiError extends Error {
  readonly status: number
  readonly said: ErrorExtras
  constructor(status: number, message: string, extras: ErrorExtras = {}) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.said = extras
  }
}

/** One request to an account of the provider. */
export interface Call<A, B = Json> {
  readonly account: A
  readonly world: World
  readonly query: URLSearchParams
  readonly body: B
  /** The id in its path. */
  readonly id: string
}

/** One address of an API. */
export interface Route<C, R> {
  readonly method: string
  readonly path: RegExp
  run(call: C): R
}

/** Makes routes below an address: `PATCH /subscriptions/:id`. */
export const routesBelow =
  <C, R>(base = '') =>
  (line: string, run: (call: C) => R): Route<C, R> => {
    const [method = '', path = ''] = line.split(' ')
    return { method, path: new RegExp(`^${base}${path.replaceAll(':id', '([^/]+)')}$`), run }
  }

/** The object that a request sends; an empty one where it sends nothing. @throws what `unreadable` makes */
export const readJson = (body: string, unreadable: () => Error): Json => {
  if (body === '') return {}
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  } catch {}
  throw unreadable()
}

/** Values of a metadata object as text, numbers included. */
export const textsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries((value ?? {}) as Json).map(([key, text]) => [key, String(text)]))

/** Protocol of one provider's API. */
export interface Speaking<A, B, R> {
  readonly account: A & { readonly world: World }
  readonly routes: readonly Route<Call<A, B>, R>[]
  /** Stands between taking a request and doing it. */
  readonly wait: () => Promise<void>
  /** Path prefix of the API, which parts it from pages for people. */
  owns(path: string): boolean
  /** @throws ApiError for a key that is not the right one */
  admit(asked: Asked): void
  /** @throws ApiError for a body that cannot be read */
  read(asked: Asked): B
  /** The answer that a result is. */
  show(result: R, asked: Asked, query: URLSearchParams): Answered
  /** Error for an unknown address. */
  unknown(asked: Asked): ApiError
  /** Error for a refusal of the engine. */
  refused(refusal: Refusal): ApiError
  /** The answer that an error is. */
  failed(error: ApiError, requestId: string): Answer
  /** True if it changes nothing, although it does not only read. */
  previews?(path: string): boolean
  keyOf?: ApiHandler['keyOf']
  /** Does a request once for its key, where the provider takes keys. @throws ApiError for a key that cannot be taken */
  once?(asked: Asked, run: () => Answer): Answered
}

/** An API as most fake servers have it: a key, routes, and errors in the provider's words. */
export const createApi = <A, B, R>(speaking: Speaking<A, B, R>): ApiHandler => {
  const { account, routes, wait, failed, once = (_asked, run) => run() } = speaking
  const execute = (asked: Asked): Answered => {
    if (asked.breaks) throw brokenDown(500)
    const { route, id } = findRoute(routes, asked, speaking.unknown)
    const query = new URLSearchParams(asked.query)
    const body = speaking.read(asked)
    return copyOf(speaking.show(route.run({ account, world: account.world, query, body, id }), asked, query))
  }
  const inWords = (asked: Asked, run: () => Answered): Answered => {
    try {
      return run()
    } catch (error) {
      const extras = error instanceof Refusal ? speaking.refused(error) : error
      return failed(extras instanceof ApiError ? extras : ownMistake(extras), asked.requestId)
    }
  }
  return {
    owns: speaking.owns,
    keyOf: speaking.keyOf ?? (() => undefined),
    changes: ({ method, path }) => method !== 'GET' && speaking.previews?.(path) !== true,
    failure: (status) => failed(brokenDown(status), ''),
    handle: async (asked) => {
      await wait()
      return inWords(asked, () => {
        speaking.admit(asked)
        return once(asked, () => inWords(asked, () => execute(asked)))
      })
    },
  }
}

const brokenDown = (status: number): ApiError => new ApiError(status, 'Something went wrong')

// A mistake of the fake server itself: loud, and no reason to try again.
const ownMistake = (error: unknown): ApiError => {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return new ApiError(500, `The fake failed: ${text}`)
}

// What is kept for a key, or shown twice, must stay what it was.
const copyOf = (answered: Answered): Answered => JSON.parse(JSON.stringify(answered)) as Answered

const findRoute = <C, R>(
  routes: readonly Route<C, R>[],
  asked: Asked,
  unknown: (asked: Asked) => ApiError,
): { route: Route<C, R>; id: string } => {
  for (const route of routes) {
    const found = route.method === asked.method ? route.path.exec(asked.path) : null
    if (found) return { route, id: decodeURIComponent(found[1] ?? '') }
  }
  throw unknown(asked)
}
