import { sql } from 'kysely'
import { type Storage, sameAccount } from '../../core/storage/index.ts'

/** A place in the list of subscriptions. */
export interface SubscriptionPlace {
  readonly provider: string
  readonly account: string
  readonly id: string
}

/** A subscription with the member who holds it. */
export interface HeldSubscription extends SubscriptionPlace {
  readonly member_id: string
  readonly status: string
  readonly data: string
  readonly sold: string | null
}

/** Statements that find members by their subscriptions. Each reads by index. */
export function holderStatements({ read }: Pick<Storage, 'read'>) {
  return {
    /** Lists the subscriptions of one status that a member holds, after a place. */
    ofStatus: (
      status: string,
      after: SubscriptionPlace,
      limit: number,
    ): Promise<(SubscriptionPlace & { readonly member_id: string })[]> =>
      read((db) =>
        db
          .selectFrom('subscriptions as s')
          .innerJoin('customers as c', (join) =>
            sameAccount(join, 'c', 's').onRef('c.customer_id', '=', 's.owner_id'),
          )
          .select(['s.provider', 's.account', 's.id'])
          .select(({ ref }) => ref('c.member_id').$castTo<string>().as('member_id'))
          .where('s.status', '=', sql.lit(status))
          .where('c.member_id', 'is not', null)
          .where(({ eb, refTuple, tuple }) =>
            eb(
              refTuple('s.provider', 's.account', 's.id'),
              '>',
              tuple(after.provider, after.account, after.id),
            ),
          )
          .orderBy('s.status')
          .orderBy('s.provider')
          .orderBy('s.account')
          .orderBy('s.id')
          .limit(limit),
      ),
    /** Reads every subscription of some members. */
    heldBy: async (ids: readonly string[]): Promise<HeldSubscription[]> =>
      ids.length === 0
        ? []
        : read((db) =>
            db
              .selectFrom('customers as c')
              .innerJoin('subscriptions as s', (join) =>
                sameAccount(join, 's', 'c').onRef('s.owner_id', '=', 'c.customer_id'),
              )
              .select(({ ref }) => ref('c.member_id').$castTo<string>().as('member_id'))
              .select(['s.provider', 's.account', 's.id', 's.status', 's.data', 's.sold'])
              .where('c.member_id', 'in', ids),
          ),
  }
}
