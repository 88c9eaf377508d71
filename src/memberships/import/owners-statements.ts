import type { Storage } from '../../core/storage/index.ts'
import { livingStatuses, type Place } from '../sync/index.ts'

/** A buyer at a provider, and the account that owns the purchase. */
export interface OwnerRow {
  readonly customer_id: string
  readonly email: string | null
  readonly member_id: string | null
  /** The creator of that member's account; null for a purchase without an owner. */
  readonly made_by: string | null
  /** When that member was deleted. */
  readonly left_at: string | null
}

export interface OwnerQueries {
  /** Reads a page of buyers, after an id. */
  buyers(place: Pick<Place, 'key' | 'account'>, after: string): Promise<OwnerRow[]>
  /** Finds the account with an address, proved or not. */
  holderOf(email: string): Promise<{ email_verified: number; created_by: string | null } | null>
  livingOf(place: Pick<Place, 'key' | 'account'>, owner_id: string): Promise<string[]>
}

/** Queries about the owners at one provider account. */
export function createOwnerQueries(storage: Storage): OwnerQueries {
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

/** Owners per page. */
export const ownersAPage = 500
