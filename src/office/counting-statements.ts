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
export async function countMembers(
  { read }: Pick<Storage, 'read'>,
  { statuses, only, trialEndsBy }: CountedOf,
  most: number,
): Promise<number> {
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

/**
 * Counts redeemed gifts whose time runs at a moment. A running gift is due at its end. The grants are looked up by their
 * keys, because PostgreSQL joins the two columns along no index.
 */
export async function countRunningGifts({ read }: Pick<Storage, 'read'>, at: string): Promise<number> {
  const part = (after: { created_at: string; id: string }) =>
    read((db) =>
      db
        .selectFrom('gifts')
        .select(['created_at', 'id', 'grant_id'])
        .where('status', '=', sql.lit('redeemed'))
        .where('look_at', 'is not', null)
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '>', tuple(after.created_at, after.id)),
        )
        .orderBy('created_at')
        .orderBy('id')
        .limit(partSize),
    )
  const running = (ids: readonly string[]) =>
    read((db) =>
      db
        .selectFrom('grants')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .where('id', 'in', ids)
        .where('revoked_at', 'is', null)
        .where('starts_at', '<=', at)
        .where('expires_at', '>', at),
    )
  let count = 0
  for (let after = { created_at: '', id: '' }; ; ) {
    const gifts = await part(after)
    const ids = gifts.flatMap(({ grant_id }) => grant_id ?? [])
    if (ids.length > 0) count += Number((await running(ids))[0]?.count ?? 0)
    if (gifts.length < partSize) return count
    after = gifts.at(-1)!
  }
}

/** Counts the seats that people have in the groups of these subscriptions. */
export async function countTakenSeats(
  { read }: Pick<Storage, 'read'>,
  subscriptions: readonly Key[],
): Promise<number> {
  const accounts = new Map<string, Key[]>()
  for (const key of subscriptions) {
    const account = `${key.provider}\u0000${key.account}`
    const own = accounts.get(account) ?? []
    own.push(key)
    accounts.set(account, own)
  }
  let count = 0
  for (const own of accounts.values())
    for (let from = 0; from < own.length; from += partSize) {
      const { provider, account } = own[0]!
      const ids = own.slice(from, from + partSize).map(({ id }) => id)
      const [row] = await read((db) =>
        db
          .selectFrom('group_seats')
          .select(({ fn }) => fn.countAll<number | string>().as('count'))
          .where('subscription_id', 'in', ids)
          .where('provider', '=', provider)
          .where('account', '=', account)
          .where('status', '=', sql.lit('joined')),
      )
      count += Number(row?.count ?? 0)
    }
  return count
}
