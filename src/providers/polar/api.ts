import { type ApiOptions, changesOfAll, createListApi, fetchBy, type ObjectApi } from '../api.ts'
import type { ApiWords } from '../api-errors.ts'
import type { Change, Fetched } from '../contract.ts'
import { int, list, obj, str } from '../narrow.ts'
import { address, unlessStatus } from '../rest.ts'
import { answeredChanges } from './changes.ts'
import type {
  CheckoutPage,
  ErrorAnswer,
  ListAnswer,
  Order,
  PolarObjects,
  Refund,
  Subscription,
} from './payload.ts'

/** Names of Polar's API in error messages. */
export const polarWords: ApiWords = {
  name: 'Polar',
  option: 'membership.providers.polar.secret',
  keys: 'the Polar dashboard (organization Settings, General, Developers)',
  requests: 'in Polar’s API reference, by its error',
}

/** Polar's API. */
export type PolarApi = ObjectApi<PolarObjects>

/**
 * Polar's lists show up to 100 objects a page: https://polar.sh/docs/api-reference/introduction#pagination
 */
const pageSize = 100

/**
 * Uses our own client. Polar's current package needs a newer Node than our minimum, and its previous one
 * throws on unknown values. https://polar.sh/docs/api-reference/introduction
 */
export function createPolarApi({ secret, base, now }: ApiOptions): PolarApi {
  const api = createListApi({
    base: `${base}/v1`,
    words: polarWords,
    now,
    headers: () => ({ authorization: `Bearer ${secret}`, 'polar-version': '2026-04' }),
    faultOf,
    placeOf: (after) => ({ limit: pageSize, ...(after === null ? {} : { page: after }) }),
    nextOf: (raw, { after }) => {
      const [number, last] = [Number(after ?? 1), int(obj((raw as ListAnswer).pagination).max_page) ?? 1]
      return number < last ? `${number + 1}` : null
    },
  })
  const toChanges = changesOfAll<PolarObjects>(answeredChanges)
  const toFetched: PolarApi['toFetched'] = (kind, raws, at) => ({
    changes: eachOnce(toChanges(kind, raws, at).changes),
    at,
  })
  const readObject = (kind: keyof PolarObjects) => async (id: string) => {
    const path = `/${kind}s${address`/${id}`}`
    const found = await unlessNoId(api.find<PolarObjects[typeof kind]>(`${kind} ${id}`, path))
    return found && toFetched(kind, [found.raw], found.at)
  }
  /**
   * Fetches the result of a checkout. It names neither order nor subscription, and the confirmation page
   * cannot wait for the events.
   */
  const fetchCheckout = async (id: string): Promise<Fetched | null> => {
    const found = await unlessNoId(api.find<CheckoutPage>(`checkout ${id}`, address`/checkouts/${id}`))
    if (found === null) return null
    const page = toFetched('checkout', [found.raw], found.at)
    const customer = str(found.raw.customer_id)
    if (found.raw.status !== 'succeeded' || customer === null) return page
    const isOf = (raw: Order | Subscription) => raw.checkout_id === id
    const orders = await api.all<Order>(`orders of ${id}`, '/orders/', { checkout_id: id })
    const subscriptions = await api.all<Subscription>(`subscriptions of ${id}`, '/subscriptions/', {
      customer_id: customer,
    })
    const led = [
      ...toFetched('order', orders.all.filter(isOf), orders.at).changes,
      ...toFetched('subscription', subscriptions.all.filter(isOf), subscriptions.at).changes,
    ]
    return { changes: eachOnce([...page.changes, ...led]), at: page.at }
  }
  return {
    ...api,
    toFetched,
    fetch: fetchBy({
      subscription: readObject('subscription'),
      customer: readObject('customer'),
      payment: readObject('order'),
      checkout: fetchCheckout,
      refund: async (id) => {
        const page = await unlessNoId(api.page<Refund>(`refund ${id}`, '/refunds/', { id }))
        return page === null || page.items.length === 0 ? null : toFetched('refund', page.items, page.at)
      },
      // Polar has no events for either.
      dispute: null,
      link: null,
    }),
  }
}

/**
 * Returns null for an id that is no UUID: Polar answers 422 instead of 404, and has no such object.
 * https://polar.sh/docs/api-reference/customers/get
 */
function unlessNoId<T>(asked: Promise<T>): Promise<T | null> {
  return unlessStatus(422, asked)
}

/** Removes duplicates: orders and subscriptions contain their customer, and one copy per answer is enough. */
function eachOnce(changes: readonly Change[]): Change[] {
  return [...new Map(changes.map((change) => [nameOf(change), change])).values()]
}

function nameOf(change: Change): string {
  return change.type === 'touch'
    ? `touch ${change.ref.kind} ${change.ref.id}`
    : `${change.type === 'money' ? change.kind : change.type} ${change.id}`
}

// An error has a name; a validation error names the field: https://polar.sh/docs/api-reference/introduction
function faultOf(body: ErrorAnswer) {
  const [wrong] = list(body.detail)
  const place = Array.isArray(wrong?.loc) ? wrong.loc.at(-1) : undefined
  return { code: body.error ?? wrong?.type, field: place }
}
