import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Statement, Storage } from './contract.ts'
import type { Tables } from './tables.ts'

// Tables have different columns. The row type says which exist.
type Untyped = Record<string, Record<string, unknown>>

/** Rows that can be deleted once they are over, and the index that finds them. */
export interface Leaving {
  readonly name: string
  readonly table: keyof Tables
  /** The columns that identify a row. */
  readonly key: string | readonly string[]
  /** The column with the time that counts. An index begins with it, or with the columns of `among` followed by it. */
  readonly over: string
  /** Restricts the rows, called `o`, that are deleted at all. */
  readonly among?: (
    query: SelectQueryBuilder<Untyped, string, unknown>,
  ) => SelectQueryBuilder<Untyped, string, unknown>
}

/**
 * Deletes rows that were over before a moment, in batches, so that others can write in between. Returns the number
 * deleted.
 */
export type Leave = (before: string) => Promise<number>

/** Deletes old rows of one kind. Two processes at once delete different rows. */
export function createLeaving(storage: Storage, what: Leaving): Leave {
  const part = leavingStatement(storage, what)
  return async (before) => {
    let deleted = 0
    for (;;) {
      const rows = await storage.all(part, { before })
      if (rows.length === 0) return deleted
      deleted += rows.length
    }
  }
}

/** The statement for one batch, also for tests of its query plan. */
export function leavingStatement(
  storage: Storage,
  { name, table, key, over, among = (query) => query }: Leaving,
): Statement<{ before: string }, object> {
  return storage.prepare(`${name}-leave`, (db, p) => {
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
}

/** Rows per batch. */
export const partSize = 500
