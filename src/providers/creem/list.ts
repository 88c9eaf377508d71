import type { ListedPage, ListFrom } from '../contract.ts'
import { type Json, str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import { address } from '../rest.ts'
import { walkLists } from '../walk-lists.ts'
import type { CreemApi } from './api.ts'
import { moment } from './facts.ts'
import { creemWords } from './words.ts'

const paths = {
  customer: '/v1/customers/list',
  subscription: '/v1/subscriptions/search',
  transaction: '/v1/transactions/search',
} as const
type Listed = keyof typeof paths

/** Lists everything about purchases, kind by kind; one-time purchases are listed with their customer. The
 *  lists have no documented order, so every page is read.
 *  https://docs.creem.io/api-reference/endpoint/search-subscriptions */
export const listAll = (
  api: Pick<CreemApi, 'page' | 'all' | 'told'>,
  { since, cursor }: ListFrom = {},
  { wait }: { readonly wait?: Wait } = {},
): AsyncIterable<ListedPage> => {
  const isYoung = (raw: Json) =>
    since === undefined || Date.parse(moment(raw.created_at) ?? '') >= since.getTime()
  const ordersOf = async (customers: readonly Json[], at: string) => {
    const orders: Json[] = []
    for (const { id } of customers) {
      const path = address`/v1/customers/${str(id) ?? ''}/orders`
      const { all } = await patiently(creemWords, 'orders', () => api.all('orders', path), wait)
      orders.push(...all.filter(isYoung))
    }
    return api.told('order', orders, at).changes
  }
  const readPage = async (kind: Listed, number: string | null) => {
    const what = `${kind}s`
    const { items, at, next } = await patiently(
      creemWords,
      what,
      () => api.page(`all ${what}`, paths[kind], number),
      wait,
    )
    const young = kind === 'customer' ? items : items.filter(isYoung)
    const { changes } = api.told(kind, young, at)
    const more = kind === 'customer' ? await ordersOf(items, at) : []
    return { changes: [...changes, ...more], at, next }
  }
  return walkLists('Creem', Object.keys(paths) as Listed[], readPage, cursor)
}
