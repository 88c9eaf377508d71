import type { Fetched, Ref } from '../contract.ts'
import { type Json, list, str } from '../narrow.ts'
import { address, createRest, type RestRequest, unlessMissing } from '../rest.ts'
import { allPages } from '../walk-lists.ts'
import { answeredChanges, type DodoKind } from './changes.ts'
import { dodoWords } from './words.ts'

export interface DodoApiOptions {
  readonly secret: string
  readonly base: string
  readonly now: () => Date
}

/** One object, with the moment of the answer. */
export interface DodoAnswer {
  readonly raw: Json
  readonly at: string
}

/** One page of a list. */
export interface DodoPage {
  readonly items: readonly Json[]
  readonly at: string
  /** Number of the next page; null after the last. */
  readonly next: string | null
}

/** Dodo's API. */
export interface DodoApi {
  /** @throws ERR_PROVIDER_ANSWER, ERR_PAYMENT_DECLINED */
  ask(what: string, request: RestRequest): Promise<DodoAnswer>
  page(what: string, path: string, number: string | null, query?: RestRequest['query']): Promise<DodoPage>
  /** Reads every object of a list. */
  all(what: string, path: string, query?: RestRequest['query']): Promise<{ all: readonly Json[]; at: string }>
  /** Reads changes from objects of one kind, as a webhook would report them. */
  told(kind: DodoKind, raws: readonly Json[], at: string): Fetched
  /** Reads the current state of one object; null when Dodo does not know it. */
  find(kind: DodoKind, id: string): Promise<DodoAnswer | null>
  /** Returns the same as changes. */
  fetch(ref: Ref): Promise<Fetched | null>
}

// https://docs.dodopayments.com/api-reference/payments/get-payments: at most a hundred, and the first page is
// 0
const pageSize = 100

/** Uses our own client, because Dodo's package hides the time of an answer.
 *  https://docs.dodopayments.com/api-reference/introduction */
export const createDodoApi = ({ secret, base, now }: DodoApiOptions): DodoApi => {
  const rest = createRest({
    base,
    words: dodoWords,
    now,
    headers: () => ({ authorization: `Bearer ${secret}` }),
    faultOf: ({ code }) => ({ code }),
  })
  const page: DodoApi['page'] = async (what, path, number, query = {}) => {
    const place = { page_number: number ?? '0', page_size: pageSize }
    const { raw, at } = await rest.ask(what, { path, query: { ...query, ...place } })
    const items = list(raw.items)
    // The answer does not say if more follow.
    return { items, at, next: items.length < pageSize ? null : `${Number(place.page_number) + 1}` }
  }
  const all: DodoApi['all'] = (what, path, query) => allPages((number) => page(what, path, number, query))
  const told: DodoApi['told'] = (kind, raws, at) => ({
    changes: raws.flatMap((raw) => answeredChanges(kind, raw)),
    at,
  })
  const find: DodoApi['find'] = (kind, id) =>
    unlessMissing(rest.ask(`${kind} ${id}`, { path: `/${kind}s${address`/${id}`}` }))
  const readObject = async (kind: DodoKind, id: string): Promise<Fetched | null> => {
    const found = await find(kind, id)
    return found && told(kind, [found.raw], found.at)
  }
  /** Fetches the result of a checkout page: its payment, and that payment's subscription. A trial may
   *  begin without a payment; then its event reports it.
   *  https://docs.dodopayments.com/api-reference/checkout-sessions/get-checkouts */
  const fetchPage = async (id: string): Promise<Fetched | null> => {
    const session = await unlessMissing(rest.ask(`checkout ${id}`, { path: address`/checkouts/${id}` }))
    if (session === null) return null
    const paid = str(session.raw.payment_id)
    const payment = paid === null ? null : await find('payment', paid)
    const subscription = str(payment?.raw.subscription_id)
    const begun = subscription === null ? null : await find('subscription', subscription)
    return {
      changes: [
        ...(payment === null ? [] : answeredChanges('payment', payment.raw)),
        ...(begun === null ? [] : answeredChanges('subscription', begun.raw)),
      ],
      at: session.at,
    }
  }
  return {
    ask: (what, request) => rest.ask(what, request),
    page,
    all,
    told,
    find,
    fetch: async ({ kind, id }) => {
      switch (kind) {
        case 'subscription':
        case 'customer':
        case 'payment':
        case 'refund':
        case 'dispute':
          return readObject(kind, id)
        case 'checkout':
          // The purchase itself carries our note, because its events name no page.
          if (id.startsWith('sub_')) return readObject('subscription', id)
          return id.startsWith('pay_') ? readObject('payment', id) : fetchPage(id)
        case 'link':
          return null
        default:
          throw new TypeError(`unhandled ${kind satisfies never}`)
      }
    },
  }
}
