import {
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  type Compilable,
  DeleteQueryNode,
  InsertQueryNode,
  type Kysely,
  OnConflictNode,
  type OperationNode,
  OperatorNode,
  ParensNode,
  ReferenceNode,
  TableNode,
  UpdateQueryNode,
  ValueNode,
} from 'kysely'
import type { BuildMany, BuildOne, Compiled, Look, RowColumns, Statement, Value } from './contract.ts'
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
  const query = build(db, placeholders<P>(0)).compile()
  const compiled = toCompiled(query)
  const node = query.query as OperationNode | undefined
  const expected = node ? expectedBy(node) : []
  const names = expected.map(({ param }) => param)
  const table = node ? tableOf(node) : ''
  return {
    name,
    kind: 'one',
    table,
    ...(names.length > 0 && { look: lookAt(db, { name, table, columns: expected, finds: 'expected' }) }),
    compile: () => compiled,
    key: (params) => keyOf(params, names),
  }
}

/** An insert that is compiled for as many rows as asked, each size once. `returns`: several answer with the keys of those
 *  that were written. */
export const statementMany = <P extends object>(
  db: Kysely<Tables>,
  name: string,
  columns: RowColumns<P>,
  build: BuildMany<P>,
  { returns = false }: { returns?: boolean } = {},
): Statement<P> => {
  const compile = eachSizeOnce((rows) => {
    const places = Array.from({ length: rows }, (_, row) => rowOf<P>(columns.all, row))
    const query = build(db, places)
    return returns && rows > 1 ? returning(query, columns.key) : query
  })
  const node = build(db, [rowOf<P>(columns.all, 0)]).compile().query as OperationNode
  const table = tableOf(node)
  return {
    name,
    kind: 'many',
    table,
    ...(givesWay(node) && {
      look: lookAt(db, {
        name,
        table,
        columns: columns.key.map((column) => ({ column, param: column })),
        finds: 'in the way',
      }),
    }),
    compile,
    key: (params) => keyOf(params, columns.key),
  }
}

const returning = (query: Compilable<unknown>, key: readonly string[]): Compilable<unknown> =>
  (query as unknown as { returning(columns: readonly string[]): Compilable<unknown> }).returning(key)

const keyOf = <P extends object>(params: P, names: readonly string[]): string =>
  names.map((name) => String((params as Readonly<Record<string, Value>>)[name])).join('\u0000')

/** The table that a query writes to, '' for one that only reads. */
const tableOf = (query: OperationNode): string => {
  const target = InsertQueryNode.is(query)
    ? query.into
    : UpdateQueryNode.is(query)
      ? query.table
      : DeleteQueryNode.is(query)
        ? query.from.froms[0]
        : undefined
  return target !== undefined && TableNode.is(target) ? target.table.identifier.name : ''
}

/** A column, and the parameter that it must be equal to. */
interface Expected {
  readonly column: string
  readonly param: string
}

/** What columns must be equal to: in the order written, which is that of the table's key. */
const expectedBy = (query: OperationNode): Expected[] =>
  (UpdateQueryNode.is(query) || DeleteQueryNode.is(query)) && query.where ? equalsIn(query.where.where) : []

/** An insert that leaves a row alone that is there. */
const givesWay = (query: OperationNode): boolean =>
  InsertQueryNode.is(query) &&
  query.onConflict !== undefined &&
  OnConflictNode.is(query.onConflict) &&
  query.onConflict.doNothing === true

const equalsIn = (node: OperationNode): Expected[] => {
  if (AndNode.is(node)) return [...equalsIn(node.left), ...equalsIn(node.right)]
  if (ParensNode.is(node)) return equalsIn(node.node)
  if (!BinaryOperationNode.is(node) || !OperatorNode.is(node.operator) || node.operator.operator !== '=')
    return []
  const { leftOperand: left, rightOperand: right } = node
  const column = ReferenceNode.is(left) ? left.column : left
  return ColumnNode.is(column) && ValueNode.is(right) && right.value instanceof Placeholder
    ? [{ column: column.column.name, param: right.value.name }]
    : []
}

/** Asks for the rows of which these columns are what a step says. */
const lookAt = (
  db: Kysely<Tables>,
  look: { name: string; table: string; columns: readonly Expected[]; finds: Look['finds'] },
): Look => {
  const { name, table, columns, finds } = look
  const params = columns.map(({ param }) => param)
  const compile = eachSizeOnce((rows) => {
    const places = Array.from({ length: rows }, (_, row) => rowOf<Record<string, never>>(params, row))
    return untyped(db)
      .selectFrom(table)
      .select(columns.map(({ column, param }) => `${column} as ${param}`))
      .where((eb) =>
        eb.or(places.map((row) => eb.and(columns.map(({ column, param }) => eb(column, '=', row[param]))))),
      )
  })
  const key = (row: object) => keyOf(row, params)
  return { finds, statement: { name: `look-${name}`, kind: 'many', table: '', compile, key } }
}

// Of any table, which is more than the builder's types can follow.
const untyped = (db: unknown) => db as Kysely<Record<string, Record<string, unknown>>>

/** Compiles for as many rows as asked, when it is asked first. */
const eachSizeOnce = (build: (rows: number) => Compilable<unknown>) => {
  const sizes = new Map<number, Compiled>()
  return (rows: number): Compiled => {
    const known = sizes.get(rows) ?? toCompiled(build(rows).compile())
    sizes.set(rows, known)
    return known
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
