import type { Answer } from './idempotency.ts'
import { Refusal } from './refusal.ts'
import type { Replica } from './replica.ts'
import type { Answered, ApiHandler, Asked } from './server.ts'
import type { World } from './world.ts'

/** JSON object. */
export type Json = Record<string, unknown>

/** Further fields of an API error: its code, the field that it is about, and its type. */
export interface ErrorExtras {
  readonly code?: string
  readonly field?: string
  readonly type?: string
}

/** An error answer, in a provider's terms. */
export class ApiError extends Error {
  readonly status: number
  readonly extras: ErrorExtras
  constructor(status: number, message: string, extras: ErrorExtras = {}) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.extras = extras
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

/** One path of an API. */
export interface Route<C, R> {
  readonly method: string
  readonly path: RegExp
  run(call: C): R
}

/** Builds routes below a path: `PATCH /subscriptions/:id`. */
export function routesBelow<C, R>(base = '') {
  return (line: string, run: (call: C) => R): Route<C, R> => {
    const [method = '', path = ''] = line.split(' ')
    return { method, path: new RegExp(`^${base}${path.replaceAll(':id', '([^/]+)')}$`), run }
  }
}

/**
 * Parses the JSON object of a request; an empty body gives an empty object.
 * @throws the error that `unreadable` makes
 */
export function readJson(body: string, unreadable: () => Error): Json {
  if (body === '') return {}
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  } catch {}
  throw unreadable()
}

/** Returns the values of a metadata object as text, numbers included. */
export function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries((value ?? {}) as Json).map(([key, text]) => [key, String(text)]))
}

/** Protocol of one provider's API. */
export interface Speaking<A, B, R> {
  readonly account: A & { readonly world: World }
  readonly routes: readonly Route<Call<A, B>, R>[]
  /** Waits between receiving a request and executing it. */
  readonly wait: () => Promise<void>
  /** Lets reads lag behind changes. */
  readonly replica?: Pick<Replica, 'reading'>
  /** Returns true for a path of the API, as opposed to pages for people. */
  owns(path: string): boolean
  /** @throws ApiError for a wrong API key */
  admit(asked: Asked): void
  /** @throws ApiError for an unreadable body */
  read(asked: Asked): B
  /** Builds the answer of a result. */
  show(result: R, asked: Asked, query: URLSearchParams): Answered
  /** Builds the error of an unknown path. */
  unknown(asked: Asked): ApiError
  /** Builds the error of a refusal by the engine. */
  refused(refusal: Refusal): ApiError
  /** Builds the answer of an error. */
  failed(error: ApiError, requestId: string): Answer
  /** Returns true for a request that changes nothing, although it is no GET. */
  previews?(path: string): boolean
  keyOf?: ApiHandler['keyOf']
  /**
   * Executes a request once per idempotency key, if the provider accepts them.
   * @throws ApiError for an unusable key
   */
  once?(asked: Asked, run: () => Answer): Answered
}

/** Builds an API as most fake servers have it: an API key, routes, and errors in the provider's terms. */
export function createApi<A, B, R>(speaking: Speaking<A, B, R>): ApiHandler {
  const { account, routes, wait, replica, failed, once = (_asked, run) => run() } = speaking
  const execute = (asked: Asked): Answered => {
    if (asked.breaks) throw brokenDown(500)
    const { route, id } = findRoute(routes, asked, speaking.unknown)
    const query = new URLSearchParams(asked.query)
    const body = speaking.read(asked)
    const answer = () => {
      const result = route.run({ account, world: account.world, query, body, id })
      return { isList: isList(result), shown: copyOf(speaking.show(result, asked, query)) }
    }
    if (asked.method !== 'GET' || replica === undefined) return answer().shown
    return replica.reading(answer, (read) => read.isList).shown
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

function isList(result: unknown): boolean {
  return typeof result === 'object' && result !== null && Array.isArray((result as { list?: unknown }).list)
}

function brokenDown(status: number): ApiError {
  return new ApiError(status, 'Something went wrong')
}

function ownMistake(error: unknown): ApiError {
  return new ApiError(500, mistakeText(error))
}

/** Describes a bug of the fake server itself, which must be visible, and must not cause retries. */
export function mistakeText(error: unknown): string {
  return `The fake failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
}

// A stored or repeated answer must not change.
function copyOf(answered: Answered): Answered {
  return JSON.parse(JSON.stringify(answered)) as Answered
}

function findRoute<C, R>(
  routes: readonly Route<C, R>[],
  asked: Asked,
  unknown: (asked: Asked) => ApiError,
): { route: Route<C, R>; id: string } {
  for (const route of routes) {
    const found = route.method === asked.method ? route.path.exec(asked.path) : null
    if (found) return { route, id: decodeURIComponent(found[1] ?? '') }
  }
  throw unknown(asked)
}
