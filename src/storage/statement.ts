import type { Kysely } from 'kysely'
import type { BuildMany, BuildOne, Compiled, RowColumns, Statement, Value } from './contract.ts'
import type { Tables } from './tables.ts'

// Stands for a value while Kysely compiles; comes back in the compiled query's parameters.
class Placeholder {
  readonly row: number
  readonly name: string
  constructor(row: number, name: string) {
    this.row = row
    this.name = name
  }
}

const placeholders = <P>(row: number): P =>
  new Proxy({}, { get: (_, name) => new Placeholder(row, String(name)) }) as P

const toCompiled = (compiled: { sql: string; parameters: readonly unknown[] }): Compiled => ({
  sql: compiled.sql,
  places: compiled.parameters.map((p) =>
    p instanceof Placeholder
      ? { row: p.row, name: p.name, constant: null }
      : { row: -1, name: '', constant: p as Value },
  ),
})

/** A statement about one row or one look-up. */
export const statementOne = <P extends object, R>(
  db: Kysely<Tables>,
  name: string,
  build: BuildOne<P, R>,
): Statement<P, R> => {
  const compiled = toCompiled(build(db, placeholders<P>(0)).compile())
  return { name, kind: 'one', compile: () => compiled, key: () => '' }
}

/** An insert that is compiled for as many rows as asked, each size once. */
export const statementMany = <P extends object>(
  db: Kysely<Tables>,
  name: string,
  columns: RowColumns<P>,
  build: BuildMany<P>,
): Statement<P> => {
  const sizes = new Map<number, Compiled>()
  const compile = (rows: number) => {
    const known = sizes.get(rows)
    if (known) return known
    const places = Array.from({ length: rows }, (_, row) => rowOf<P>(columns.all, row))
    const compiled = toCompiled(build(db, places).compile())
    sizes.set(rows, compiled)
    return compiled
  }
  return {
    name,
    kind: 'many',
    compile,
    key: (params) => columns.key.map((c) => String(params[c])).join('\u0000'),
  }
}

const rowOf = <P>(columns: readonly string[], row: number): P =>
  Object.fromEntries(columns.map((name) => [name, new Placeholder(row, name)])) as P

/** The values of a compiled statement's places, as both drivers take them: booleans as 0 and 1. */
export const bind = (
  compiled: Compiled,
  rows: readonly Readonly<Record<string, Value>>[],
): (string | number | Buffer | null)[] => {
  const { places } = compiled
  const values: (string | number | Buffer | null)[] = new Array(places.length)
  for (let i = 0; i < places.length; i++) {
    const { row, name, constant } = places[i]!
    const value = row < 0 ? constant : rows[row]![name]
    values[i] = value === undefined ? null : value === true ? 1 : value === false ? 0 : value
  }
  return values
}
