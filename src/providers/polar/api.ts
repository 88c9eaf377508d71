import type { Change, Fetched, Ref } from '../contract.ts'
import { int, type Json, list, obj, str } from '../narrow.ts'
import { address, createRest, type RestRequest, unlessMissing } from '../rest.ts'
import { allPages } from '../walk-lists.ts'
import { polarChanges } from './changes.ts'
import { polarWords } from './words.ts'

export interface PolarApiOptions {
  readonly secret: string
  readonly base: string
  readonly now: () => Date
}

/** Objects of Polar that concern purchases. */
export type PolarKind = 'customer' | 'subscription' | 'order' | 'checkout' | 'refund'

/** One object, with the moment of the answer. */
export interface PolarAnswer {
  readonly raw: Json
  readonly at: string
}

/** One page of a list. */
export interface PolarPage {
  readonly items: readonly Json[]
  readonly at: string
  /** Number of the next page; null after the last. */
  readonly next: string | null
}

/** Polar's API. */
export interface PolarApi {
  /** @throws ERR_PROVIDER_ANSWER, ERR_PAYMENT_DECLINED */
  ask(what: string, request: RestRequest): Promise<PolarAnswer>
  page(what: string, path: string, query: RestRequest['query']): Promise<PolarPage>
  /** Reads every object of a list. */
  all(what: string, path: string, query?: RestRequest['query']): Promise<{ all: readonly Json[]; at: string }>
  /** Reads changes from objects, as a webhook would report them. */
  told(kind: PolarKind, raws: readonly Json[], at: string): Fetched
  /** Fetches the current state of one object; null when Polar does not know it. */
  fetch(ref: Ref): Promise<Fetched | null>
}

/** Polar's lists show up to 100 objects a page:
 *  https://polar.sh/docs/api-reference/introduction#pagination */
export const pageSize = 100

/** Uses our own client. Polar's current package needs a newer Node than our minimum, and its previous one
 *  throws on unknown values. https://polar.sh/docs/api-reference/introduction */
export const createPolarApi = ({ secret, base, now }: PolarApiOptions): PolarApi => {
  const rest = createRest({
    base: `${base}/v1`,
    words: polarWords,
    now,
    headers: () => ({ authorization: `Bearer ${secret}`, 'polar-version': '2026-04' }),
    faultOf,
  })
  const page: PolarApi['page'] = async (what, path, query) => {
    const { raw, at } = await rest.ask(what, { path, query: { limit: pageSize, ...query } })
    const number = Number(query?.page ?? 1)
    const last = int(obj(raw.pagination).max_page) ?? 1
    return { items: list(raw.items), at, next: number < last ? `${number + 1}` : null }
  }
  const all: PolarApi['all'] = (what, path, query = {}) =>
    allPages((after) => page(what, path, after === null ? query : { ...query, page: after }))
  const told: PolarApi['told'] = (kind, raws, at) => ({
    changes: eachOnce(raws.flatMap((object) => polarChanges({ type: `${kind}.updated`, object }))),
    at,
  })
  const readObject = async (kind: PolarKind, path: string): Promise<PolarAnswer | null> =>
    unlessMissing(rest.ask(`${kind} ${path.split('/').at(-1)}`, { path }))
  const alone = async (kind: PolarKind, path: string): Promise<Fetched | null> => {
    const found = await readObject(kind, path)
    return found && told(kind, [found.raw], found.at)
  }
  /** Fetches the result of a checkout. It names neither order nor subscription, and the confirmation page
   *  cannot wait for the events. */
  const fetchCheckout = async (id: string): Promise<Fetched | null> => {
    const found = await readObject('checkout', address`/checkouts/${id}`)
    if (found === null) return null
    const page = told('checkout', [found.raw], found.at)
    const customer = str(found.raw.customer_id)
    if (found.raw.status !== 'succeeded' || customer === null) return page
    const isOf = (raw: Json) => raw.checkout_id === id
    const orders = await all(`orders of ${id}`, '/orders/', { checkout_id: id })
    const subscriptions = await all(`subscriptions of ${id}`, '/subscriptions/', { customer_id: customer })
    const led = [
      ...told('order', orders.all.filter(isOf), orders.at).changes,
      ...told('subscription', subscriptions.all.filter(isOf), subscriptions.at).changes,
    ]
    return { changes: eachOnce([...page.changes, ...led]), at: page.at }
  }
  return {
    ask: (what, request) => rest.ask(what, request),
    page,
    all,
    told,
    fetch: async ({ kind, id }) => {
      switch (kind) {
        case 'subscription':
          return alone('subscription', address`/subscriptions/${id}`)
        case 'customer':
          return alone('customer', address`/customers/${id}`)
        case 'payment':
          return alone('order', address`/orders/${id}`)
        case 'checkout':
          return fetchCheckout(id)
        case 'refund': {
          const { items, at } = await page(`refund ${id}`, '/refunds/', { id })
          return items.length === 0 ? null : told('refund', items, at)
        }
        // Polar has no events for either.
        case 'dispute':
        case 'link':
          return null
        default:
          throw new TypeError(`unhandled ${kind satisfies never}`)
      }
    },
  }
}

/** Removes duplicates: orders and subscriptions contain their customer, and one copy per answer is enough. */
const eachOnce = (changes: readonly Change[]): Change[] => [
  ...new Map(changes.map((change) => [nameOf(change), change])).values(),
]

const nameOf = (change: Change): string =>
  change.type === 'touch'
    ? `touch ${change.ref.kind} ${change.ref.id}`
    : `${change.type === 'money' ? change.kind : change.type} ${change.id}`

// An error has a name; a validation error names the field: https://polar.sh/docs/api-reference/introduction
const faultOf = (body: Json) => {
  const [wrong] = list(body.detail)
  const place = Array.isArray(wrong?.loc) ? wrong.loc.at(-1) : undefined
  return { code: body.error ?? wrong?.type, field: place }
}
