import type { ListedPage, ListFrom } from '../contract.ts'
import { listByKind, type Patient } from '../list.ts'
import { str } from '../narrow.ts'
import { address } from '../rest.ts'
import type { CreemApi } from './api.ts'
import { moment } from './facts.ts'
import type { CreemObjects, Customer, Order } from './payload.ts'

const paths: { readonly [K in keyof CreemObjects]?: string } = {
  customer: '/v1/customers/list',
  subscription: '/v1/subscriptions/search',
  transaction: '/v1/transactions/search',
}

/**
 * Lists everything about purchases, kind by kind; one-time purchases are listed with their customer. The
 * lists have no documented order, so every page is read.
 * https://docs.creem.io/api-reference/endpoint/search-subscriptions
 */
export function listAll(api: CreemApi, from: ListFrom = {}): AsyncIterable<ListedPage> {
  const ordersOf = async (customers: readonly Customer[], patient: Patient): Promise<Order[]> => {
    const orders: Order[] = []
    for (const { id } of customers) {
      const path = address`/v1/customers/${str(id) ?? ''}/orders`
      const { all } = await patient('orders', () => api.all<Order>('orders', path))
      orders.push(...all.filter(isYoung))
    }
    return orders
  }
  const isYoung = (order: Order): boolean =>
    from.since === undefined || !(Date.parse(moment(order.created_at) ?? '') < from.since.getTime())
  return listByKind<CreemObjects>(
    {
      words: api.words,
      kinds: ['customer', 'subscription', 'transaction'],
      page: (kind, after) => api.page(`all ${kind}s`, paths[kind]!, {}, after),
      // An old customer may have young orders.
      createdAt: (raw, kind) => (kind === 'customer' ? null : moment(raw.created_at)),
      toChanges: async (kind, items, { at, patient }) => {
        const { changes } = api.toFetched(kind, items, at)
        if (kind !== 'customer') return changes
        return [...changes, ...api.toFetched('order', await ordersOf(items, patient), at).changes]
      },
    },
    from,
  )
}
