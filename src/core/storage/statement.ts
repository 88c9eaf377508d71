import {
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  type Compilable,
  DeleteQueryNode,
  InsertQueryNode,
  type Kysely,
  type OperationNode,
  type OperationNodeSource,
  OperatorNode,
  ParensNode,
  ReferenceNode,
  sql,
  TableNode,
  UpdateQueryNode,
  ValueNode,
} from 'kysely'
import { lazy } from '../lazy.ts'
import type {
  BuildMany,
  BuildOne,
  Compiled,
  RowColumns,
  Statement,
  StatementName,
  Value,
} from './contract.ts'
import { rankBefore, rankOf } from './ranks.ts'
import type { Tables } from './tables.ts'

// Stands for a value while Kysely compiles, and returns in the compiled query's parameters.
class Placeholder {
  readonly row: number
  readonly name: string
  constructor(row: number, name: string) {
    this.row = row
    this.name = name
  }
}

function placeholders<P>(row: number): P {
  return new Proxy({}, { get: (_, name) => new Placeholder(row, String(name)) }) as P
}

function toCompiled(compiled: { sql: string; parameters: readonly unknown[] }): Compiled {
  return {
    sql: compiled.sql,
    places: compiled.parameters.map((p) =>
      p instanceof Placeholder
        ? { row: p.row, name: p.name, constant: null }
        : { row: -1, name: '', constant: p as Value },
    ),
  }
}

/** A statement about one row or one look-up. It is compiled on first use, because a process needs few of them. */
export function statementOne<P extends object, R>(
  db: Kysely<Tables>,
  name: StatementName,
  build: BuildOne<P, R>,
): Statement<P, R> {
  return new One(db, name, build)
}

interface Known {
  readonly compiled: Compiled
  readonly table: string
  readonly names: readonly string[]
}

// A class, because every instance of the package has seven hundred statements. With functions of their own they would
// take three times the memory.
class One<P extends object, R> implements Statement<P, R> {
  readonly kind = 'one'
  readonly name: string
  readonly #before: keyof Tables | null
  readonly #db: Kysely<Tables>
  readonly #build: BuildOne<P, R>
  #made: Known | null = null
  #shared: Compiled | null = null

  constructor(db: Kysely<Tables>, called: StatementName, build: BuildOne<P, R>) {
    const { name, before } = namedOf(called)
    this.name = name
    this.#before = before
    this.#db = db
    this.#build = build
  }

  get table(): string {
    return this.#known().table
  }

  get rank(): number {
    return rankIn(this.#before, this.table)
  }

  compile(): Compiled {
    return this.#known().compiled
  }

  compileShared(): Compiled {
    this.#shared ??= sharedOf(this.#db, this.#build)
    return this.#shared
  }

  key(params: P): string {
    return keyOf(params, this.#known().names)
  }

  #known(): Known {
    this.#made ??= knownOf(this.#build(this.#db, placeholders<P>(0)).compile())
    return this.#made
  }
}

/** Runs the query once for each set of parameters. The database numbers the sets, so no text tells whose a row is. */
function sharedOf<P extends object, R>(db: Kysely<Tables>, build: BuildOne<P, R>): Compiled {
  const names = new Set<string>()
  const params = new Proxy(
    {},
    {
      get: (_, name) => {
        names.add(String(name))
        return sql.ref(`asked.${String(name)}`)
      },
    },
  )
  const query = build(db, params as P) as Compilable<R> & OperationNodeSource
  const sets = [...names].map((name) => sql`${new Placeholder(0, name)}::text[]`)
  const columns = [...names, 'place'].map((name) => sql.id(name))
  return toCompiled(
    sql`select asked.place, answer.* from unnest(${sql.join(sets)}) with ordinality as asked(${sql.join(columns)})
      cross join lateral ${query} as answer`.compile(db),
  )
}

function namedOf(called: StatementName): { readonly name: string; readonly before: keyof Tables | null } {
  return typeof called === 'string' ? { name: called, before: null } : called
}

function rankIn(before: keyof Tables | null, table: string): number {
  return before === null ? rankOf(table) : rankBefore(before)
}

function knownOf(query: ReturnType<Compilable['compile']>): Known {
  const node = query.query as OperationNode | undefined
  return {
    compiled: toCompiled(query),
    table: node ? tableOf(node) : '',
    names: node ? namesOfKey(node) : [],
  }
}

/**
 * An insert, compiled once for each number of rows. With `returns`, an insert of several rows returns the keys of those
 * written.
 */
export function statementMany<P extends object>(
  db: Kysely<Tables>,
  called: StatementName,
  columns: RowColumns<P>,
  build: BuildMany<P>,
  { returns = false }: { returns?: boolean } = {},
): Statement<P> {
  const sizes = new Map<number, Compiled>()
  const compile = (rows: number) => {
    const known = sizes.get(rows)
    if (known) return known
    const places = Array.from({ length: rows }, (_, row) => rowOf<P>(columns.all, row))
    const query = build(db, places)
    const compiled = toCompiled((returns && rows > 1 ? returning(query, columns.key) : query).compile())
    sizes.set(rows, compiled)
    return compiled
  }
  const table = lazy(() => tableOf(build(db, [rowOf<P>(columns.all, 0)]).compile().query as OperationNode))
  const { name, before } = namedOf(called)
  return {
    name,
    kind: 'many',
    get table() {
      return table()
    },
    get rank() {
      return rankIn(before, table())
    },
    compile,
    key: (params) => keyOf(params, columns.key),
  }
}

function returning(query: Compilable<unknown>, key: readonly string[]): Compilable<unknown> {
  return (query as unknown as { returning(columns: readonly string[]): Compilable<unknown> }).returning(key)
}

function keyOf<P extends object>(params: P, names: readonly string[]): string {
  return names.map((name) => String((params as Readonly<Record<string, Value>>)[name])).join('\u0000')
}

/** The table that a query writes; '' for a read. */
function tableOf(query: OperationNode): string {
  const target = InsertQueryNode.is(query)
    ? query.into
    : UpdateQueryNode.is(query)
      ? query.table
      : DeleteQueryNode.is(query)
        ? query.from.froms[0]
        : undefined
  return target !== undefined && TableNode.is(target) ? target.table.identifier.name : ''
}

/** The parameters that columns must equal, in written order, which is the order of the table's key. */
function namesOfKey(query: OperationNode): string[] {
  return (UpdateQueryNode.is(query) || DeleteQueryNode.is(query)) && query.where
    ? equalsIn(query.where.where)
    : []
}

function equalsIn(node: OperationNode): string[] {
  if (AndNode.is(node)) return [...equalsIn(node.left), ...equalsIn(node.right)]
  if (ParensNode.is(node)) return equalsIn(node.node)
  if (!BinaryOperationNode.is(node) || !OperatorNode.is(node.operator) || node.operator.operator !== '=')
    return []
  const { leftOperand: left, rightOperand: right } = node
  const isColumn = ReferenceNode.is(left) ? ColumnNode.is(left.column) : ColumnNode.is(left)
  return isColumn && ValueNode.is(right) && right.value instanceof Placeholder ? [right.value.name] : []
}

function rowOf<P>(columns: readonly string[], row: number): P {
  return Object.fromEntries(columns.map((name) => [name, new Placeholder(row, name)])) as P
}

/** The values of a compiled statement's places, as both drivers take them: booleans as 0 and 1. */
export function bind(
  compiled: Compiled,
  rows: readonly Readonly<Record<string, Value>>[],
): (string | number | Buffer | null)[] {
  const { places } = compiled
  const values: (string | number | Buffer | null)[] = new Array(places.length)
  for (let i = 0; i < places.length; i++) {
    const { row, name, constant } = places[i]!
    const value = row < 0 ? constant : rows[row]![name]
    values[i] = value === undefined ? null : value === true ? 1 : value === false ? 0 : value
  }
  return values
}
