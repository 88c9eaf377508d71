import { createHash } from 'node:crypto'
import { declined, failureOf } from '../api-errors.ts'
import type { Change, Fetched, Ref } from '../contract.ts'
import { type Json, list, obj, str } from '../narrow.ts'
import { address, createRest, type RestRequest, unlessMissing } from '../rest.ts'
import { allPages } from '../walk-lists.ts'
import { objectChanges } from './changes.ts'
import { toForm } from './form.ts'
import { readPage } from './pages.ts'
import { chargebeeWords } from './words.ts'

/** Options of the client of one Chargebee site. */
export interface ChargebeeApiOptions {
  readonly secret: string
  /** Address of the site, without a final slash. */
  readonly base: string
  readonly now: () => Date
}

/** Content of an answer: several objects side by side, each under its kind. */
export interface ChargebeeAnswer {
  readonly raw: Json
  readonly at: string
}

/** One page of a list. */
export interface ChargebeePage {
  readonly items: readonly Json[]
  readonly at: string
  /** Cursor of the next page; null after the last. */
  readonly next: string | null
}

type Query = RestRequest['query']

/** Chargebee's API. */
export interface ChargebeeApi {
  /** @throws ERR_PROVIDER_ANSWER */
  read(what: string, path: string, query?: Query): Promise<ChargebeeAnswer>
  /** Changes something. Within half an hour, the same key is the same request and gets the same answer.
   *  @throws ERR_PROVIDER_ANSWER, ERR_PAYMENT_DECLINED */
  write(what: string, request: { path: string; body?: Json; key: string }): Promise<ChargebeeAnswer>
  /** Asks for an estimate of the cost. */
  estimate(what: string, path: string, body: Json): Promise<ChargebeeAnswer>
  page(what: string, path: string, query: Query): Promise<ChargebeePage>
  /** Reads every object of a list. */
  all(what: string, path: string, query?: Query): Promise<{ all: readonly Json[]; at: string }>
  /** Reads changes from an answer, after fetching the parts of a subscription that it leaves out. */
  told(answer: ChargebeeAnswer): Promise<Fetched>
  /** Fetches the current state of one object; null when Chargebee does not know it. */
  fetch(ref: Ref): Promise<Fetched | null>
}

/** Lists show up to 100 objects a page: https://apidocs.chargebee.com/docs/api, "Pagination" */
export const pageSize = 100

/** Uses our own client, because Chargebee's package hides the `Date` of an answer, which decides when it
 *  counts. https://apidocs.chargebee.com/docs/api */
export const createChargebeeApi = ({ secret, base, now }: ChargebeeApiOptions): ChargebeeApi => {
  const rest = createRest({
    base: `${base}/api/v2`,
    words: chargebeeWords,
    now,
    headers: () => ({ authorization: `Basic ${Buffer.from(`${secret}:`).toString('base64')}` }),
    faultOf: ({ api_error_code, param }) => ({ code: api_error_code, field: param }),
  })
  const ask = async (what: string, request: RestRequest): Promise<ChargebeeAnswer> => {
    const { raw, at } = await rest.ask(what, request).catch(inOurWords)
    return { raw, at }
  }
  const read: ChargebeeApi['read'] = (what, path, query) => ask(what, { path, query })
  const page: ChargebeeApi['page'] = async (what, path, query) => {
    const { raw, at } = await read(what, path, { limit: pageSize, ...query })
    return { items: list(raw.list), at, next: str(raw.next_offset) }
  }
  const told: ChargebeeApi['told'] = async ({ raw, at }) => {
    const id = str(obj(raw.subscription).id)
    const planned = await plannedFor(read, obj(raw.subscription))
    const changes: Change[] = objectChanges(raw, id === null ? {} : { [id]: planned })
    return { changes, at }
  }
  const readObject = async (what: string, path: string): Promise<Fetched | null> => {
    const answer = await unlessMissing(read(what, path))
    return answer && told(answer)
  }
  const fetchSubscription = (id: string) => readObject(`subscription ${id}`, address`/subscriptions/${id}`)
  return {
    read,
    write: (what, { path, body = {}, key }) =>
      ask(what, {
        method: 'POST',
        path,
        body: toForm(body),
        headers: { 'chargebee-idempotency-key': shortKey(key) },
        isRepeatable: true,
      }),
    estimate: (what, path, body) => ask(what, { method: 'POST', path, body: toForm(body), reads: true }),
    page,
    all: (what, path, query = {}) =>
      allPages((offset) => page(what, path, offset === null ? query : { ...query, offset })),
    told,
    fetch: async ({ kind, id }) => {
      switch (kind) {
        case 'subscription':
          return fetchSubscription(id)
        case 'customer':
          return readObject(`customer ${id}`, address`/customers/${id}`)
        case 'payment':
          return readObject(`invoice ${id}`, address`/invoices/${id}`)
        // A hosted page, or the subscription that carries our note.
        case 'checkout':
          return (await readPage({ read }, id)) ?? fetchSubscription(id)
        // One transaction may refund several invoices.
        case 'refund':
          return readObject(`refund ${id}`, address`/transactions/${id.split('.')[0]!}`)
        // Disputes are reported as refunds.
        case 'dispute':
        case 'link':
          return null
        default:
          throw new TypeError(`unhandled ${kind satisfies never}`)
      }
    },
  }
}

/** Reads a subscription as it will be after its scheduled change, because the subscription itself names no
 *  future price. https://apidocs.chargebee.com/docs/api/subscriptions/retrieve-with-scheduled-changes */
export const plannedFor = async (read: ChargebeeApi['read'], raw: Json): Promise<Json | null> => {
  const id = str(raw.id)
  if (id === null || raw.has_scheduled_changes !== true) return null
  const path = address`/subscriptions/${id}/retrieve_with_scheduled_changes`
  // The change was undone or took effect just now.
  const answer = await read(`what is planned for ${id}`, path).catch((error: unknown) => {
    if (error instanceof Error && failureOf(error.cause).status === 400) return null
    throw error
  })
  return answer && obj(answer.raw.subscription)
}

// https://apidocs.chargebee.com/docs/api/idempotency: up to 100 characters
const shortKey = (key: string): string =>
  key.length <= 100 && /^[\x21-\x7e]+$/.test(key) ? key : createHash('sha256').update(key).digest('hex')

// A declined card gets status 400 like other mistakes, but has its own code.
// https://apidocs.chargebee.com/docs/api/error-handling
const inOurWords = (error: unknown): never => {
  const cause = error instanceof Error ? error.cause : null
  if (declines.has(failureOf(cause).code)) throw declined(cause)
  throw error
}

const declines: ReadonlySet<unknown> = new Set([
  'payment_processing_failed',
  'payment_method_verification_failed',
  'payment_method_not_present',
])
