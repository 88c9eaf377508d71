import type { RowPlace } from './database-findings.ts'
import { q, type Table, tablesOf } from './database-tables.ts'

/** The slice of a database that this needs. */
interface Handle {
  pragma(text: string): unknown
  prepare(query: string): {
    pluck(): { get(...values: unknown[]): unknown }
    run(...values: unknown[]): unknown
  }
}

interface Cells {
  /** Empty for a cell without a value; null where there is none, or no text. */
  get(rowid: number): string | null
  put(rowid: number, value: string | null): void
}

/** The texts of a column; null when the table or the column is gone. */
export const cellsIn = (db: Handle) => {
  const tables = new Map(tablesOf((text) => db.pragma(text)).map((table) => [table.name, table]))
  const known = new Map<string, Cells | null>()
  return ({ table, column }: RowPlace): Cells | null => {
    const key = JSON.stringify([table, column])
    const cells = known.get(key)
    if (cells !== undefined) return cells
    const made = tables.get(table)?.columns.includes(column) ? cellsOf(db, tables.get(table)!, column) : null
    known.set(key, made)
    return made
  }
}

const cellsOf = (db: Handle, { name, rowid }: Table, column: string): Cells => {
  const where = `where ${rowid} = ?`
  const get = db
    .prepare(
      `select coalesce(${q(column)}, '') from ${q(name)} ${where} and typeof(${q(column)}) in ('text', 'null')`,
    )
    .pluck()
  const put = db.prepare(`update ${q(name)} set ${q(column)} = ? ${where}`)
  return {
    get: (id) => (get.get(id) as string | undefined) ?? null,
    put: (id, value) => void put.run(value, id),
  }
}
