import type { Change, ListedPage, ListFrom } from '../contract.ts'
import { type Json, str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import { walkLists } from '../walk-lists.ts'
import type { List, MollieApi } from './api.ts'
import { objectChanges } from './changes.ts'
import type { MollieFetch } from './fetch.ts'
import { mollieWords } from './words.ts'

const names = ['customers', 'subscriptions', 'payments', 'refunds', 'chargebacks'] as const
type Name = (typeof names)[number] & List['name']

/** Lists everything about purchases, kind by kind and newest first. `since` compares with an object's
 *  creation. A failed page is requested again. A subscription is read with its payments, so a page has few
 *  of them. */
export const listAll = (
  api: MollieApi,
  fetch: MollieFetch,
  { since, cursor }: ListFrom = {},
  { wait, pageSize = 50 }: { readonly wait?: Wait; readonly pageSize?: number } = {},
): AsyncIterable<ListedPage> => {
  const isYoung = ({ createdAt }: Json): boolean =>
    since === undefined || !(Date.parse(str(createdAt) ?? '') < since.getTime())
  const patient = <T>(what: string, ask: () => Promise<T>) => patiently(mollieWords, what, ask, wait)
  const changesOf = async (name: Name, raw: Json, at: string): Promise<readonly Change[]> =>
    name === 'subscriptions'
      ? (await patient(name, () => fetch.told({ raw, at }))).changes
      : objectChanges(raw, { at })

  const readPage = async (name: Name, after: string | null) => {
    const { items, at, next } = await patient(name, () =>
      api.page(`all ${name}`, { path: `/${name}`, name }, after, pageSize),
    )
    const young = items.filter(isYoung)
    const changes: Change[] = []
    for (const raw of young) changes.push(...(await changesOf(name, raw, at)))
    // Touched objects are already here, or come in another list.
    const ownChanges = changes.filter(({ type }) => type !== 'touch')
    return { changes: ownChanges, at, next: young.length < items.length ? null : next }
  }
  return walkLists('Mollie', names, readPage, cursor)
}
