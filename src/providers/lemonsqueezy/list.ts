import type { ListedPage, ListFrom } from '../contract.ts'
import { type Json, obj, str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import { walkLists } from '../walk-lists.ts'
import type { LemonSqueezyApi } from './api.ts'
import { lemonSqueezyWords } from './words.ts'

const kinds = ['customers', 'subscriptions', 'orders', 'subscription-invoices'] as const

/** Lists everything about purchases, kind by kind. `since` compares with an object's creation. The lists
 *  have no documented order, so every page is read.
 *  https://docs.lemonsqueezy.com/api/getting-started/requests */
export const listAll = (
  api: Pick<LemonSqueezyApi, 'page' | 'told'>,
  { since, cursor }: ListFrom = {},
  { wait }: { readonly wait?: Wait } = {},
): AsyncIterable<ListedPage> => {
  const isYoung = (raw: Json) =>
    since === undefined || Date.parse(str(obj(raw.attributes).created_at) ?? '') >= since.getTime()
  const readPage = async (kind: (typeof kinds)[number], number: string | null) => {
    const { items, at, next } = await patiently(
      lemonSqueezyWords,
      kind,
      () => api.page(`all ${kind}`, `/v1/${kind}`, number),
      wait,
    )
    return { ...api.told(items.filter(isYoung), at), next }
  }
  return walkLists('Lemon Squeezy', kinds, readPage, cursor)
}
