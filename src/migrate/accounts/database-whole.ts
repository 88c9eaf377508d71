import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import type { RowPlace } from './database-findings.ts'
import { type Queries, q, type Table, tablesOf } from './database-tables.ts'

/** A value as SQLite stores it. Integers and decimals are digits, so that no precision is lost. */
const stored = z.union([
  z.null(),
  z.string(),
  z.object({ integer: z.string() }),
  z.object({ real: z.string() }),
  z.object({ blob: z.string() }),
  // Text that is not UTF-8, as bytes.
  z.object({ text: z.string() }),
])
type Stored = z.infer<typeof stored>

/** Every column of a row, without generated ones. */
export const wholeRow = z.record(z.string(), stored)
/** An account's complete row, so that changes to it can be undone. */
export type WholeRow = z.infer<typeof wholeRow>

/** A row of a backup, and its place. */
export interface BackedUp extends RowPlace {
  readonly row: WholeRow
}

/** Current place of a row. */
export interface Found {
  readonly rowid: number
  /** False if a column other than the changed ones has a new value. */
  readonly isSame: boolean
}

/** Reads the rows at these places with all columns; null for missing ones. */
export function wholeRows(queries: Queries, places: readonly RowPlace[]): (WholeRow | null)[] {
  const tables = new Map(tablesOf(queries.pragma).map((table) => [table.name, table]))
  return places.map(({ table, rowid }) => {
    const known = tables.get(table)
    return known ? wholeOf(queries, known, rowid) : null
  })
}

/**
 * Finds the rows of a backup by their key, because a rowid may belong to another row now. null for a missing
 * or ambiguous row.
 */
export function findRows(queries: Queries, rows: readonly BackedUp[]): (Found | null)[] {
  const tables = new Map(tablesOf(queries.pragma).map((table) => [table.name, table]))
  const changed = new Map<string, Set<string>>()
  for (const { table, column } of rows) changed.set(table, (changed.get(table) ?? new Set()).add(column))
  return rows.map(({ table, rowid, row }) => {
    const known = tables.get(table)
    if (!known) return null
    const others = known.columns.filter((column) => !changed.get(table)!.has(column))
    const identity = known.keys.length > 0 ? known.keys : others
    if (!identity.every((column) => column in row)) return null
    const now = findRow(queries, known, { rowid, row, identity })
    if (now === null) return null
    const whole = wholeOf(queries, known, now)
    return {
      rowid: now,
      isSame: others.every((other) => JSON.stringify(whole?.[other]) === JSON.stringify(row[other])),
    }
  })
}

function findRow(
  { all }: Queries,
  { name, rowid: number }: Table,
  { rowid, row, identity }: { rowid: number; row: WholeRow; identity: readonly string[] },
): number | null {
  if (identity.length === 0) return rowid
  const matches = identity.map((column) => `${q(column)} is ${placeholderOf(row[column]!)}`).join(' and ')
  const values = identity.map((column) => toValue(row[column]!))
  const at = all(`select 1 from ${q(name)} where ${number} = ? and ${matches}`, rowid, ...values)
  if (at.length > 0) return rowid
  const found = all(`select ${number} from ${q(name)} where ${matches} limit 2`, ...values)
  return found.length === 1 ? Number(found[0]![0]) : null
}

function wholeOf({ all }: Queries, { name, columns, rowid: number }: Table, rowid: number): WholeRow | null {
  const values = columns.map(
    (column) =>
      `case typeof(${q(column)}) when 'text' then cast(${q(column)} as blob) else ${q(column)} end, typeof(${q(column)})`,
  )
  const [found] = all(`select ${values.join(', ')} from ${q(name)} where ${number} = ?`, rowid)
  if (!found) return null
  return Object.fromEntries(
    columns.map((column, i) => [column, toStored(found[2 * i], String(found[2 * i + 1]))]),
  )
}

function toStored(value: unknown, type: string): Stored {
  if (type === 'integer') return { integer: String(value) }
  if (type === 'real') return { real: String(value) }
  if (value === null) return null
  const bytes = value as Buffer
  if (type === 'blob') return { blob: bytes.toString('base64') }
  return isUtf8(bytes) ? bytes.toString('utf8') : { text: bytes.toString('base64') }
}

function toValue(value: Stored): unknown {
  if (value === null || typeof value === 'string') return value
  if ('integer' in value) return BigInt(value.integer)
  if ('real' in value) return Number(value.real)
  return Buffer.from('blob' in value ? value.blob : value.text, 'base64')
}

function placeholderOf(value: Stored): string {
  return value !== null && typeof value === 'object' && 'text' in value ? 'cast(? as text)' : '?'
}
