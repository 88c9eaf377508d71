import type { ListedPage, ListFrom } from '../contract.ts'
import { listByKind } from '../list.ts'
import { str } from '../narrow.ts'
import type { PolarApi } from './api.ts'
import type { PolarObjects } from './payload.ts'

/**
 * Lists everything about purchases, kind by kind and newest first. `since` compares with an object's
 * creation. Pages are numbered, so objects created meanwhile repeat some, but none is skipped.
 */
export function listAll(api: PolarApi, from: ListFrom = {}): AsyncIterable<ListedPage> {
  return listByKind<PolarObjects>(
    {
      words: api.words,
      kinds: ['customer', 'subscription', 'order', 'checkout', 'refund'],
      page: (kind, after) => {
        // Subscriptions are sorted by when they began: https://polar.sh/docs/api-reference/subscriptions/list
        const sorting = kind === 'subscription' ? '-started_at' : '-created_at'
        return api.page(`all ${kind}s`, `/${kind}s/`, { sorting }, after)
      },
      createdAt: (raw) => str(raw.created_at),
      isNewestFirst: true,
      toChanges: (kind, items, { at }) => api.toFetched(kind, items, at).changes,
    },
    from,
  )
}
