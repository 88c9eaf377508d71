import { type ApiOptions, createListApi, fetchBy, type ObjectApi } from '../api.ts'
import type { ApiWords } from '../api-errors.ts'
import type { Fetched } from '../contract.ts'
import { list, obj } from '../narrow.ts'
import { address } from '../rest.ts'
import { answeredChanges, type LemonSqueezySite } from './changes.ts'
import type { ErrorAnswer, ListAnswer, Resource } from './payload.ts'

/** Names of Lemon Squeezy's API in error messages. */
export const lemonSqueezyWords: ApiWords = {
  name: 'Lemon Squeezy',
  option: 'membership.providers.lemonsqueezy.secret',
  keys: 'Lemon Squeezy (Settings, API)',
  requests: 'in Lemon Squeezy’s documentation of errors, by its status',
}

/** Lemon Squeezy's API. Each object says its own kind: type and id, with the rest below `attributes`. */
export interface LemonSqueezyApi extends Omit<ObjectApi<unknown>, 'toFetched'> {
  /** Reads changes from objects, as a webhook would report them. */
  toFetched(raws: readonly Resource[], at: string): Fetched
}

/** Most objects per page: https://docs.lemonsqueezy.com/api/getting-started/requests */
const pageSize = 100

/**
 * Uses our own client, because Lemon Squeezy's package has no timeout and only one address.
 * https://docs.lemonsqueezy.com/api/getting-started/requests
 */
export function createLemonSqueezyApi({
  secret,
  base,
  now,
  site,
}: ApiOptions & { readonly site: LemonSqueezySite }): LemonSqueezyApi {
  const type = 'application/vnd.api+json'
  const api = createListApi({
    base,
    words: lemonSqueezyWords,
    now,
    headers: () => ({ authorization: `Bearer ${secret}`, accept: type, 'content-type': type }),
    faultOf,
    content: (raw) => obj(raw.data),
    itemsOf: (raw) => list(raw.data),
    placeOf: (after) => ({ 'page[size]': pageSize, 'page[number]': after ?? 1 }),
    nextOf: (raw, { after }) => {
      const number = Number(after ?? 1)
      return Number(obj(obj((raw as ListAnswer).meta).page).lastPage) > number ? String(number + 1) : null
    },
  })
  const toFetched: LemonSqueezyApi['toFetched'] = (raws, at) => ({
    changes: raws.flatMap((raw) => answeredChanges(site, { raw })),
    at,
  })
  const readObject = async (what: string, path: string): Promise<Fetched | null> => {
    const found = await api.find<Resource>(what, path)
    return found && toFetched([found.raw], found.at)
  }
  const readPayment = (id: string) => readObject('a payment', pathOfPayment(id))
  return {
    ...api,
    toFetched,
    fetch: fetchBy({
      subscription: (id) => readObject('a subscription', address`/v1/subscriptions/${id}`),
      customer: (id) => readObject('a customer', address`/v1/customers/${id}`),
      payment: readPayment,
      refund: readPayment,
      checkout: readPayment,
      // The API reports no chargebacks, and a link adds nothing to its subscription.
      dispute: null,
      link: null,
    }),
  }
}

/** Returns the API path of a payment: an order, or a subscription invoice. */
export function pathOfPayment(id: string): string {
  return id.startsWith('inv_') ? address`/v1/subscription-invoices/${id.slice(4)}` : address`/v1/orders/${id}`
}

// https://docs.lemonsqueezy.com/api/getting-started/requests: a list of JSON:API errors
function faultOf(body: ErrorAnswer) {
  const [error = {}] = list(body.errors)
  return { code: error.code ?? error.title, field: obj(error.source).pointer }
}
