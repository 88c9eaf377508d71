import type { ListedPage, ListFrom } from '../contract.ts'
import { listByKind } from '../list.ts'
import { str } from '../narrow.ts'
import type { PaddleApi } from './api.ts'
import type { PaddleObjects } from './payload.ts'

/**
 * Lists everything about purchases, kind by kind and newest first: ids begin with their time. `since`
 * compares with an object's creation. https://developer.paddle.com/api-reference/about/pagination
 */
export function listAll(api: PaddleApi, from: ListFrom = {}): AsyncIterable<ListedPage> {
  return listByKind<PaddleObjects>(
    {
      words: api.words,
      kinds: ['customer', 'subscription', 'transaction', 'adjustment'],
      page: (kind, after) =>
        api.page(
          `all ${kind}s`,
          `/${kind}s`,
          { ...(kind === 'customer' ? { status: 'active,archived' } : {}), order_by: 'id[DESC]' },
          after,
        ),
      createdAt: (raw) => str(raw.created_at),
      isNewestFirst: true,
      toChanges: (kind, items, { at }) => api.toFetched(kind, items, at).changes,
    },
    from,
  )
}
