import { declined, failureOf } from '../api-errors.ts'
import type { Fetched, Ref } from '../contract.ts'
import { type Json, list, obj, str } from '../narrow.ts'
import { address, createRest, type RestRequest, unlessMissing } from '../rest.ts'
import { allPages } from '../walk-lists.ts'
import { paddleChanges } from './changes.ts'
import { paddleWords } from './words.ts'

export interface PaddleApiOptions {
  readonly secret: string
  readonly base: string
  readonly now: () => Date
}

/** Objects of Paddle that concern purchases. */
export type PaddleKind = 'customer' | 'subscription' | 'transaction' | 'adjustment'

/** Content of an answer. */
export interface PaddleAnswer {
  readonly data: Json
  readonly at: string
}

/** One page of a list. */
export interface PaddlePage {
  readonly items: readonly Json[]
  readonly at: string
  /** Id after which the next page begins; null after the last. */
  readonly next: string | null
}

/** Paddle's API. */
export interface PaddleApi {
  /** @throws ERR_PROVIDER_ANSWER, ERR_PAYMENT_DECLINED */
  ask(what: string, request: RestRequest): Promise<PaddleAnswer>
  page(what: string, path: string, query: RestRequest['query']): Promise<PaddlePage>
  /** Reads every object of a list. */
  all(what: string, path: string, query?: RestRequest['query']): Promise<{ all: readonly Json[]; at: string }>
  /** Reads changes from objects, as a notification would report them. */
  told(kind: PaddleKind, raws: readonly Json[], at: string): Fetched
  /** Fetches the current state of one object; null when Paddle does not know it. */
  fetch(ref: Ref): Promise<Fetched | null>
}

/** Paddle's lists show up to 200 objects a page:
 *  https://developer.paddle.com/api-reference/about/pagination */
export const pageSize = 200

/** Uses our own client. Paddle's package has no timeout, replaces the JSON of notifications with its own
 *  objects, and throws on anything but JSON. https://developer.paddle.com/api-reference/overview */
export const createPaddleApi = ({ secret, base, now }: PaddleApiOptions): PaddleApi => {
  const rest = createRest({
    base,
    words: paddleWords,
    now,
    headers: () => ({ authorization: `Bearer ${secret}`, 'paddle-version': '1' }),
    faultOf,
  })
  const ask: PaddleApi['ask'] = async (what, request) => {
    const { raw, at } = await rest.ask(what, request).catch(inOurWords)
    return { data: obj(raw.data), at }
  }
  const page: PaddleApi['page'] = async (what, path, query) => {
    const { raw, at } = await rest.ask(what, { path, query: { per_page: pageSize, ...query } })
    const items = list(raw.data)
    const hasMore = obj(obj(raw.meta).pagination).has_more === true
    return { items, at, next: hasMore ? (str(items.at(-1)?.id) ?? str(items.at(-1)?.event_id)) : null }
  }
  const all: PaddleApi['all'] = (what, path, query = {}) =>
    allPages((after) => page(what, path, after === null ? query : { ...query, after }))
  const told: PaddleApi['told'] = (kind, raws, at) => ({
    changes: raws.flatMap((object) => paddleChanges({ type: `${kind}.updated`, object })),
    at,
  })
  const readObject = async (kind: PaddleKind, path: string): Promise<Fetched | null> => {
    const found = await unlessUnknown(ask(`${kind} ${path.split('/').at(-1)}`, { path }))
    return found && told(kind, [found.data], found.at)
  }
  const adjustments = async (
    query: Readonly<Record<string, string>>,
    isWanted: (raw: Json) => boolean,
  ): Promise<Fetched | null> => {
    const { all: found, at } = await all('adjustments', '/adjustments', query)
    const wanted = found.filter(isWanted)
    return wanted.length === 0 ? null : told('adjustment', wanted, at)
  }
  // Only the customer object identifies the buyer, and the confirmation page cannot wait for its event.
  const fetchTransaction = async (id: string): Promise<Fetched | null> => {
    const path = address`/transactions/${id}`
    const query = { include: 'customer,adjustment' }
    const found = await unlessUnknown(ask(`transaction ${id}`, { path, query }))
    if (found === null) return null
    const { data, at } = found
    const changes = [
      ...told('customer', [obj(data.customer)], at).changes,
      ...told('transaction', [data], at).changes,
      ...told('adjustment', list(data.adjustments), at).changes,
    ]
    return { changes, at }
  }
  return {
    ask,
    page,
    all,
    told,
    fetch: async ({ kind, id }) => {
      switch (kind) {
        case 'subscription':
          return readObject('subscription', address`/subscriptions/${id}`)
        case 'customer':
          return readObject('customer', address`/customers/${id}`)
        case 'payment':
        case 'checkout':
          return fetchTransaction(id)
        case 'refund':
          return adjustments({ id }, () => true)
        // A dispute is identified by its transaction.
        case 'dispute':
          return adjustments({ transaction_id: id }, ({ action }) => String(action).startsWith('chargeback'))
        case 'link':
          return null
        default:
          throw new TypeError(`unhandled ${kind satisfies never}`)
      }
    },
  }
}

// The id was the only input, so a refusal means that it is not an id of Paddle's.
const unlessUnknown = async <T>(asked: Promise<T>): Promise<T | null> => {
  try {
    return await unlessMissing(asked)
  } catch (error) {
    if (error instanceof Error && failureOf(error.cause).status === 400) return null
    throw error
  }
}

// https://developer.paddle.com/api-reference/about/errors
const faultOf = (body: Json) => {
  const error = obj(body.error)
  return { code: error.code, field: list(error.errors)[0]?.field }
}

// A declined card gets status 400 like other mistakes, but has its own code.
// https://developer.paddle.com/errors/subscriptions/subscription_payment_declined
const inOurWords = (error: unknown): never => {
  const cause = error instanceof Error ? error.cause : null
  if (failureOf(cause).code === 'subscription_payment_declined') throw declined(cause)
  throw error
}
