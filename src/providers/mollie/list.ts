import type { Change, ListedPage, ListFrom } from '../contract.ts'
import { listByKind } from '../list.ts'
import { str } from '../narrow.ts'
import { type MollieApi, type MollieFetch, mollieWords } from './api.ts'
import { objectChanges } from './changes.ts'
import type { Lists } from './payload.ts'

type Named = Omit<Lists, 'mandates' | 'webhooks'>

/**
 * Lists everything about purchases, kind by kind and newest first. `since` compares with an object's
 * creation. A subscription is read with its payments, so a page has few of them.
 */
export function listAll(
  api: MollieApi,
  fetch: MollieFetch,
  from: ListFrom = {},
  { pageSize = 50 }: { readonly pageSize?: number } = {},
): AsyncIterable<ListedPage> {
  return listByKind<Named>(
    {
      words: mollieWords,
      kinds: ['customers', 'subscriptions', 'payments', 'refunds', 'chargebacks'],
      page: (name, after) => api.page(`all ${name}`, { path: `/${name}`, name }, after, pageSize),
      createdAt: ({ createdAt }) => str(createdAt),
      isNewestFirst: true,
      toChanges: async (name, items, { at, patient }) => {
        const changes: Change[] = []
        for (const raw of items)
          changes.push(
            ...(name === 'subscriptions'
              ? (await patient(name, () => fetch.toFetched({ raw, at }))).changes
              : objectChanges(raw, { at })),
          )
        // Touched objects are already here, or come in another list.
        return changes.filter(({ type }) => type !== 'touch')
      },
    },
    from,
  )
}
