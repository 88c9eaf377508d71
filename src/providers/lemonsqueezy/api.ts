import type { Fetched, Ref } from '../contract.ts'
import { type Json, list, obj } from '../narrow.ts'
import { address, createRest, type RestRequest, unlessMissing } from '../rest.ts'
import { allPages } from '../walk-lists.ts'
import { answeredChanges, type LemonSqueezySite } from './changes.ts'
import { lemonSqueezyWords } from './words.ts'

export interface LemonSqueezyApiOptions {
  readonly secret: string
  readonly base: string
  readonly now: () => Date
  readonly site: LemonSqueezySite
}

/** An object as the API shows it: type and id, with the rest below `attributes`. */
export interface LemonSqueezyAnswer {
  readonly data: Json
  readonly at: string
}

/** One page of a list. */
export interface LemonSqueezyPage {
  readonly items: readonly Json[]
  readonly at: string
  /** Number of the next page; null after the last. */
  readonly next: string | null
}

/** Lemon Squeezy's API. */
export interface LemonSqueezyApi {
  /** @throws ERR_PROVIDER_ANSWER */
  ask(what: string, request: RestRequest): Promise<LemonSqueezyAnswer>
  page(
    what: string,
    path: string,
    number: string | null,
    query?: RestRequest['query'],
  ): Promise<LemonSqueezyPage>
  /** Reads every object of a list. */
  all(what: string, path: string, query?: RestRequest['query']): Promise<{ all: readonly Json[]; at: string }>
  /** Reads changes from objects, as a webhook would report them. */
  told(raws: readonly Json[], at: string): Fetched
  /** Reads one object; null when Lemon Squeezy does not know it. */
  find(what: string, path: string): Promise<LemonSqueezyAnswer | null>
  /** Fetches the current state of one object as changes; null when Lemon Squeezy does not know it. */
  fetch(ref: Ref): Promise<Fetched | null>
}

/** Most objects per page: https://docs.lemonsqueezy.com/api/getting-started/requests */
const pageSize = 100

/** Uses our own client, because Lemon Squeezy's package has no timeout and only one address.
 *  https://docs.lemonsqueezy.com/api/getting-started/requests */
export const createLemonSqueezyApi = ({
  secret,
  base,
  now,
  site,
}: LemonSqueezyApiOptions): LemonSqueezyApi => {
  const type = 'application/vnd.api+json'
  const rest = createRest({
    base,
    words: lemonSqueezyWords,
    now,
    headers: () => ({ authorization: `Bearer ${secret}`, accept: type, 'content-type': type }),
    faultOf,
  })
  const ask: LemonSqueezyApi['ask'] = async (what, request) => {
    const { raw, at } = await rest.ask(what, request)
    return { data: obj(raw.data), at }
  }
  const page: LemonSqueezyApi['page'] = async (what, path, number, query = {}) => {
    const place = Number(number ?? 1)
    const { raw, at } = await rest.ask(what, {
      path,
      query: { 'page[size]': pageSize, 'page[number]': place, ...query },
    })
    const isLast = !(Number(obj(obj(raw.meta).page).lastPage) > place)
    return { items: list(raw.data), at, next: isLast ? null : String(place + 1) }
  }
  const told: LemonSqueezyApi['told'] = (raws, at) => ({
    changes: raws.flatMap((raw) => answeredChanges(site, { raw })),
    at,
  })
  const find: LemonSqueezyApi['find'] = (what, path) => unlessMissing(ask(what, { path }))
  const readObject = async (what: string, path: string): Promise<Fetched | null> => {
    const found = await find(what, path)
    return found && told([found.data], found.at)
  }
  return {
    ask,
    page,
    all: (what, path, query) => allPages((number) => page(what, path, number, query)),
    told,
    find,
    fetch: async ({ kind, id }) => {
      switch (kind) {
        case 'subscription':
          return readObject('a subscription', address`/v1/subscriptions/${id}`)
        case 'customer':
          return readObject('a customer', address`/v1/customers/${id}`)
        case 'payment':
        case 'refund':
        case 'checkout':
          return readObject('a payment', pathOfPayment(id))
        // The API reports no chargebacks, and a link adds nothing to its subscription.
        case 'dispute':
        case 'link':
          return null
        default:
          throw new TypeError(`unhandled ${kind satisfies never}`)
      }
    },
  }
}

/** Returns the API path of a payment: an order, or a subscription invoice. */
export const pathOfPayment = (id: string): string =>
  id.startsWith('inv_') ? address`/v1/subscription-invoices/${id.slice(4)}` : address`/v1/orders/${id}`

// https://docs.lemonsqueezy.com/api/getting-started/requests: a list of JSON:API errors
const faultOf = (body: Json) => {
  const [error = {}] = list(body.errors)
  return { code: error.code ?? error.title, field: obj(error.source).pointer }
}
