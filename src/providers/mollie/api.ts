import { allPages, type Page, type Query, type WholeList } from '../api.ts'
import { type ApiWords, failureOf } from '../api-errors.ts'
import { type Json, str } from '../narrow.ts'
import { createRest, type RestAnswer } from '../rest.ts'
import { embedded } from './money.ts'

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
  read(what: string, path: string, query?: Query): Promise<RestAnswer | null>
  /** Creates or changes something, once per key; Mollie keeps keys for an hour.
   *  @throws ERR_PROVIDER_ANSWER */
  write(what: string, write: Write): Promise<RestAnswer>
  /** Reads one page of a list, starting with the object of that id. @throws as `read` */
  page(what: string, list: List, from?: string | null, limit?: number): Promise<Page>
  /** Reads every page of a list. @throws as `read` */
  all(what: string, list: List): Promise<WholeList>
}

interface Write {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly key: string
  readonly body?: Json
}

/** A list, and the name of its objects in the answer. */
export interface List {
  readonly path: string
  readonly name:
    | 'payments'
    | 'subscriptions'
    | 'customers'
    | 'refunds'
    | 'chargebacks'
    | 'mandates'
    | 'webhooks'
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
    faultOf: ({ title, field }) => ({ code: title, field }),
  })
  const page: MollieApi['page'] = async (what, { path, name, query }, from = null, limit = 250) => {
    const { raw, at } = await rest.ask(what, { path, query: { ...query, from: from ?? undefined, limit } })
    const next = str(nextOf(raw))
    return { items: embedded(raw, name), at, next }
  }
  return {
    read: async (what, path, query) => {
      try {
        return await rest.ask(what, query === undefined ? { path } : { path, query })
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    write: (what, { key, ...request }) =>
      rest.ask(what, { ...request, isRepeatable: true, headers: { 'idempotency-key': key } }),
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
const nextOf = (raw: Json): string | null => {
  const { next } = (raw._links ?? {}) as { next?: { href?: unknown } | null }
  const href = str(next?.href)
  return href === null ? null : new URL(href, mollieBase).searchParams.get('from')
}
