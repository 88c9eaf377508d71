import { type Answer, type ApiOptions, changesOfAll, createListApi, fetchBy, type ObjectApi } from '../api.ts'
import type { ApiWords } from '../api-errors.ts'
import type { Fetched } from '../contract.ts'
import { int, obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { answeredChanges } from './changes.ts'
import type { CreemObjects, ErrorAnswer, ListAnswer, Order } from './payload.ts'

/** Names of Creem's API in error messages. */
export const creemWords: ApiWords = {
  name: 'Creem',
  option: 'membership.providers.creem.secret',
  keys: 'the Creem dashboard (Developers, API keys)',
  requests: 'in Creem’s support, by its `trace_id`',
}

/** Creem's API. */
export interface CreemApi extends ObjectApi<CreemObjects> {
  /** Reads one object by its id; null when Creem does not know it. */
  read<K extends Addressed>(kind: K, id: string): Promise<Answer<CreemObjects[K]> | null>
}

// Orders are only in lists.
type Addressed = Exclude<keyof CreemObjects, 'order'>

const pageSize = 100

/**
 * Uses our own client, because Creem's package hides the time of an answer and knows only its own statuses.
 * https://docs.creem.io/api-reference/introduction
 */
export function createCreemApi({ secret, base, now }: ApiOptions): CreemApi {
  const api = createListApi({
    base,
    words: creemWords,
    now,
    headers: () => ({ 'x-api-key': secret }),
    faultOf,
    placeOf: (after) => ({ page_number: after ?? '1', page_size: pageSize }),
    nextOf: (raw) => int(obj((raw as ListAnswer).pagination).next_page)?.toString() ?? null,
  })
  const toFetched = changesOfAll<CreemObjects>(answeredChanges)
  const read: CreemApi['read'] = (kind, id) => api.find(`a ${kind}`, `/v1/${kind}s`, { [`${kind}_id`]: id })
  const readObject = (kind: Addressed) => async (id: string) => {
    const found = await read(kind, id)
    // For an unknown customer the answer is empty.
    return found === null || str(found.raw.id) === null ? null : toFetched(kind, [found.raw], found.at)
  }
  /**
   * Finds an order, which only its customer's list contains.
   * https://docs.creem.io/api-reference/endpoint/list-customer-orders
   */
  const order = async (id: string, customer: string | undefined): Promise<Fetched | null> => {
    if (customer === undefined) return null
    const { all, at } = await api.all<Order>('orders', address`/v1/customers/${customer}/orders`)
    const found = all.find((raw) => raw.id === id)
    return found === undefined ? null : toFetched('order', [found], at)
  }
  const transaction = readObject('transaction')
  return {
    ...api,
    toFetched,
    read,
    fetch: fetchBy({
      subscription: readObject('subscription'),
      customer: readObject('customer'),
      checkout: readObject('checkout'),
      payment: (id, { part, parent }) => (part === 'bill' ? order(id, parent) : transaction(id)),
      refund: null,
      dispute: null,
      link: null,
    }),
  }
}

// https://docs.creem.io/api-reference/error-codes
function faultOf(body: ErrorAnswer) {
  const message = Array.isArray(body.message) ? body.message[0] : body.message
  // Creem calls an invalid key forbidden.
  return { code: body.status === 403 ? 'invalid_api_key' : (str(message) ?? body.error) }
}
