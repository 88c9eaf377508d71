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

/** Client of one Chargebee site. */
export interface ChargebeeApiOptions {
  readonly secret: string
  /** The address of the site, without a slash at its end. */
  readonly base: string
  readonly now: () => Date
}

/** Content of an answer: several objects beside each other, each below its kind. */
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
  /** Changes something. Within half an hour the same key is the same request, and is answered as before.
   *  @throws ERR_PROVIDER_ANSWER, ERR_PAYMENT_DECLINED */
  write(what: string, request: { path: string; body?: Json; key: string }): Promise<ChargebeeAnswer>
  /** Asks what something would come to. */
  estimate(what: string, path: string, body: Json): Promise<ChargebeeAnswer>
  page(what: string, path: string, query: Query): Promise<ChargebeePage>
  /** Every object of a list. */
  all(what: string, path: string, query?: Query): Promise<{ all: readonly Json[]; at: string }>
  /** Changes from an answer, after reading what it leaves out of a subscription. */
  told(answer: ChargebeeAnswer): Promise<Fetched>
  /** Reads one object as it is now; null when Chargebee does not know it. */
  fetch(ref: Ref): Promise<Fetched | null>
}

/** Lists show up to 100 objects a page: https://apidocs.chargebee.com/docs/api, "Pagination" */
export const pageSize = 100

/** Our own client: Chargebee's package keeps the `Date` of an answer to itself, and with it when what it says counts.
 *  https://apidocs.chargebee.com/docs/api */
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
        // A page, or the subscription that carries what we noted.
        case 'checkout':
          return (await readPage({ read }, id)) ?? fetchSubscription(id)
        // One transaction may be the refund of several invoices.
        case 'refund':
          return readObject(`refund ${id}`, address`/transactions/${id.split('.')[0]!}`)
        // It is told as a refund.
        case 'dispute':
        case 'link':
          return null
        default:
          throw new TypeError(`unhandled ${kind satisfies never}`)
      }
    },
  }
}

/** Subscription as it will be after its scheduled change: the subscription itself names no price of it.
 *  https://apidocs.chargebee.com/docs/api/subscriptions/retrieve-with-scheduled-changes */
export const plannedFor = async (read: ChargebeeApi['read'], raw: Json): Promise<Json | null> => {
  const id = str(raw.id)
  if (id === null || raw.has_scheduled_changes !== true) return null
  const path = address`/subscriptions/${id}/retrieve_with_scheduled_changes`
  // Taken back, or come into effect, just now.
  const answer = await read(`what is planned for ${id}`, path).catch((error: unknown) => {
    if (error instanceof Error && failureOf(error.cause).status === 400) return null
    throw error
  })
  return answer && obj(answer.raw.subscription)
}

// https://apidocs.chargebee.com/docs/api/idempotency: up to 100 characters
const shortKey = (key: string): string =>
  key.length <= 100 && /^[\x21-\x7e]+$/.test(key) ? key : createHash('sha256').update(key).digest('hex')

// A card that was refused is 400 like any other mistake, and told by its code.
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
