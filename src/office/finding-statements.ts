import { type Expression, type Kysely, sql } from 'kysely'
import { type Storage, sameAccount, type Tables } from '../core/storage/index.ts'
import { foundColumns as columns, type FoundMember } from '../memberships/members/index.ts'
import type { Key } from './walking-statements.ts'

/** The office's lists. Each reads by index, or within a window of fixed size. */
export function findingStatements({ read }: Pick<Storage, 'read'>) {
  const byIds = async (ids: readonly string[]): Promise<FoundMember[]> =>
    ids.length === 0 ? [] : read((db) => db.selectFrom('members').select(columns).where('id', 'in', ids))

  /** Lists all members, newest first. */
  const newest = (after: { at: string; id: string } | null, limit: number): Promise<FoundMember[]> =>
    read((db) =>
      db
        .selectFrom('members')
        .select(columns)
        .where('merged_into', 'is', null)
        .$if(after !== null, (query) =>
          query.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('created_at', 'id'), '<', tuple(after!.at, after!.id)),
          ),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit),
    )

  /**
   * Lists subscriptions of one status with their members, a window at a time. The filter selects all, those with a
   * planned end, those of members without another one, or continuing trials that end by a moment.
   */
  const ofStatus = (
    status: string,
    after: Key,
    limit: number,
    only: 'all' | 'stopping' | 'former' = 'all',
    trialEndsBy?: string,
  ) =>
    read((db) =>
      db
        .selectFrom('subscriptions as s')
        .innerJoin('customers as c', (join) =>
          sameAccount(join, 'c', 's').onRef('c.customer_id', '=', 's.owner_id'),
        )
        .select(['s.provider', 's.account', 's.id', 's.data', 'c.member_id'])
        .where('s.status', '=', sql.lit(status))
        .$if(only === 'stopping', (query) => query.where('s.ending', '=', sql.lit(1)))
        .$if(only === 'former', (query) =>
          query.where(({ not, exists, ref }) => not(exists(living(db, ref('c.member_id'))))),
        )
        .$if(trialEndsBy !== undefined, (query) =>
          query.where('s.trial_ends_at', '<=', trialEndsBy!).where('s.ending', '=', sql.lit(0)),
        )
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
    )

  /** Lists members with current access given by hand. */
  const given = (now: string, after: string, limit: number) =>
    read((db) =>
      db
        .selectFrom('grants')
        .select('member_id')
        .distinct()
        .where('revoked_at', 'is', null)
        .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
        .where('source', '!=', 'paid')
        .where('member_id', '>', after)
        .orderBy('member_id')
        .limit(limit),
    )

  /** Reads the holdings of several members in one query. */
  const holdingsOf = async (ids: readonly string[]): Promise<{ member_id: string; data: string }[]> =>
    ids.length === 0
      ? []
      : read((db) =>
          db
            .selectFrom('customers as c')
            .innerJoin('subscriptions as s', (join) =>
              sameAccount(join, 's', 'c').onRef('s.owner_id', '=', 'c.customer_id'),
            )
            .select(({ ref }) => [ref('c.member_id').$castTo<string>().as('member_id'), 's.data'])
            .where('c.member_id', 'in', ids),
        )

  /** Reads what several members bought once and kept, newest first, in one query. */
  const purchasesOf = async (ids: readonly string[]): Promise<{ member_id: string; data: string }[]> =>
    ids.length === 0
      ? []
      : read((db) =>
          db
            .selectFrom('customers as c')
            .innerJoin('payments as p', (join) =>
              sameAccount(join, 'p', 'c').onRef('p.owner_id', '=', 'c.customer_id'),
            )
            .select(({ ref }) => [ref('c.member_id').$castTo<string>().as('member_id'), 'p.data'])
            .where('c.member_id', 'in', ids)
            .where('p.subscription_id', 'is', null)
            .where('p.status', 'in', ['paid', 'partially_refunded']),
        )

  return {
    byIds,
    newest,
    ofStatus,
    given,
    holdingsOf,
    purchasesOf,
  }
}
export type FindingStatements = ReturnType<typeof findingStatements>

/** A member's living subscriptions, under aliases that do not collide with the listed ones. */
export function living(db: Kysely<Tables>, memberId: Expression<string | null>) {
  return db
    .selectFrom('customers as own')
    .innerJoin('subscriptions as other', (join) =>
      sameAccount(join, 'other', 'own').onRef('other.owner_id', '=', 'own.customer_id'),
    )
    .select('other.id')
    .where('own.member_id', '=', memberId)
    .where('other.status', 'not in', ['canceled', 'expired', 'incomplete'])
}
