import { maxFileBytes } from '../source.ts'
import { fieldName } from './fields.ts'
import { forward } from './rename.ts'

/** An ordinary table of a SQLite file. */
export interface Table {
  readonly name: string
  /** Writable columns. */
  readonly columns: readonly string[]
  /** Columns of its primary key. */
  readonly keys: readonly string[]
  /** A name of the rowid that no column uses. */
  readonly rowid: string
}

/** A table without rowids, whose rows cannot be identified. */
export type UnnumberedTable = Omit<Table, 'rowid'>

/** Lists tables with a rowid: no views, virtual tables or shadow tables. */
export function tablesOf(pragma: (text: string) => unknown): Table[] {
  return allTablesOf(pragma).filter((table): table is Table => table.rowid !== undefined)
}

/** Lists tables without one: WITHOUT ROWID, or all rowid names used by columns. */
export function unnumberedTablesOf(pragma: (text: string) => unknown): UnnumberedTable[] {
  return allTablesOf(pragma).filter(({ rowid }) => rowid === undefined)
}

function allTablesOf(
  pragma: (text: string) => unknown,
): (UnnumberedTable & { readonly rowid: string | undefined })[] {
  const list = pragma('table_list') as { schema: string; name: string; type: string; wr: number }[]
  return list
    .filter(({ schema, type }) => schema === 'main' && type === 'table')
    .filter(({ name }) => !/^sqlite_/i.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, wr }) => {
      const columns = pragma(`table_xinfo(${q(name)})`) as { name: string; hidden: number; pk: number }[]
      const taken = new Set(columns.map((column) => column.name.toLowerCase()))
      const rowid = wr === 0 ? ['rowid', '_rowid_', 'oid'].find((alias) => !taken.has(alias)) : undefined
      // Generated columns depend on others.
      const own = columns.filter(({ hidden }) => hidden === 0).map((column) => column.name)
      const keys = columns.filter(({ pk }) => pk > 0).map((column) => column.name)
      return { name, columns: own, keys, rowid }
    })
}

/**
 * Selects the rowid and, for each column, its relevant text: every text of the field's own column, and others
 * that mention purchases. A number stands for a text that is too long.
 */
export function textsQuery({ name, columns, rowid }: Table, field: string): string {
  const own = fieldName(field)
  const wanted = columns.map((column) => {
    const isText = `typeof(${q(column)}) = 'text'`
    return fieldName(column) === own ? isText : `(${isText} and instr(${q(column)}, '${forward.from}') > 0)`
  })
  const values = columns.map((column, i) => {
    const value = `case when length(${q(column)}) > ${maxFileBytes} then 1 else ${q(column)} end`
    return `case when ${wanted[i]} then ${value} end`
  })
  return `select ${rowid}, ${values.join(', ')} from ${q(name)} where ${wanted.join(' or ')}`
}

/**
 * Counts the rows of one column that contain the word in an unsupported form: in a BLOB, or with `texts` in a
 * text.
 */
export function countQuery(table: string, column: string, texts: boolean): string {
  const types = texts ? "('blob', 'text')" : "('blob')"
  const bytes = `cast(${q(column)} as blob)`
  return `select count(*) from ${q(table)} where typeof(${q(column)}) in ${types} and instr(${bytes}, cast('${forward.from}' as blob)) > 0`
}

/** The part of a database that reads rows. */
export interface Queries {
  pragma(text: string): unknown
  all(query: string, ...values: unknown[]): unknown[][]
}

/** Lists the triggers that run when a table is written. */
export function triggersOn({ all }: Queries, table: string): string[] {
  return all(
    "select name from sqlite_master where type = 'trigger' and lower(tbl_name) = lower(?) order by name",
    table,
  ).map(([name]) => String(name))
}

/** Quotes a name for SQL. */
export function q(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
