import type { ListedPage, ListFrom } from '../contract.ts'
import { type Json, str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import { walkLists } from '../walk-lists.ts'
import type { DodoApi } from './api.ts'
import type { DodoKind } from './changes.ts'
import { dodoWords } from './words.ts'

const kinds: readonly DodoKind[] = ['customer', 'subscription', 'payment', 'refund', 'dispute']

/** Lists everything about purchases, kind by kind; `since` compares with an object's creation. A list
 *  omits a subscription's add-ons, the items of a one-time purchase, and refunded amounts. Objects that
 *  may have these are fetched one by one; others are used as listed.
 *  https://docs.dodopayments.com/api-reference/subscriptions/get-subscriptions */
export const listAll = (
  api: Pick<DodoApi, 'page' | 'find' | 'told'>,
  { since, cursor }: ListFrom = {},
  { wait }: { readonly wait?: Wait } = {},
): AsyncIterable<ListedPage> => {
  const query = since === undefined ? {} : { created_at_gte: since.toISOString() }
  const whole = async (kind: DodoKind, raw: Json): Promise<Json> => {
    const id = str(raw[`${kind}_id`])
    if (id === null || !isShort[kind](raw)) return raw
    const found = await patiently(dodoWords, `${kind} ${id}`, () => api.find(kind, id), wait)
    return found?.raw ?? raw
  }
  const readPage = async (kind: DodoKind, number: string | null) => {
    const what = `all ${kind}s`
    const { items, at, next } = await patiently(
      dodoWords,
      what,
      () => api.page(what, `/${kind}s`, number, query),
      wait,
    )
    const raws: Json[] = []
    for (const item of items) raws.push(await whole(kind, item))
    // The moment of the list: objects fetched later are only newer.
    return { ...api.told(kind, raws, at), next }
  }
  return walkLists('Dodo Payments', kinds, readPage, cursor)
}

const never = () => false
const ended: ReadonlySet<unknown> = new Set(['cancelled', 'failed'])

/** True if the list omits something that counts. */
const isShort: Readonly<Record<DodoKind, (raw: Json) => boolean>> = {
  customer: never,
  subscription: ({ status }) => !ended.has(status),
  payment: (raw) => str(raw.subscription_id) === null || str(raw.refund_status) !== null,
  refund: never,
  dispute: never,
}
