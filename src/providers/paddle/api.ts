import { type ApiOptions, changesOfAll, createListApi, fetchBy, type ObjectApi, type Query } from '../api.ts'
import type { ApiWords } from '../api-errors.ts'
import type { Fetched } from '../contract.ts'
import { list, obj, str } from '../narrow.ts'
import { address, unlessMissing, unlessStatus } from '../rest.ts'
import { answeredChanges } from './changes.ts'
import type { Adjustment, ErrorAnswer, ListAnswer, PaddleObjects, Transaction } from './payload.ts'

/** Names of Paddle's API in error messages. */
export const paddleWords: ApiWords = {
  name: 'Paddle',
  option: 'membership.providers.paddle.secret',
  keys: 'the Paddle dashboard (Developer tools, Authentication)',
  requests: 'in Paddle’s documentation of errors, by its code',
}

/** Paddle's API. */
export type PaddleApi = ObjectApi<PaddleObjects>

/**
 * Paddle's lists show up to 200 objects a page: https://developer.paddle.com/api-reference/about/pagination
 */
const pageSize = 200

/**
 * Uses our own client. Paddle's package has no timeout, replaces the JSON of notifications with its own
 * objects, and throws on anything but JSON. https://developer.paddle.com/api-reference/overview
 */
export function createPaddleApi({ secret, base, now }: ApiOptions): PaddleApi {
  const api = createListApi({
    base,
    words: paddleWords,
    now,
    headers: () => ({ authorization: `Bearer ${secret}`, 'paddle-version': '1' }),
    faultOf,
    // A declined card gets status 400 like other mistakes, but has its own code.
    // https://developer.paddle.com/errors/subscriptions/subscription_payment_declined
    isDeclined: ({ code }) => code === 'subscription_payment_declined',
    content: (raw) => obj(raw.data),
    itemsOf: (raw) => list(raw.data),
    placeOf: (after) => ({ per_page: pageSize, ...(after === null ? {} : { after }) }),
    nextOf: (raw, { items }) => {
      const hasMore = obj(obj((raw as ListAnswer).meta).pagination).has_more === true
      return hasMore ? (str(items.at(-1)?.id) ?? str(items.at(-1)?.event_id)) : null
    },
  })
  const toFetched = changesOfAll<PaddleObjects>(answeredChanges)
  const readObject = (kind: keyof PaddleObjects) => async (id: string) => {
    const found = await unlessUnknown(
      api.ask<PaddleObjects[typeof kind]>(`${kind} ${id}`, { path: `/${kind}s${address`/${id}`}` }),
    )
    return found && toFetched(kind, [found.raw], found.at)
  }
  const adjustments = async (
    query: Query,
    isWanted: (raw: Adjustment) => boolean,
  ): Promise<Fetched | null> => {
    const { all: found, at } = await api.all<Adjustment>('adjustments', '/adjustments', query)
    const wanted = found.filter(isWanted)
    return wanted.length === 0 ? null : toFetched('adjustment', wanted, at)
  }
  // Only the customer object identifies the buyer, and the confirmation page cannot wait for its event.
  const fetchTransaction = async (id: string): Promise<Fetched | null> => {
    const path = address`/transactions/${id}`
    const query = { include: 'customer,adjustment' }
    const found = await unlessUnknown(api.ask<Transaction>(`transaction ${id}`, { path, query }))
    if (found === null) return null
    const { raw, at } = found
    const changes = [
      ...toFetched('customer', [obj(raw.customer)], at).changes,
      ...toFetched('transaction', [raw], at).changes,
      ...toFetched('adjustment', list(raw.adjustments), at).changes,
    ]
    return { changes, at }
  }
  return {
    ...api,
    toFetched,
    fetch: fetchBy({
      subscription: readObject('subscription'),
      customer: readObject('customer'),
      payment: fetchTransaction,
      checkout: fetchTransaction,
      refund: (id) => adjustments({ id }, () => true),
      // A dispute is identified by its transaction.
      dispute: (id) =>
        adjustments({ transaction_id: id }, ({ action }) => String(action).startsWith('chargeback')),
      link: null,
    }),
  }
}

// The id was the only input, so a refusal means that it is not an id of Paddle's.
function unlessUnknown<T>(asked: Promise<T>): Promise<T | null> {
  return unlessStatus(400, unlessMissing(asked))
}

// https://developer.paddle.com/api-reference/about/errors
function faultOf(body: ErrorAnswer) {
  const error = obj(body.error)
  return { code: error.code, field: list(error.errors)[0]?.field }
}
