import type { ListedPage, ListFrom } from '../contract.ts'
import { listByKind } from '../list.ts'
import { obj, str } from '../narrow.ts'
import { besideOf, type ChargebeeApi } from './api.ts'
import { objectChanges } from './changes.ts'
import type { Content } from './payload.ts'

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
export function listAll(api: ChargebeeApi, from: ListFrom = {}): AsyncIterable<ListedPage> {
  const youngerThan = (born: string) =>
    from.since === undefined
      ? {}
      : { [`${born}[after]`]: String(Math.floor(from.since.getTime() / 1000) - 1) }
  return listByKind<Record<Kind, Content>>(
    {
      words: api.words,
      kinds: Object.keys(lists) as Kind[],
      page: (kind, after) => {
        const { born, query } = lists[kind]
        return api.page(`all ${kind}s`, `/${kind}s`, { ...query, ...youngerThan(born) }, after)
      },
      toChanges: async (kind, items, { patient }) => {
        const changes = []
        for (const item of items) {
          const raw = obj(item.subscription)
          const beside = await patient(`${kind}s`, () => besideOf(api, raw))
          // A customer is listed beside each of its subscriptions and in a list of its own.
          changes.push(...objectChanges(only(kind, item), { [str(raw.id) ?? '']: beside }))
        }
        return changes
      },
    },
    from,
  )
}

function only(kind: Kind, item: Content): Content {
  return { [kind]: item[kind] }
}
