import type { Storage } from '../../core/storage/index.ts'
import type { Place } from './compare-places.ts'

/** What a comparison asks of our own books. */
export const compareQuestions = (storage: Storage) => {
  /** A page of the subscriptions that are not over, after an id. */
  const living = ({ key, account }: Place, after: string) =>
    storage.read((db) =>
      db
        .selectFrom('subscriptions')
        .select('id')
        .where('provider', '=', key)
        .where('account', '=', account)
        .where('id', '>', after)
        .where('status', 'in', livingStatuses)
        .orderBy('id')
        .limit(pageSize),
    )

  const countLiving = async ({ key, account }: Place): Promise<number> => {
    const [row] = await storage.read((db) =>
      db
        .selectFrom('subscriptions')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('provider', '=', key)
        .where('account', '=', account)
        .where('status', 'in', livingStatuses),
    )
    return Number(row?.count ?? 0)
  }

  const ownersOf = async ({ key, account }: Place, memberId: string): Promise<string[]> => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('customers')
        .select('customer_id')
        .where('provider', '=', key)
        .where('account', '=', account)
        .where('member_id', '=', memberId),
    )
    return rows.map((row) => row.customer_id)
  }

  const subscriptionsOf = async ({ key, account }: Place, owners: readonly string[]): Promise<string[]> => {
    if (owners.length === 0) return []
    const rows = await storage.read((db) =>
      db
        .selectFrom('subscriptions')
        .select('id')
        .where('provider', '=', key)
        .where('account', '=', account)
        .where('owner_id', 'in', owners),
    )
    return rows.map(({ id }) => id)
  }

  return { living, countLiving, ownersOf, subscriptionsOf }
}

/** How many are read at once. */
export const pageSize = 500
const livingStatuses = ['trialing', 'active', 'past_due'] as const
