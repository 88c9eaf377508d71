import type { Storage } from '../../core/storage/index.ts'
import type { Place } from '../sync/compare-places.ts'
import { livingStatuses } from '../sync/compare-statements.ts'

/** Somebody who bought something at a provider, and the account that it belongs to. */
export interface OwnerRow {
  readonly customer_id: string
  readonly email: string | null
  readonly member_id: string | null
  /** The maker of that member's account; null where the purchase is nobody's. */
  readonly made_by: string | null
  /** When that member left. */
  readonly left_at: string | null
}

/** The questions of an import about the owners at one account of a provider. */
export const createOwnerQueries = (storage: Storage) => {
  /** A page of those who bought something, after an id. */
  const buyers = ({ key, account }: Pick<Place, 'key' | 'account'>, after: string): Promise<OwnerRow[]> =>
    storage.read((db) =>
      db
        .selectFrom('customers as c')
        .leftJoin('members as m', 'm.id', 'c.member_id')
        .leftJoin('deletions as d', 'd.member_id', 'c.member_id')
        .select([
          'c.customer_id',
          'c.email',
          'c.member_id',
          'm.created_by as made_by',
          'd.done_at as left_at',
        ])
        .where('c.provider', '=', key)
        .where('c.account', '=', account)
        .where('c.purchased', '=', 1)
        .where('c.customer_id', '>', after)
        .orderBy('c.customer_id')
        .limit(ownersAPage),
    )

  /** The account that has an address, proved or not. */
  const holderOf = async (email: string) => {
    const [row] = await storage.read((db) =>
      db.selectFrom('members').select(['email_verified', 'created_by']).where('email', '=', email),
    )
    return row ?? null
  }

  const livingOf = async (
    { key, account }: Pick<Place, 'key' | 'account'>,
    owner_id: string,
  ): Promise<string[]> => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('subscriptions')
        .select('id')
        .where('provider', '=', key)
        .where('account', '=', account)
        .where('owner_id', '=', owner_id)
        .where('status', 'in', livingStatuses),
    )
    return rows.map(({ id }) => id)
  }

  return { buyers, holderOf, livingOf }
}

/** The number of owners that are read at once. */
export const ownersAPage = 500
