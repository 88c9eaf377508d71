import { createHash } from 'node:crypto'
import { type Answer, type ApiOptions, createListApi, fetchBy, type ListApi, type ObjectApi } from '../api.ts'
import { type ApiWords, failureOf } from '../api-errors.ts'
import type { Fetched } from '../contract.ts'
import { isObject, type Json, list, obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import { objectChanges } from './changes.ts'
import { readPage } from './hosted-page.ts'
import type { Content, Invoice, Subscription } from './payload.ts'
import { type Beside, dueCount } from './subscription.ts'

/** Names of Chargebee's API in error messages. */
export const chargebeeWords: ApiWords = {
  name: 'Chargebee',
  option: 'membership.providers.chargebee.secret',
  keys: 'Chargebee (Settings, Configure Chargebee, API Keys)',
  requests: 'in Chargebee under Logs, API Logs',
}

/** Chargebee's API. An answer has several objects side by side, each under its kind. */
export interface ChargebeeApi extends ListApi, Pick<ObjectApi<unknown>, 'fetch'> {
  /**
   * Changes something. Within half an hour, the same key is the same request and gets the same answer.
   * @throws ERR_PROVIDER_ANSWER, ERR_PAYMENT_DECLINED
   */
  write(what: string, request: { path: string; body?: Json; key: string }): Promise<Answer<Content>>
  /** Asks for an estimate of the cost. */
  estimate(what: string, path: string, body: Json): Promise<Answer<Content>>
  /** Reads changes from an answer, after fetching the parts of a subscription that it leaves out. */
  toFetched(answer: Answer<Content>): Promise<Fetched>
}

/** Lists show up to 100 objects a page: https://apidocs.chargebee.com/docs/api, "Pagination" */
const pageSize = 100

/**
 * Uses our own client, because Chargebee's package hides the `Date` of an answer, which decides when it
 * counts. https://apidocs.chargebee.com/docs/api
 */
export function createChargebeeApi({ secret, base, now }: ApiOptions): ChargebeeApi {
  const api = createListApi({
    base: `${base}/api/v2`,
    words: chargebeeWords,
    now,
    headers: () => ({ authorization: `Basic ${Buffer.from(`${secret}:`).toString('base64')}` }),
    faultOf: ({ api_error_code, param }) => ({ code: api_error_code, field: param }),
    // A declined card gets status 400 like other mistakes, but has its own code.
    // https://apidocs.chargebee.com/docs/api/error-handling
    isDeclined: ({ code }) => declines.has(code),
    itemsOf: (raw) => list(raw.list),
    placeOf: (after) => ({ limit: pageSize, ...(after === null ? {} : { offset: after }) }),
    nextOf: (raw) => str(raw.next_offset),
  })
  const toFetched: ChargebeeApi['toFetched'] = async ({ raw, at }) => {
    const id = str(obj(raw.subscription).id)
    const beside = await besideOf(api, obj(raw.subscription))
    return { changes: objectChanges(raw, id === null ? {} : { [id]: beside }), at }
  }
  const readObject = async (what: string, path: string): Promise<Fetched | null> => {
    const answer = await api.find<Content>(what, path)
    return answer && toFetched(answer)
  }
  const fetchSubscription = (id: string) => readObject(`subscription ${id}`, address`/subscriptions/${id}`)
  return {
    ...api,
    write: (what, { path, body = {}, key }) =>
      api.ask(what, {
        method: 'POST',
        path,
        body: toForm(body),
        headers: { 'chargebee-idempotency-key': shortKey(key) },
        isRepeatable: true,
      }),
    estimate: (what, path, body) => api.ask(what, { method: 'POST', path, body: toForm(body), reads: true }),
    toFetched,
    fetch: fetchBy({
      subscription: fetchSubscription,
      customer: (id) => readObject(`customer ${id}`, address`/customers/${id}`),
      payment: (id) => readObject(`invoice ${id}`, address`/invoices/${id}`),
      // A hosted page, or the subscription that carries our note.
      checkout: async (id) => (await readPage(api, id)) ?? fetchSubscription(id),
      // One transaction may refund several invoices.
      refund: (id) => readObject(`refund ${id}`, address`/transactions/${id.split('.')[0]!}`),
      // Disputes are reported as refunds.
      dispute: null,
      link: null,
    }),
  }
}

/** Fetches what a subscription does not say itself: its scheduled change, and which of its invoices are due. */
export async function besideOf(api: Pick<ListApi, 'ask' | 'page'>, raw: Subscription): Promise<Beside> {
  const planned = await plannedFor(api, raw)
  const id = str(raw.id)
  if (id === null || dueCount(raw) === 0) return { planned }
  return { planned, invoices: await dueInvoices(api, id), isAll: true }
}

/** Lists the due invoices of a subscription. */
export async function dueInvoices(
  { page }: Pick<ListApi, 'page'>,
  subscription: string,
): Promise<readonly Invoice[]> {
  const { items } = await page<Content>(`open invoices of ${subscription}`, '/invoices', {
    'subscription_id[is]': subscription,
    'status[in]': JSON.stringify(['payment_due', 'not_paid']),
  })
  return items.map(({ invoice }) => obj(invoice))
}

/**
 * Reads a subscription as it will be after its scheduled change, because the subscription itself names no
 * future price. https://apidocs.chargebee.com/docs/api/subscriptions/retrieve-with-scheduled-changes
 */
export async function plannedFor(
  { ask }: Pick<ListApi, 'ask'>,
  raw: Subscription,
): Promise<Subscription | null> {
  const id = str(raw.id)
  if (id === null || raw.has_scheduled_changes !== true) return null
  const path = address`/subscriptions/${id}/retrieve_with_scheduled_changes`
  // The change was undone or took effect just now.
  const answer = await ask<Content>(`what is planned for ${id}`, { path }).catch((error: unknown) => {
    if (error instanceof Error && failureOf(error.cause).status === 400) return null
    throw error
  })
  return answer && obj(answer.raw.subscription)
}

// https://apidocs.chargebee.com/docs/api/idempotency: up to 100 characters
function shortKey(key: string): string {
  return key.length <= 100 && /^[\x21-\x7e]+$/.test(key)
    ? key
    : createHash('sha256').update(key).digest('hex')
}

const declines: ReadonlySet<unknown> = new Set([
  'payment_processing_failed',
  'payment_method_verification_failed',
  'payment_method_not_present',
])

/**
 * Encodes a form, which Chargebee takes instead of JSON: `customer[email]=…`. In a list of objects each field
 * gets its index: `subscription_items[item_price_id][0]=…`. Source: https://apidocs.chargebee.com/docs/api,
 * "Request"
 */
function toForm(given: Json): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, value] of pairsOf(given)) form.append(name, value)
  return form
}

function pairsOf(given: Json, within = '', place = ''): (readonly [name: string, value: string])[] {
  return Object.entries(given).flatMap(([key, value]) => {
    const name = within === '' ? key : `${within}[${key}]`
    if (value === undefined || value === null) return []
    if (Array.isArray(value))
      return value.flatMap((item, n) =>
        isObject(item) ? pairsOf(item, name, `[${n}]`) : [[`${name}[${n}]`, String(item)] as const],
      )
    return isObject(value) ? pairsOf(value, name, place) : [[`${name}${place}`, String(value)] as const]
  })
}
