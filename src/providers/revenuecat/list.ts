import type { Change, ListedPage, ListFrom } from '../contract.ts'
import { listByKind } from '../list.ts'
import { str } from '../narrow.ts'
import type { RevenueCatApi } from './api.ts'
import type { Customer } from './payload.ts'

/**
 * Lists every customer with everything bought. RevenueCat cannot filter, and an old customer may have new
 * purchases, so that every page is read. https://www.revenuecat.com/docs/api-v2/customer
 */
export function listAll(api: RevenueCatApi, from: ListFrom = {}): AsyncIterable<ListedPage> {
  return listByKind<{ readonly customer: Customer }>(
    {
      words: api.words,
      kinds: ['customer'],
      page: (_, after) => api.page('all customers', `${api.project}/customers`, {}, after),
      toChanges: async (_, items, { patient }) => {
        const changes: Change[] = []
        for (const { id } of items) {
          const fetched = await patient('a customer', () => api.customer(str(id) ?? ''))
          changes.push(...(fetched?.changes ?? []))
        }
        return changes
      },
    },
    from,
  )
}
