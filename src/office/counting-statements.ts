import { sql } from 'kysely'
import type { Storage } from '../core/storage/index.ts'
import { living } from './finding-statements.ts'
import type { Key } from './walking-statements.ts'

/** Which subscriptions are counted: of these statuses, and of those whose trial ends until a moment, which are to end, or
 *  whose members have no other that goes on. */
export interface CountedOf {
  readonly statuses: readonly string[]
  readonly only?: 'stopping' | 'former'
  readonly trialEndsBy?: string
}

/** Small enough that no plan is worth reading more than its part. */
const partSize = 250

/**
 * Counts the members with such subscriptions, `most` at the most: nothing that is stored of a subscription leaves
 * the database. Beyond a part the subscriptions are counted, of which nearly every member has one; whose they are is
 * asked of fewer.
 */
export const countMembers = async (
  { read }: Pick<Storage, 'read'>,
  { statuses, only, trialEndsBy }: CountedOf,
  most: number,
): Promise<number> => {
  // In the order of the index, or PostgreSQL would rather read the table until there are as many.
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
  // A part is cut before it is joined, or PostgreSQL joins everything for it, several processes at once.
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
          join
            .onRef('c.provider', '=', 'part.provider')
            .onRef('c.account', '=', 'part.account')
            .onRef('c.customer_id', '=', 'part.owner_id'),
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
