import { type Answer, allPages, type Page, type Query, type WholeList } from '../api.ts'
import { type ApiWords, failureOf } from '../api-errors.ts'
import { type Json, obj, str } from '../narrow.ts'
import { createRest, type RestRequest } from '../rest.ts'
import { embedded } from './money.ts'
import type { ErrorAnswer, ListAnswer, Lists } from './payload.ts'

/** Names of Mollie's API in error messages. */
export const mollieWords: ApiWords = {
  name: 'Mollie',
  option: 'membership.providers.mollie.secret',
  keys: 'the Mollie dashboard (Developers, API keys)',
  requests: 'in the Mollie dashboard under Developers, Logs',
}

export interface MollieApiOptions {
  readonly secret: string
  readonly apiBase: string | undefined
  readonly now: () => Date
}

/** Mollie's API. Its own package has no timeout and hides the headers, of which `Date` tells the moment of
 *  an answer. */
export interface MollieApi {
  /** Reads one object; null when Mollie does not know it or deleted it. @throws ERR_PROVIDER_ANSWER */
  read<T = unknown>(what: string, path: string, query?: Query): Promise<Answer<T> | null>
  /** Creates or changes something, once per key; Mollie keeps keys for an hour.
   *  @throws ERR_PROVIDER_ANSWER */
  write<T = unknown>(what: string, write: Write): Promise<Answer<T>>
  /** Reads one page of a list, starting with the object of that id. @throws as `read` */
  page<N extends keyof Lists>(
    what: string,
    list: List<N>,
    from?: string | null,
    limit?: number,
  ): Promise<Page<Lists[N]>>
  /** Reads every page of a list. @throws as `read` */
  all<N extends keyof Lists>(what: string, list: List<N>): Promise<WholeList<Lists[N]>>
}

interface Write {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly key: string
  readonly body?: Json
}

/** A list, and the name of its objects in the answer. */
export interface List<N extends keyof Lists> {
  readonly path: string
  readonly name: N
  readonly query?: Query
}

/** Address of Mollie's API. */
export const mollieBase = 'https://api.mollie.com/v2'

/** Creates the client; it makes no request before the first call. */
export const createMollieApi = ({ secret, apiBase, now }: MollieApiOptions): MollieApi => {
  const rest = createRest({
    base: apiBase ?? mollieBase,
    words: mollieWords,
    now,
    headers: () => ({ authorization: `Bearer ${secret}` }),
    faultOf: ({ title, field }: ErrorAnswer) => ({ code: title, field }),
  })
  const ask = async <T>(what: string, request: RestRequest): Promise<Answer<T>> => {
    const { raw, at } = await rest.ask(what, request)
    return { raw: raw as T, at }
  }
  const page = async <N extends keyof Lists>(
    what: string,
    { path, name, query }: List<N>,
    from: string | null = null,
    limit = 250,
  ): Promise<Page<Lists[N]>> => {
    const { raw, at } = await rest.ask<ListAnswer>(what, {
      path,
      query: { ...query, from: from ?? undefined, limit },
    })
    const next = str(nextOf(raw))
    return { items: embedded(raw, name), at, next }
  }
  return {
    read: async <T>(what: string, path: string, query?: Query) => {
      try {
        return await ask<T>(what, query === undefined ? { path } : { path, query })
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    write: (what, { key, ...request }) =>
      ask(what, { ...request, isRepeatable: true, headers: { 'idempotency-key': key } }),
    page,
    all: (what, list) => allPages((from) => page(what, list, from)),
  }
}

/** Returns true if Mollie reports a missing object: 404, or 410 for a deleted one. */
export const isMissing = (error: unknown): boolean => {
  const { status } = failureOf(error instanceof Error ? error.cause : undefined)
  return status === 404 || status === 410
}

// Source: https://docs.mollie.com/reference/pagination
const nextOf = (raw: ListAnswer): string | null => {
  const href = str(obj(obj(raw._links).next).href)
  return href === null ? null : new URL(href, mollieBase).searchParams.get('from')
}
