import type { ListedPage, ListFrom } from '../contract.ts'
import { listByKind } from '../list.ts'
import { str } from '../narrow.ts'
import type { DodoApi } from './api.ts'
import { idOf } from './facts.ts'
import type { DodoObjects } from './payload.ts'

/**
 * Lists everything about purchases, kind by kind; `since` compares with an object's creation. A list omits a
 * subscription's add-ons, the items of a one-time purchase, and refunded amounts. Objects that may have these
 * are fetched one by one; others are used as listed.
 * https://docs.dodopayments.com/api-reference/subscriptions/get-subscriptions
 */
export function listAll(api: DodoApi, from: ListFrom = {}): AsyncIterable<ListedPage> {
  const query = from.since === undefined ? {} : { created_at_gte: from.since.toISOString() }
  return listByKind<DodoObjects>(
    {
      words: api.words,
      kinds: ['customer', 'subscription', 'payment', 'refund', 'dispute'],
      page: (kind, after) => api.page(`all ${kind}s`, `/${kind}s`, query, after),
      toChanges: async (kind, items, { at, patient }) => {
        const whole: (typeof items)[number][] = []
        for (const raw of items) {
          const id = idOf(kind, raw)
          const isWhole = id === null || !isShort[kind](raw)
          const found = isWhole ? null : await patient(`${kind} ${id}`, () => api.read(kind, id))
          whole.push(found?.raw ?? raw)
        }
        // The moment of the list: objects fetched later are only newer.
        return api.toFetched(kind, whole, at).changes
      },
    },
    from,
  )
}

function never() {
  return false
}
const ended: ReadonlySet<unknown> = new Set(['cancelled', 'failed'])

/** True if the list omits something that counts. */
const isShort: { readonly [K in keyof DodoObjects]: (raw: DodoObjects[K]) => boolean } = {
  customer: never,
  subscription: ({ status }) => !ended.has(status),
  payment: (raw) => str(raw.subscription_id) === null || str(raw.refund_status) !== null,
  refund: never,
  dispute: never,
}
