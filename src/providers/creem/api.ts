import type { Fetched, Ref } from '../contract.ts'
import { int, type Json, list, obj, str } from '../narrow.ts'
import { address, createRest, type RestRequest, unlessMissing } from '../rest.ts'
import { allPages } from '../walk-lists.ts'
import { answeredChanges, type CreemKind } from './changes.ts'
import { creemWords } from './words.ts'

export interface CreemApiOptions {
  readonly secret: string
  readonly base: string
  readonly now: () => Date
}

/** An object as Creem returns it. */
export interface CreemAnswer {
  readonly data: Json
  readonly at: string
}

/** One page of a list. */
export interface CreemPage {
  readonly items: readonly Json[]
  readonly at: string
  /** Number of the next page; null after the last. */
  readonly next: string | null
}

/** Creem's API. */
export interface CreemApi {
  /** @throws ERR_PROVIDER_ANSWER, ERR_PAYMENT_DECLINED */
  ask(what: string, request: RestRequest): Promise<CreemAnswer>
  page(what: string, path: string, number: string | null, query?: RestRequest['query']): Promise<CreemPage>
  /** Reads every object of a list. */
  all(what: string, path: string, query?: RestRequest['query']): Promise<{ all: readonly Json[]; at: string }>
  /** Reads changes from objects of one kind, as a webhook would report them. */
  told(kind: CreemKind, raws: readonly Json[], at: string): Fetched
  /** Reads one object by its id; null when Creem does not know it. */
  find(kind: Exclude<CreemKind, 'order'>, id: string): Promise<CreemAnswer | null>
  /** Returns the same as changes. */
  fetch(ref: Ref): Promise<Fetched | null>
}

const pageSize = 100

/** Uses our own client, because Creem's package hides the time of an answer and knows only its own
 *  statuses. https://docs.creem.io/api-reference/introduction */
export const createCreemApi = ({ secret, base, now }: CreemApiOptions): CreemApi => {
  const rest = createRest({
    base,
    words: creemWords,
    now,
    headers: () => ({ 'x-api-key': secret }),
    faultOf,
  })
  const ask: CreemApi['ask'] = async (what, request) => {
    const { raw, at } = await rest.ask(what, request)
    return { data: raw, at }
  }
  const page: CreemApi['page'] = async (what, path, number, query = {}) => {
    const place = { page_number: number ?? '1', page_size: pageSize }
    const { raw, at } = await rest.ask(what, { path, query: { ...query, ...place } })
    const next = int(obj(raw.pagination).next_page)
    return { items: list(raw.items), at, next: next === null ? null : String(next) }
  }
  const told: CreemApi['told'] = (kind, raws, at) => ({
    changes: raws.flatMap((raw) => answeredChanges(kind, raw, at)),
    at,
  })
  const find: CreemApi['find'] = (kind, id) =>
    unlessMissing(ask(`a ${kind}`, { path: `/v1/${kind}s`, query: { [`${kind}_id`]: id } }))
  const readObject = async (kind: Exclude<CreemKind, 'order'>, id: string): Promise<Fetched | null> => {
    const found = await find(kind, id)
    // For an unknown customer the answer is empty.
    return found === null || str(found.data.id) === null ? null : told(kind, [found.data], found.at)
  }
  /** Finds an order, which only its customer's list contains.
   *  https://docs.creem.io/api-reference/endpoint/list-customer-orders */
  const order = async (id: string, customer: string | undefined): Promise<Fetched | null> => {
    if (customer === undefined) return null
    const { all, at } = await api.all('orders', address`/v1/customers/${customer}/orders`)
    const found = all.find((raw) => raw.id === id)
    return found === undefined ? null : told('order', [found], at)
  }
  const api: CreemApi = {
    ask,
    page,
    all: (what, path, query) => allPages((number) => page(what, path, number, query)),
    told,
    find,
    fetch: async ({ kind, id, part, parent }) => {
      switch (kind) {
        case 'subscription':
        case 'customer':
        case 'checkout':
          return readObject(kind, id)
        case 'payment':
          return part === 'bill' ? order(id, parent) : readObject('transaction', id)
        case 'refund':
        case 'dispute':
        case 'link':
          return null
        default:
          throw new TypeError(`unhandled ${kind satisfies never}`)
      }
    },
  }
  return api
}

// https://docs.creem.io/api-reference/error-codes
const faultOf = (body: Json) => {
  const message = Array.isArray(body.message) ? body.message[0] : body.message
  // Creem calls an invalid key forbidden.
  return { code: body.status === 403 ? 'invalid_api_key' : (str(message) ?? body.error) }
}
