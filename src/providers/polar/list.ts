import type { ListedPage, ListFrom } from '../contract.ts'
import { type Json, str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import { walkLists } from '../walk-lists.ts'
import type { PolarApi, PolarKind } from './api.ts'
import { polarWords } from './words.ts'

const kinds: readonly PolarKind[] = ['customer', 'subscription', 'order', 'checkout', 'refund']

// Subscriptions are sorted by when they began: https://polar.sh/docs/api-reference/subscriptions/list
const newest = (kind: PolarKind): string => (kind === 'subscription' ? '-started_at' : '-created_at')

/** Lists everything about purchases, kind by kind and newest first. `since` compares with an object's
 *  creation. Pages are numbered, so objects created meanwhile repeat some, but none is skipped. */
export const listAll = (
  api: Pick<PolarApi, 'page' | 'told'>,
  { since, cursor }: ListFrom = {},
  { wait }: { readonly wait?: Wait } = {},
): AsyncIterable<ListedPage> => {
  const isYoung = (raw: Json) =>
    since === undefined || Date.parse(str(raw.created_at) ?? '') >= since.getTime()
  const readPage = async (kind: PolarKind, after: string | null) => {
    const query = { sorting: newest(kind), ...(after === null ? {} : { page: after }) }
    const what = `all ${kind}s`
    const { items, at, next } = await patiently(
      polarWords,
      what,
      () => api.page(what, `/${kind}s/`, query),
      wait,
    )
    const young = items.filter(isYoung)
    return { ...api.told(kind, young, at), next: young.length < items.length ? null : next }
  }
  return walkLists('Polar', kinds, readPage, cursor)
}
