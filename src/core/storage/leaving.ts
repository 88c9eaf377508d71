import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Statement, Storage } from './contract.ts'
import type { Tables } from './tables.ts'

// Tables are of different columns; which of them exist is the row type's to say.
type Untyped = Record<string, Record<string, unknown>>

/** Rows that nobody needs any more once their time is over, and the index by which they are found. */
export interface Leaving {
  readonly name: string
  readonly table: keyof Tables
  /** The columns that name a row. */
  readonly key: string | readonly string[]
  /** The column from which their time is counted; an index begins with it, or with what `among` names and then it. */
  readonly over: string
  /** Which rows, called `o`, leave at all. */
  readonly among?: (
    query: SelectQueryBuilder<Untyped, string, unknown>,
  ) => SelectQueryBuilder<Untyped, string, unknown>
}

/** Deletes what was over before a moment, a part at a time, so that others write in between. Returns how many. */
export type Leave = (before: string) => Promise<number>

/** Lets rows of one kind leave. Two processes that do it at once take different rows. */
export const createLeaving = (storage: Storage, what: Leaving): Leave => {
  const part = leavingStatement(storage, what)
  return async (before) => {
    let gone = 0
    for (;;) {
      const rows = await storage.all(part, { before })
      if (rows.length === 0) return gone
      gone += rows.length
    }
  }
}

/** One part of them, also for whoever looks at its plan. */
export const leavingStatement = (
  storage: Storage,
  { name, table, key, over, among = (query) => query }: Leaving,
): Statement<{ before: string }, object> =>
  storage.prepare(`${name}-leave`, (db, p) => {
    const untyped = db as unknown as Kysely<Untyped>
    const columns = typeof key === 'string' ? [key] : key
    const old = among(
      untyped
        .selectFrom(`${table} as o`)
        .select(columns.map((column) => `o.${column}`) as never)
        .where(`o.${over}`, '<', p.before) as never,
    )
      .orderBy(`o.${over}`)
      .limit(sql.lit(partSize))
    const isOld = storage.dialect === 'postgres' ? old.forUpdate().skipLocked() : old
    return untyped
      .deleteFrom(table)
      .where(sql`(${sql.join(columns.map((column) => sql.ref(column)))})`, 'in', isOld as never)
      .returning(columns as never) as never
  })

/** So many at a time. */
export const partSize = 500
