import type { Compilable, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** The databases that queries are built for. */
export type Dialect = 'sqlite' | 'postgres'
/** The value of a statement's parameter: undefined is stored as null, true as 1. */
export type Value = string | number | boolean | Buffer | null | undefined

/** A query compiled once. `many` statements insert rows and may be folded with their neighbours' into one. */
export interface Statement<P extends object, R = never> {
  readonly name: string
  /** When it locks its rows; null for one that locks none, or after all others. */
  readonly lock: LockStep | null
  readonly kind: 'one' | 'many'
  /** The compiled SQL for so many rows. */
  compile(rows: number): Compiled
  /** The table that it writes to, '' where it only reads. */
  readonly table: string
  /** The key by which a row of this statement is the same row: the order in which rows are written, and so locked. */
  key(params: P): string
  /** Never set; carries the row type. */
  readonly row?: R
}

/** SQL, and where its parameters come from, in their order. */
export interface Compiled {
  readonly sql: string
  readonly places: readonly Place[]
}

/** Which row's which parameter stands here; below 0 the constant does. One shape for both, as each is read each time. */
export interface Place {
  readonly row: number
  readonly name: string
  readonly constant: Value
}

/** One statement of a unit. When `expectRows` does not match what it changed, the unit is undone. */
export interface Step {
  readonly statement: Statement<never>
  readonly params: Readonly<Record<string, Value>>
  readonly expectRows?: number
}

/** All of a unit's steps take effect, or none. */
export type Unit = readonly Step[]

/** Builds queries; the parameters arrive as placeholders to be used like values. */
export type BuildOne<P, R> = (db: Kysely<Tables>, params: P) => Compilable<R>
/** The same for an insert of several rows. */
export type BuildMany<P> = (db: Kysely<Tables>, rows: P[]) => Compilable<unknown>

/** All columns of an inserted row, and those that identify it. */
export interface RowColumns<P> {
  readonly all: readonly (keyof P & string)[]
  readonly key: readonly (keyof P & string)[]
}

/**
 * The order in which a batch locks rows, so that two processes cannot each wait for the other. Statements without a step
 * come last.
 */
export const lockSteps = [
  'inbox',
  'members',
  'customers',
  'facts',
  'payments',
  'subscriptions',
  'intents',
  'fetches',
  'grants',
  'other',
] as const
export type LockStep = (typeof lockSteps)[number]

/** The name of a statement, and when it locks its rows; a query that locks none has a name alone. */
export type StatementName = string | { readonly name: string; readonly lock: LockStep }

/** One database, SQLite or PostgreSQL: what is committed is durable, in whole units. */
export interface Storage {
  readonly dialect: Dialect
  /** The place of the data, without credentials. */
  readonly place: string
  /** A cold query, built and compiled for this one time. */
  read<R>(build: (db: Kysely<Tables>) => Compilable<R>): Promise<R[]>
  /** Compiles a query once; run it with `all` or place it in a unit. */
  prepare<P extends object, R = never>(name: StatementName, build: BuildOne<P, R>): Statement<P, R>
  /** Compiles an insert that also exists for several rows at once. */
  prepareMany<P extends object>(
    name: StatementName,
    columns: RowColumns<P>,
    build: BuildMany<P>,
  ): Statement<P>
  /** Rows of a prepared query; one that writes is durable by itself. */
  all<P extends object, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  /** Makes the unit durable together with whatever else is queued in this turn of the event loop; `isAlone` is for a unit
   *  that changes rows by something else than their key: beside others, what it changes could come before what they add.
   *  @throws UnitConflict when a step's `expectRows` did not match; nothing of this unit was written
   *  @throws ERR_STORAGE when the database cannot be written to */
  commit(unit: Unit, how?: { readonly isAlone?: boolean }): Promise<void>
  /** Sends the text of another library's statement, without a name, so that a pooler carries it; absent where the
   *  database is this process's own file. @throws ERR_STORAGE */
  readonly send?: (
    text: string,
    values: readonly unknown[],
  ) => Promise<{ rows: unknown[]; rowCount: number | null }>
  /** Differs once anything was written since: by this process at once, by another one from the next turn of the event
   *  loop on; null where only a query could tell.
   *  @throws ERR_STORAGE when the database's file is not there any more, as every other question does */
  revision(): number | null
  /** Leaves what was deleted in no file of the database that this process can empty: SQLite's log is written into the
   *  database, and that anew (up to 32 MiB); PostgreSQL's own vacuum does it in its time. */
  forget(): Promise<void>
  close(): Promise<void>
}

/** The rows that a unit had read were changed meanwhile: read again and plan again. */
export class UnitConflict extends Error {
  readonly step: string
  constructor(step: string) {
    super(`changed meanwhile: ${step}`)
    this.name = 'UnitConflict'
    this.step = step
  }
}

/** Types a step: the parameters must be those of the statement. */
export const step = <P extends object>(statement: Statement<P>, params: P, expectRows?: number): Step => ({
  statement: statement as unknown as Statement<never>,
  params: params as Readonly<Record<string, Value>>,
  expectRows,
})
