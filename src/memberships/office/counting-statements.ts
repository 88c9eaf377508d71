import { sql } from 'kysely'
import { type Storage, stopping } from '../../core/storage/index.ts'
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

/** How many members have such subscriptions, `most` at the most: none of what is stored of a subscription leaves the database.
 *  Of more than a part the subscriptions are counted, which are one each but for few; whose they are is asked of fewer. */
export const countMembers = async (
  { read, dialect }: Pick<Storage, 'read' | 'dialect'>,
  { statuses, only, trialEndsBy }: CountedOf,
  most: number,
): Promise<number> => {
  const position = sql.raw(dialect === 'sqlite' ? 'instr' : 'strpos')
  // Read as text: PostgreSQL refuses, as JSON, what a provider's text may hold. A moment has 24 characters.
  const name = '"trial_ends_at":"'
  const endsBy = (at: string) =>
    sql<boolean>`(${position}(s.data, ${name}) > 0 and substr(s.data, ${position}(s.data, ${name}) + ${name.length}, 24) <= ${at})`
  // In the order of the index, or PostgreSQL would rather read the table until there are as many.
  const subscriptions = (status: string, limit: number) =>
    read((db) =>
      db
        .selectFrom(
          db
            .selectFrom('subscriptions as s')
            .select('s.id')
            .where('s.status', '=', sql.lit(status))
            .$if(only === 'stopping', (query) => query.where(stopping(dialect, 's.')))
            .$if(trialEndsBy !== undefined, (query) =>
              query.where(endsBy(trialEndsBy!)).where(({ not }) => not(stopping(dialect, 's.'))),
            )
            .orderBy('s.status')
            .orderBy('s.provider')
            .orderBy('s.account')
            .orderBy('s.id')
            .limit(limit)
            .as('some'),
        )
        .select(({ fn }) => fn.countAll<number | string>().as('count')),
    )
  const part = (status: string, after: Key) =>
    read((db) =>
      db
        .selectFrom('subscriptions as s')
        .innerJoin('customers as c', (join) =>
          join
            .onRef('c.provider', '=', 's.provider')
            .onRef('c.account', '=', 's.account')
            .onRef('c.customer_id', '=', 's.owner_id'),
        )
        .select(['s.provider', 's.account', 's.id', 'c.member_id'])
        .where('s.status', '=', sql.lit(status))
        .$if(only === 'stopping', (query) => query.where(stopping(dialect, 's.')))
        .$if(only === 'former', (query) =>
          query.where(({ not, exists, ref }) => not(exists(living(db, ref('c.member_id'))))),
        )
        .$if(trialEndsBy !== undefined, (query) =>
          query.where(endsBy(trialEndsBy!)).where(({ not }) => not(stopping(dialect, 's.'))),
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
        .limit(partSize),
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
      for (const { member_id } of rows) if (member_id !== null) found.add(member_id)
      if (rows.length < partSize) break
      after = rows.at(-1)!
    }
  return found.size
}
