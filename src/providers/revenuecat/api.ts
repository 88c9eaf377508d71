import { type Answer, type ApiOptions, createListApi, fetchBy, type ListApi } from '../api.ts'
import type { ApiWords } from '../api-errors.ts'
import type { Fetched, Ref } from '../contract.ts'
import { int, list, obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { customerChanges, type Reading } from './changes.ts'
import { isAnonymous, storeOf } from './facts.ts'
import type {
  Alias,
  Attribute,
  Customer,
  ErrorAnswer,
  ListAnswer,
  Product,
  Purchase,
  Subscription,
  Transaction,
  WholeSubscription,
} from './payload.ts'

/** Names of RevenueCat's API in error messages. */
export const revenuecatWords: ApiWords = {
  name: 'RevenueCat',
  option: 'membership.providers.revenuecat.secret',
  keys: 'the RevenueCat dashboard (API keys, secret key of version 2)',
  requests: 'in RevenueCat’s support',
}

/** RevenueCat's API. */
export interface RevenueCatApi extends ListApi {
  /** Path of everything in the project, without a final slash. */
  readonly project: string
  /**
   * Reads a customer with everything bought; null when RevenueCat does not know the id. Any of the customer's
   * aliases will do.
   */
  customer(id: string): Promise<Fetched | null>
  fetch(ref: Ref): Promise<Fetched | null>
}

const pageSize = 100

/** https://www.revenuecat.com/docs/api-v2 */
export function createRevenueCatApi(
  { secret, base, now }: ApiOptions,
  { project: id, ...reading }: Reading & { readonly project: string },
): RevenueCatApi {
  const api = createListApi({
    base,
    words: revenuecatWords,
    now,
    headers: () => ({ authorization: `Bearer ${secret}` }),
    faultOf: (body: ErrorAnswer) => ({
      code: body.type === 'authentication_error' ? 'invalid_api_key' : body.type,
      field: body.param,
    }),
    placeOf: (after) => (after === null ? { limit: pageSize } : { limit: pageSize, starting_after: after }),
    nextOf: (raw) => startOf((raw as ListAnswer<unknown>).next_page),
  })
  const project = address`/v2/projects/${id}`
  const at = (path: string): string => `${project}${path}`
  // A product keeps its identifier in the store, and a subscription names only RevenueCat's own id of it.
  const products = new Map<string, Product>()

  const productOf = async (productId: unknown): Promise<Product | null> => {
    const wanted = str(productId)
    if (wanted === null) return null
    const known = products.get(wanted)
    if (known !== undefined) return known
    const found = await api.find<Product>('a product', at(address`/products/${wanted}`))
    if (found !== null) products.set(wanted, found.raw)
    return found?.raw ?? null
  }

  // Only these two stores have a list of transactions.
  const transactionsOf = async (raw: Subscription): Promise<readonly Transaction[]> => {
    const store = storeOf(raw)
    if (store !== 'app_store' && store !== 'mac_app_store' && store !== 'play_store') return []
    const path = at(address`/subscriptions/${str(raw.id) ?? ''}/transactions`)
    const { all } = await api.all<Transaction>('transactions', path)
    return [...all].sort((a, b) => (int(a.purchased_at) ?? 0) - (int(b.purchased_at) ?? 0))
  }

  const wholeOf = async (raw: Subscription): Promise<WholeSubscription> => ({
    raw,
    product: await productOf(raw.product_id),
    transactions: await transactionsOf(raw),
  })

  /** The id under which the site knows the customer: the first alias that is not anonymous. */
  const ownIdOf = async (customer: string): Promise<string> => {
    const { all } = await api.all<Alias>('aliases', at(address`/customers/${customer}/aliases`))
    const named = [...all]
      .sort((a, b) => (int(a.created_at) ?? 0) - (int(b.created_at) ?? 0))
      .flatMap((alias) => str(alias.id) ?? [])
      .find((alias) => !isAnonymous(alias))
    return named ?? customer
  }

  const read = async ({ raw, at: since }: Answer<Customer>, asked: string): Promise<Fetched> => {
    const customer = str(raw.id) ?? asked
    const subscriptions = await api.all<Subscription>(
      'subscriptions',
      at(address`/customers/${customer}/subscriptions`),
    )
    const purchases = await api.all<Purchase>('purchases', at(address`/customers/${customer}/purchases`))
    const attributes = list(obj(raw.attributes).items)
    const changes = customerChanges(
      {
        id: await ownIdOf(customer),
        email: attribute(attributes, '$email'),
        name: attribute(attributes, '$displayName'),
        subscriptions: await Promise.all(subscriptions.all.map(wholeOf)),
        purchases: await Promise.all(
          purchases.all.map(async (purchase) => ({
            raw: purchase,
            product: await productOf(purchase.product_id),
          })),
        ),
      },
      reading,
    )
    return { changes, at: since }
  }

  const customer = async (asked: string): Promise<Fetched | null> => {
    const path = at(address`/customers/${asked}`)
    const found = await api.find<Customer>('a customer', path, { expand: 'attributes' })
    return found === null ? null : read(found, asked)
  }

  /** Reads the customer of an object: the object alone does not say under which id the site knows the buyer. */
  const ownerOf = (what: string, path: string) => async (objectId: string) => {
    const found = await api.find<Subscription>(what, at(`${path}/${encodeURIComponent(objectId)}`))
    const owner = str(found?.raw.customer_id)
    return owner === null ? null : customer(owner)
  }

  return {
    ...api,
    project,
    customer,
    fetch: fetchBy({
      customer,
      subscription: ownerOf('a subscription', '/subscriptions'),
      payment: ownerOf('a purchase', '/purchases'),
      checkout: null,
      refund: null,
      dispute: null,
      link: null,
    }),
  }
}

function attribute(attributes: readonly Attribute[], name: string): string | null {
  return str(attributes.find((item) => item.name === name)?.value)
}

/** A page names the address of the next one; only its place in the list is used, so that no other host is asked. */
function startOf(next: unknown): string | null {
  const query = str(next)?.split('?')[1]
  return query === undefined ? null : new URLSearchParams(query).get('starting_after')
}
