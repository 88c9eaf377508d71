import type { Compilable, Kysely } from 'kysely'
import type { Awaitable } from '../awaitable.ts'
import type { Tables } from './tables.ts'

/** The databases that queries are built for. */
export type Dialect = 'sqlite' | 'postgres'
/** The value of a statement's parameter. undefined is stored as null, true as 1. */
export type Value = string | number | boolean | Buffer | null | undefined

/** A query compiled once. A `many` statement inserts rows, and neighbouring ones can be combined. */
export interface Statement<P extends object, R = never> {
  readonly name: string
  /** Its place in a unit, and so when it locks its rows. */
  readonly rank: number
  readonly kind: 'one' | 'many'
  /** Compiles the SQL for the given number of rows. */
  compile(rows: number): Compiled
  /**
   * Compiles a read for many sets of parameters at once, for PostgreSQL. Each parameter is an array of texts. The first
   * column of a row is the number of its set, from 1 on.
   */
  compileShared?(): Compiled
  /** The table that it writes; '' for a read. */
  readonly table: string
  /** The key that identifies a row of this statement. Rows are written, and so locked, in the order of their keys. */
  key(params: P): string
  /** Never set; carries the row type. */
  readonly row?: R
}

/** SQL and the sources of its parameters, in order. */
export interface Compiled {
  readonly sql: string
  readonly places: readonly Place[]
}

/**
 * The row and parameter of a place; a negative row means the constant. Both have one shape, because every place is read
 * on each run.
 */
export interface Place {
  readonly row: number
  readonly name: string
  readonly constant: Value
}

/** One statement of a unit. If `expectRows` differs from the number of changed rows, the unit is rolled back. */
export interface Step {
  readonly statement: Statement<never>
  readonly params: Readonly<Record<string, Value>>
  readonly expectRows?: number
}

/** A unit's steps all take effect, or none does. */
export type Unit = readonly Step[]

/** Builds a query. The parameters are placeholders that are used like values. */
export type BuildOne<P, R> = (db: Kysely<Tables>, params: P) => Compilable<R>
/** Builds an insert of several rows. */
export type BuildMany<P> = (db: Kysely<Tables>, rows: P[]) => Compilable<unknown>

/** All columns of an inserted row, and those that identify it. */
export interface RowColumns<P> {
  readonly all: readonly (keyof P & string)[]
  readonly key: readonly (keyof P & string)[]
}

/**
 * A statement's name. It runs in the place of the table that it writes (`ranks.ts`). One whose order has a meaning names
 * the table before which it runs, and the reason.
 */
export type StatementName =
  | string
  | { readonly name: string; readonly before: keyof Tables & string; readonly because: string }

/** One database, SQLite or PostgreSQL. Commits are durable, in whole units. */
export interface Storage {
  readonly dialect: Dialect
  /** The location of the data, without credentials. */
  readonly place: string
  /** Runs a rare query, built and compiled for this one time. */
  read<R>(build: (db: Kysely<Tables>) => Compilable<R>): Promise<R[]>
  /** Compiles a query once. Run it with `all`, or use it in a unit. */
  prepare<P extends object, R = never>(name: StatementName, build: BuildOne<P, R>): Statement<P, R>
  /** Compiles an insert that can also take several rows. */
  prepareMany<P extends object>(
    name: StatementName,
    columns: RowColumns<P>,
    build: BuildMany<P>,
  ): Statement<P>
  /** Runs a prepared query and returns its rows. One that writes is durable by itself. */
  all<P extends object, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  /**
   * The rows of a prepared query that only reads, by texts, for several callers, who do not change them. A file's rows
   * are returned at once, and remembered until the next write to the database by any connection. On PostgreSQL, equal
   * queries of one turn of the event loop become one, and each caller gets the rows of its own parameters.
   */
  cached<P extends Readonly<Record<keyof P, string>>, R>(
    statement: Statement<P, R>,
    params: P,
  ): Awaitable<readonly R[]>
  /**
   * Makes the unit durable, together with everything else queued in this turn of the event loop. `isAlone` is for a
   * unit that changes rows by another condition than their key: beside other units, its change could run before the
   * rows that they add.
   * @throws UnitConflict when a step's `expectRows` did not match; nothing of this unit was written
   * @throws ERR_STORAGE when the database cannot be written to
   */
  commit(unit: Unit, how?: { readonly isAlone?: boolean }): Promise<void>
  /**
   * Sends another library's statement without a name, so that it works through a pooler. Absent where the database is
   * this process's own file.
   * @throws ERR_STORAGE
   */
  readonly send?: (
    text: string,
    values: readonly unknown[],
  ) => Promise<{ rows: unknown[]; rowCount: number | null }>
  /**
   * Changes after every write: at once for this process, and from the next turn of the event loop on for another. Null
   * where only a query could tell.
   * @throws ERR_STORAGE when the database's file is gone, like every other read
   */
  revision(): number | null
  /**
   * Removes deleted data from every file of the database that this process can clear. SQLite's log is written to the
   * database, which is then rewritten (up to 32 MiB). PostgreSQL's own vacuum does it in its time.
   */
  forget(): Promise<void>
  close(): Promise<void>
}

/** Rows that a unit had read changed meanwhile. Read again and plan again. */
export class UnitConflict extends Error {
  readonly step: string
  constructor(step: string) {
    super(`changed meanwhile: ${step}`)
    this.name = 'UnitConflict'
    this.step = step
  }
}

/** Returns true once a unit is committed; false where rows that it had read changed meanwhile. */
export async function unlessConflict(committed: Promise<void>): Promise<boolean> {
  try {
    await committed
    return true
  } catch (error) {
    if (error instanceof UnitConflict) return false
    throw error
  }
}

/** Builds a step whose parameters match its statement. */
export function step<P extends object>(statement: Statement<P>, params: P, expectRows?: number): Step {
  return {
    statement: statement as unknown as Statement<never>,
    params: params as Readonly<Record<string, Value>>,
    expectRows,
  }
}
