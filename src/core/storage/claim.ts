import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { type Statement, type Storage, step } from './contract.ts'
import type { Tables } from './tables.ts'

// Queues are of different tables; what the columns hold is the row type's to say.
type Untyped = Record<string, Record<string, unknown>>

/** Rows that are worked off when their time comes, and how they are found. */
export interface Queue<R> {
  readonly name: string
  readonly table: keyof Tables
  readonly key: readonly (keyof R & string)[]
  /** The column that says when a row is due; moved ahead, it says until when somebody has it. */
  readonly due: string
  readonly columns: readonly (keyof R & string)[]
  /** The column that each claim raises by one, where tries are counted so. */
  readonly attempts?: string
  /** Which rows, called `o`, are to be had at all, whatever their time. */
  readonly among?: (
    query: SelectQueryBuilder<Untyped, string, unknown>,
  ) => SelectQueryBuilder<Untyped, string, unknown>
  /** For how long somebody has what is claimed. */
  readonly leaseMs: number
  /** The longest that a row of this queue waits for its next try. What is due later than that got its time from a wrong
   *  clock, and is due at once. */
  readonly longestMs?: number
}

/** Hands out at most so many due rows, each once, whoever asks. */
export type Claim<R> = (now: Date, limit: number) => Promise<R[]>

/**
 * One way for every queue to share its work between processes. PostgreSQL passes over the rows that others are taking
 * at this moment; SQLite has one writer.
 */
export const createClaim = <R extends object>(storage: Storage, queue: Queue<R>): Claim<R> => {
  const { claim, recall } = claimStatements(storage, queue)
  const after = (now: Date, ms: number) => new Date(now.getTime() + ms).toISOString()
  let recalledAt = Number.NEGATIVE_INFINITY

  return async (now, limit) => {
    if (queue.longestMs !== undefined && Math.abs(now.getTime() - recalledAt) >= everyMs) {
      recalledAt = now.getTime()
      const beyond = after(now, queue.longestMs + skewMs)
      await storage.commit([step(recall, { now: now.toISOString(), beyond })])
    }
    if (limit < 1) return []
    return storage.all(claim, { now: now.toISOString(), until: after(now, queue.leaseMs), limit })
  }
}

const everyMs = 60_000
// Between the clocks of two machines.
const skewMs = 120_000

/** The queries behind a claim, also for whoever looks at their plans. */
export const claimStatements = <R extends object>(storage: Storage, queue: Queue<R>) => {
  const { name, table, key, due, columns, attempts, among = (query) => query } = queue
  const isPostgres = storage.dialect === 'postgres'
  const taking = (db: Kysely<Untyped>, operator: '<=' | '>', moment: string) =>
    among(
      db
        .selectFrom(`${table} as o`)
        .select(key.map((column) => `o.${column}`) as never)
        .where(`o.${due}`, operator, moment) as never,
    )
  const isTaken = (taken: unknown) => (eb: { refTuple: unknown } & ((...args: never[]) => never)) =>
    key.length === 1
      ? eb(key[0] as never, 'in' as never, taken as never)
      : eb((eb.refTuple as (...refs: string[]) => never)(...key), 'in' as never, taken as never)
  const untyped = (db: unknown) => db as Kysely<Untyped>

  const claim: Statement<{ now: string; until: string; limit: number }, R> = storage.prepare(
    `${name}-claim`,
    (db, p) => {
      const first = taking(untyped(db), '<=', p.now).orderBy(`o.${due}`).limit(p.limit)
      return untyped(db)
        .updateTable(table)
        .set({ [due]: p.until, ...(attempts ? { [attempts]: sql`${sql.ref(attempts)} + 1` } : {}) })
        .where(isTaken(isPostgres ? first.forUpdate().skipLocked() : first) as never)
        .returning(columns as never) as never
    },
  )
  const recall: Statement<{ now: string; beyond: string }> = storage.prepare(
    `${name}-recall`,
    (db, p) =>
      untyped(db)
        .updateTable(table)
        .set({ [due]: p.now })
        .where(isTaken(taking(untyped(db), '>', p.beyond)) as never) as never,
  )
  return { claim, recall }
}
