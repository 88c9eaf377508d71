import type { ListedPage, ListFrom } from '../contract.ts'
import { type Json, str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import { walkLists } from '../walk-lists.ts'
import type { PaddleApi, PaddleKind } from './api.ts'
import { paddleWords } from './words.ts'

const lists: Readonly<Record<PaddleKind, Readonly<Record<string, string>>>> = {
  customer: { status: 'active,archived' },
  subscription: {},
  transaction: {},
  adjustment: {},
}

/** Lists everything about purchases, kind by kind and newest first. `since` compares with an object's
 *  creation. https://developer.paddle.com/api-reference/about/pagination */
export const listAll = (
  api: Pick<PaddleApi, 'page' | 'told'>,
  { since, cursor }: ListFrom = {},
  { wait }: { readonly wait?: Wait } = {},
): AsyncIterable<ListedPage> => {
  const isYoung = (raw: Json) =>
    since === undefined || Date.parse(str(raw.created_at) ?? '') >= since.getTime()
  const readPage = async (kind: PaddleKind, after: string | null) => {
    const query = { ...lists[kind], order_by: 'id[DESC]', ...(after === null ? {} : { after }) }
    const what = `${kind}s`
    const { items, at, next } = await patiently(
      paddleWords,
      what,
      () => api.page(`all ${what}`, `/${what}`, query),
      wait,
    )
    const young = items.filter(isYoung)
    // Ids begin with their time, so all that follow are older.
    return { ...api.told(kind, young, at), next: young.length < items.length ? null : next }
  }
  return walkLists('Paddle', Object.keys(lists) as PaddleKind[], readPage, cursor)
}
