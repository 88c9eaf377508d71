import { sql } from 'kysely'
import { type Storage, sameAccount } from '../core/storage/index.ts'
import { living } from './finding-statements.ts'
import type { Key } from './walking-statements.ts'

/**
 * Selects the subscriptions to count by status. Optionally only those that end, those of members without another, or
 * trials that end by a moment.
 */
export interface CountedOf {
  readonly statuses: readonly string[]
  readonly only?: 'stopping' | 'former'
  readonly trialEndsBy?: string
}

/** Small enough that the database always reads just a part. */
const partSize = 250

/**
 * Counts the members with such subscriptions, up to `most`. No stored subscription leaves the database. Above one part
 * it counts subscriptions instead, because nearly every member has only one; their members are looked up only for
 * smaller numbers.
 */
export const countMembers = async (
  { read }: Pick<Storage, 'read'>,
  { statuses, only, trialEndsBy }: CountedOf,
  most: number,
): Promise<number> => {
  // Ordered like the index. Otherwise PostgreSQL would scan the table until it has enough rows.
  const subscriptions = (status: string, limit: number) =>
    read((db) =>
      db
        .selectFrom(
          db
            .selectFrom('subscriptions as s')
            .select('s.id')
            .where('s.status', '=', sql.lit(status))
            .$if(only === 'stopping', (query) => query.where('s.ending', '=', sql.lit(1)))
            .$if(trialEndsBy !== undefined, (query) =>
              query.where('s.trial_ends_at', '<=', trialEndsBy!).where('s.ending', '=', sql.lit(0)),
            )
            .$if(trialEndsBy !== undefined, (query) => query.orderBy('s.trial_ends_at'))
            .$if(trialEndsBy === undefined, (query) => query.orderBy('s.status'))
            .orderBy('s.provider')
            .orderBy('s.account')
            .orderBy('s.id')
            .limit(limit)
            .as('some'),
        )
        .select(({ fn }) => fn.countAll<number | string>().as('count')),
    )
  // The part is limited before the join. Otherwise PostgreSQL joins everything, with several processes at once.
  const part = (status: string, after: Key) =>
    read((db) =>
      db
        .selectFrom(
          db
            .selectFrom('subscriptions as s')
            .select(['s.provider', 's.account', 's.id', 's.owner_id'])
            .where('s.status', '=', sql.lit(status))
            .$if(only === 'stopping', (query) => query.where('s.ending', '=', sql.lit(1)))
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
            .limit(partSize)
            .as('part'),
        )
        .leftJoin('customers as c', (join) =>
          sameAccount(join, 'c', 'part').onRef('c.customer_id', '=', 'part.owner_id'),
        )
        .select(['part.provider', 'part.account', 'part.id', 'c.member_id'])
        .$if(only === 'former', (query) =>
          query.select(({ exists, ref }) => exists(living(db, ref('c.member_id'))).as('goes_on')),
        )
        .orderBy('part.provider')
        .orderBy('part.account')
        .orderBy('part.id'),
    )

  if (only !== 'former') {
    let count = 0
    for (const status of statuses)
      if (count < most) count += Number((await subscriptions(status, most - count))[0]?.count ?? 0)
    if (count > partSize) return count
  }
  const found = new Set<string>()
  for (const status of statuses)
    for (let after: Key = { provider: '', account: '', id: '' }; found.size < most; ) {
      const rows = await part(status, after)
      for (const { member_id, goes_on } of rows) if (member_id !== null && !goes_on) found.add(member_id)
      if (rows.length < partSize) break
      after = rows.at(-1)!
    }
  return found.size
}
