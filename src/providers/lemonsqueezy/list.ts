import type { ListedPage, ListFrom } from '../contract.ts'
import { listByKind } from '../list.ts'
import { obj, str } from '../narrow.ts'
import type { LemonSqueezyApi } from './api.ts'
import type { LemonSqueezyObjects, Resource } from './payload.ts'

/** Every list has objects of its kind. */
type Lists = { readonly [K in keyof LemonSqueezyObjects]: Resource<LemonSqueezyObjects[K]> }

/**
 * Lists everything about purchases, kind by kind. `since` compares with an object's creation. The lists have
 * no documented order, so every page is read. https://docs.lemonsqueezy.com/api/getting-started/requests
 */
export function listAll(api: LemonSqueezyApi, from: ListFrom = {}): AsyncIterable<ListedPage> {
  return listByKind<Lists>(
    {
      words: api.words,
      kinds: ['customers', 'subscriptions', 'orders', 'subscription-invoices'],
      page: (kind, after) => api.page(`all ${kind}`, `/v1/${kind}`, {}, after),
      createdAt: (raw) => str(obj(raw.attributes).created_at),
      toChanges: (_kind, items, { at }) => api.toFetched(items, at).changes,
    },
    from,
  )
}
