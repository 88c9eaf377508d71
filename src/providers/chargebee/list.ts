import type { Change, ListedPage, ListFrom } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import { walkLists } from '../walk-lists.ts'
import { type ChargebeeApi, plannedFor } from './api.ts'
import { objectChanges } from './changes.ts'
import { chargebeeWords } from './words.ts'

type Kind = 'customer' | 'subscription' | 'invoice' | 'transaction'

interface Listed {
  /** Field with an object's age. */
  readonly born: string
  readonly query: Readonly<Record<string, string>>
}

// https://apidocs.chargebee.com/docs/api/subscriptions/list-subscriptions and its like
const lists: Readonly<Record<Kind, Listed>> = {
  customer: { born: 'created_at', query: { include_deleted: 'true' } },
  subscription: { born: 'created_at', query: { include_deleted: 'true' } },
  invoice: { born: 'date', query: { include_deleted: 'true' } },
  // Invoices contain the payments.
  transaction: { born: 'date', query: { 'type[is]': 'refund', include_deleted: 'true' } },
}

/** Lists everything about purchases, kind by kind. `since` compares with an object's creation. */
export const listAll = (
  api: Pick<ChargebeeApi, 'page' | 'read'>,
  { since, cursor }: ListFrom = {},
  { wait }: { readonly wait?: Wait } = {},
): AsyncIterable<ListedPage> => {
  const readPage = async (kind: Kind, offset: string | null) => {
    const { born, query } = lists[kind]
    const patient = <T>(ask: () => Promise<T>) => patiently(chargebeeWords, `${kind}s`, ask, wait)
    const young =
      since === undefined ? {} : { [`${born}[after]`]: String(Math.floor(since.getTime() / 1000) - 1) }
    const asked = { ...query, ...young, ...(offset === null ? {} : { offset }) }
    const { items, at, next } = await patient(() => api.page(`all ${kind}s`, `/${kind}s`, asked))
    const changes: Change[] = []
    for (const item of items) {
      const raw = obj(item.subscription)
      const planned = await patient(() => plannedFor(api.read, raw))
      // A customer is listed beside each of its subscriptions and in a list of its own.
      changes.push(...objectChanges({ [kind]: item[kind] }, { [str(raw.id) ?? '']: planned }))
    }
    return { changes, at, next }
  }
  return walkLists('Chargebee', Object.keys(lists) as Kind[], readPage, cursor)
}
