import { type Answer, allPages, type Page, type Query, type WholeList } from '../api.ts'
import { type ApiWords, failureOf } from '../api-errors.ts'
import type { Fetched, Ref } from '../contract.ts'
import { type Json, obj, str } from '../narrow.ts'
import { address, createRest, type RestRequest } from '../rest.ts'
import { objectChanges } from './changes.ts'
import { notesIn, parentOf } from './facts.ts'
import { type Begun, embedded } from './money.ts'
import type { Common, Customer, ErrorAnswer, ListAnswer, Lists, Payment, Subscription } from './payload.ts'

/** Names of Mollie's API in error messages. */
export const mollieWords: ApiWords = {
  name: 'Mollie',
  option: 'membership.providers.mollie.secret',
  keys: 'the Mollie dashboard (Developers, API keys)',
  requests: 'in the Mollie dashboard under Developers, Logs',
}

export interface MollieApiOptions {
  readonly secret: string
  readonly apiBase: string | undefined
  readonly now: () => Date
}

/**
 * Mollie's API. Its own package has no timeout and hides the headers, of which `Date` tells the moment of an
 * answer.
 */
export interface MollieApi {
  /** Reads one object; null when Mollie does not know it or deleted it. @throws ERR_PROVIDER_ANSWER */
  read<T = unknown>(what: string, path: string, query?: Query): Promise<Answer<T> | null>
  /**
   * Creates or changes something, once per key; Mollie keeps keys for an hour.
   * @throws ERR_PROVIDER_ANSWER
   */
  write<T = unknown>(what: string, write: Write): Promise<Answer<T>>
  /** Reads one page of a list, starting with the object of that id. @throws as `read` */
  page<N extends keyof Lists>(
    what: string,
    list: List<N>,
    from?: string | null,
    limit?: number,
  ): Promise<Page<Lists[N]>>
  /** Reads every page of a list. @throws as `read` */
  all<N extends keyof Lists>(what: string, list: List<N>): Promise<WholeList<Lists[N]>>
}

interface Write {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly key: string
  readonly body?: Json
}

/** A list, and the name of its objects in the answer. */
export interface List<N extends keyof Lists> {
  readonly path: string
  readonly name: N
  readonly query?: Query
}

/** Address of Mollie's API. */
export const mollieBase = 'https://api.mollie.com/v2'

/** Creates the client; it makes no request before the first call. */
export function createMollieApi({ secret, apiBase, now }: MollieApiOptions): MollieApi {
  const rest = createRest({
    base: apiBase ?? mollieBase,
    words: mollieWords,
    now,
    headers: () => ({ authorization: `Bearer ${secret}` }),
    faultOf: ({ title, field }: ErrorAnswer) => ({ code: title, field }),
  })
  const ask = async <T>(what: string, request: RestRequest): Promise<Answer<T>> => {
    const { raw, at } = await rest.ask(what, request)
    return { raw: raw as T, at }
  }
  const page = async <N extends keyof Lists>(
    what: string,
    { path, name, query }: List<N>,
    from: string | null = null,
    limit = 250,
  ): Promise<Page<Lists[N]>> => {
    const { raw, at } = await rest.ask<ListAnswer>(what, {
      path,
      query: { ...query, from: from ?? undefined, limit },
    })
    const next = str(nextOf(raw))
    return { items: embedded(raw, name), at, next }
  }
  return {
    read: async <T>(what: string, path: string, query?: Query) => {
      try {
        return await ask<T>(what, query === undefined ? { path } : { path, query })
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    write: (what, { key, ...request }) =>
      ask(what, { ...request, isRepeatable: true, headers: { 'idempotency-key': key } }),
    page,
    all: (what, list) => allPages((from) => page(what, list, from)),
  }
}

/** Returns true if Mollie reports a missing object: 404, or 410 for a deleted one. */
export function isMissing(error: unknown): boolean {
  const { status } = failureOf(error instanceof Error ? error.cause : undefined)
  return status === 404 || status === 410
}

// Source: https://docs.mollie.com/reference/pagination
function nextOf(raw: ListAnswer): string | null {
  const href = str(obj(obj(raw._links).next).href)
  return href === null ? null : new URL(href, mollieBase).searchParams.get('from')
}

/** Reads objects of Mollie. */
export interface MollieFetch {
  fetch(ref: Ref): Promise<Fetched | null>
  /** Returns changes from a subscription that was just read or returned. */
  toFetched(answer: Answer<Subscription>): Promise<Fetched>
  readPayment(id: string): Promise<Answer<Payment> | null>
  readSubscription(id: string, parent?: string): Promise<Answer<Subscription> | null>
  subscriptionsOf(customer: string): Promise<WholeList<Subscription>>
  paymentsOf(customer: string | null): Promise<readonly Payment[]>
  /** Finds the subscription that this payment began, by our notes on both. */
  begunBy(raw: Payment): Promise<Subscription | null>
}

/** Fetches objects of Mollie with everything they depend on; null for unknown ones. */
export function createFetch(api: MollieApi): MollieFetch {
  /**
   * Fetches a payment with its refunds and chargebacks. For a first payment it adds the subscription that it
   * began.
   */
  const payment = async (id: string): Promise<Fetched | null> => {
    const found = await readPayment(id)
    if (found === null) return null
    const begun = await begunBy(found.raw)
    return {
      changes: objectChanges(found.raw, { at: found.at, begun: begun === null ? null : toBegun(begun) }),
      at: found.at,
    }
  }

  const readPayment = (id: string) =>
    api.read<Payment>(`payment ${id}`, address`/payments/${id}`, { embed: 'refunds,chargebacks' })

  const begunBy = async (raw: Payment): Promise<Subscription | null> => {
    const customer = parentOf(raw, 'customer')
    const { intent } = notesIn(raw)
    if (raw.sequenceType !== 'first' || customer === null || intent === null) return null
    const { all } = await subscriptionsOf(customer)
    return all.find((item) => notesIn(item).intent === intent && notesIn(item).first === raw.id) ?? null
  }

  const subscriptionsOf = (customer: string) =>
    api.all(`subscriptions of ${customer}`, {
      path: address`/customers/${customer}/subscriptions`,
      name: 'subscriptions',
    })

  /** Fetches a subscription with its payments. Without a known customer it is searched in the list of all. */
  const subscription = async (id: string, parent?: string): Promise<Fetched | null> => {
    const found = await readSubscription(id, parent)
    return found === null ? null : toFetched(found)
  }

  const readSubscription = async (id: string, parent?: string) => {
    const what = `subscription ${id}`
    if (parent === undefined) return inList(what, 'subscriptions', id)
    return api.read<Subscription>(what, subscriptionPath(parent, id))
  }

  const toFetched = async ({ raw, at }: Answer<Subscription>): Promise<Fetched> => {
    const payments = await paymentsOf(parentOf(raw, 'customer'))
    return { changes: objectChanges(raw, { at, payments }), at }
  }

  // Reads the newest payments of all kinds, among them the subscription's last charge.
  const paymentsOf = async (customer: string | null): Promise<readonly Payment[]> => {
    if (customer === null) return []
    const path = address`/customers/${customer}/payments`
    const { items } = await api.page(`payments of ${customer}`, { path, name: 'payments' })
    return items
  }

  /**
   * Finds an object in the list of all, which can start at any id. Mollie shows some kinds only there and
   * below their parent.
   */
  const inList = async <N extends 'subscriptions' | 'refunds' | 'chargebacks'>(
    what: string,
    name: N,
    id: string,
  ) => {
    const page = await api.read<ListAnswer>(what, `/${name}`, { from: id, limit: 1 })
    const raw = page && embedded(page.raw, name).find((item) => item.id === id)
    return page && raw ? { raw, at: page.at } : null
  }

  const alone = async (found: Promise<Answer<Common> | null>): Promise<Fetched | null> => {
    const answer = await found
    return answer && { changes: objectChanges(answer.raw, { at: answer.at }), at: answer.at }
  }

  /** Fetches the payment of a payment link. */
  const link = async (id: string): Promise<Fetched | null> => {
    const path = address`/payment-links/${id}/payments`
    const page = await api.read<ListAnswer>(`payments of ${id}`, path)
    if (page === null) return null
    const payments = embedded(page.raw, 'payments')
    return { changes: payments.flatMap((raw) => objectChanges(raw, { at: page.at })), at: page.at }
  }

  const fetch = ({ kind, id, parent }: Ref): Promise<Fetched | null> => {
    switch (kind) {
      case 'subscription':
        return subscription(id, parent)
      case 'customer':
        return alone(api.read<Customer>(`customer ${id}`, address`/customers/${id}`))
      case 'refund':
        return alone(inList(`refund ${id}`, 'refunds', id))
      case 'dispute':
        return alone(inList(`chargeback ${id}`, 'chargebacks', id))
      case 'payment':
      case 'checkout':
      case 'link':
        return id.startsWith('pl_') ? link(id) : payment(id)
      default:
        throw new TypeError(`unhandled ${String(kind satisfies never)}`)
    }
  }
  return { fetch, toFetched, readPayment, readSubscription, subscriptionsOf, paymentsOf, begunBy }
}

/** Returns the API path of a subscription. */
export function subscriptionPath(customer: string, id: string): string {
  return address`/customers/${customer}/subscriptions/${id}`
}

/** Returns the subscription that a first payment began, from the payment's own data. */
export function toBegun(raw: Subscription): Begun {
  const id = str(raw.id)
  return id === null ? null : { id, isTrial: notesIn(raw).trialEnds !== null }
}
