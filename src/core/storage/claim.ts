import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { type Statement, type Storage, step } from './contract.ts'
import type { Tables } from './tables.ts'

// Queues belong to different tables. The row type describes their columns.
type Untyped = Record<string, Record<string, unknown>>

/** A queue of rows that are worked off when due. */
export interface Queue<R> {
  readonly name: string
  readonly table: keyof Tables
  readonly key: readonly (keyof R & string)[]
  /** The column with a row's due time. A claim moves it ahead, to the end of the lease. */
  readonly due: string
  readonly columns: readonly (keyof R & string)[]
  /** The column that counts tries, raised by each claim. */
  readonly attempts?: string
  /** Restricts the rows, called `o`, that can be claimed at all. */
  readonly among?: (
    query: SelectQueryBuilder<Untyped, string, unknown>,
  ) => SelectQueryBuilder<Untyped, string, unknown>
  /** How long a claim holds a row. */
  readonly leaseMs: number
  /**
   * The longest that a row of this queue waits for its next try. A later due time came from a wrong clock, and the row
   * counts as due.
   */
  readonly longestMs?: number
}

/** Returns at most `limit` due rows. Each goes to one caller only. */
export type Claim<R> = (now: Date, limit: number) => Promise<R[]>

/**
 * Shares a queue's work between processes. PostgreSQL skips rows that others are claiming at this moment; SQLite has a
 * single writer.
 */
export function createClaim<R extends object>(storage: Storage, queue: Queue<R>): Claim<R> {
  const { claim, recall, due, late } = claimStatements(storage, queue)
  const after = (now: Date, ms: number) => new Date(now.getTime() + ms).toISOString()
  let recalledAt = Number.NEGATIVE_INFINITY
  // On SQLite even a statement that changes nothing waits for the only writer, and a look waits for nobody.
  const isThere = async <P extends object>(statement: Statement<P, unknown>, params: P): Promise<boolean> =>
    storage.dialect !== 'sqlite' || (await storage.all(statement, params)).length > 0

  return async (now, limit) => {
    if (queue.longestMs !== undefined && Math.abs(now.getTime() - recalledAt) >= everyMs) {
      recalledAt = now.getTime()
      const beyond = after(now, queue.longestMs + skewMs)
      if (await isThere(late, { beyond }))
        await storage.commit([step(recall, { now: now.toISOString(), beyond })])
    }
    if (limit < 1) return []
    if (!(await isThere(due, { now: now.toISOString() }))) return []
    return storage.all(claim, { now: now.toISOString(), until: after(now, queue.leaseMs), limit })
  }
}

const everyMs = 60_000
// The tolerated difference between the clocks of two machines.
const skewMs = 120_000

/** The statements of a claim, also for tests of their query plans. */
export function claimStatements<R extends object>(storage: Storage, queue: Queue<R>) {
  const { name, table, key, columns, attempts, among = (query) => query } = queue
  const isPostgres = storage.dialect === 'postgres'
  const taking = (db: Kysely<Untyped>, operator: '<=' | '>', moment: string) =>
    among(
      db
        .selectFrom(`${table} as o`)
        .select(key.map((column) => `o.${column}`) as never)
        .where(`o.${queue.due}`, operator, moment) as never,
    )
  const isTaken = (taken: unknown) => (eb: { refTuple: unknown } & ((...args: never[]) => never)) =>
    key.length === 1
      ? eb(key[0] as never, 'in' as never, taken as never)
      : eb((eb.refTuple as (...refs: string[]) => never)(...key), 'in' as never, taken as never)
  const untyped = (db: unknown) => db as Kysely<Untyped>

  const claim: Statement<{ now: string; until: string; limit: number }, R> = storage.prepare(
    `${name}-claim`,
    (db, p) => {
      const first = taking(untyped(db), '<=', p.now).orderBy(`o.${queue.due}`).limit(p.limit)
      return untyped(db)
        .updateTable(table)
        .set({ [queue.due]: p.until, ...(attempts ? { [attempts]: sql`${sql.ref(attempts)} + 1` } : {}) })
        .where(isTaken(isPostgres ? first.forUpdate().skipLocked() : first) as never)
        .returning(columns as never) as never
    },
  )
  const due: Statement<{ now: string }, unknown> = storage.prepare(
    `${name}-due`,
    (db, p) => taking(untyped(db), '<=', p.now).limit(1) as never,
  )
  const late: Statement<{ beyond: string }, unknown> = storage.prepare(
    `${name}-late`,
    (db, p) => taking(untyped(db), '>', p.beyond).limit(1) as never,
  )
  const recall: Statement<{ now: string; beyond: string }> = storage.prepare(
    `${name}-recall`,
    (db, p) =>
      untyped(db)
        .updateTable(table)
        .set({ [queue.due]: p.now })
        .where(isTaken(taking(untyped(db), '>', p.beyond)) as never) as never,
  )
  return { claim, recall, due, late }
}
