import { hash } from 'node:crypto'
import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { type Database, sqliteDriver } from '../../core/storage/index.ts'
import { applyEdits } from '../edits.ts'
import { codeOf } from '../find.ts'
import type { Decision, RowChange, SiteFacts } from '../plan.ts'
import {
  createRowFindings,
  fileDecision,
  hasTriggers,
  hugeNumber,
  notText,
  type RowPlace,
  tooLong,
} from './database-findings.ts'
import {
  countQuery,
  type Queries,
  q,
  type Table,
  tablesOf,
  textsQuery,
  triggersOn,
  unnumberedTablesOf,
} from './database-tables.ts'
import { type BackedUp, type Found, findRows, type WholeRow, wholeRows } from './database-whole.ts'
import { leftPurchases } from './left.ts'
import { otherFieldIn, rewriteValue } from './values.ts'

/** Planned changes to a database of version 1's accounts. */
export interface DatabasePlan {
  readonly rows: readonly RowChange[]
  readonly findings: readonly Decision[]
  readonly summary: readonly string[]
}

/**
 * Plans the changes to a site's SQLite file. It opens the file read-only and leaves no file behind; any
 * problem becomes a finding. It makes one pass over each table, one row at a time.
 */
export function planDatabase(path: string, file: string, facts: SiteFacts): DatabasePlan {
  const rows: RowChange[] = []
  const summary = new Set<string>()
  const found = createRowFindings(file, facts)
  try {
    reading(path, (db) => {
      // This package's own database.
      const tables = db === null ? [] : tablesOf((text) => db.pragma(text))
      if (db === null || tables.some(({ name }) => name === 'membership_migrations')) return
      for (const table of tables) {
        const triggers = triggersOn(queriesOf(db), table.name)
        for (const text of textsOf(db, table, facts.field)) {
          const change = planText(text, facts, found)
          if (change === null) continue
          // The rowid exceeds the safe integers.
          const isNumbered = Number.isSafeInteger(text.place.rowid)
          if (triggers.length > 0 || !isNumbered) {
            found.add(text.place, isNumbered ? hasTriggers(triggers) : hugeNumber)
            continue
          }
          rows.push(change.row)
          for (const line of change.summary) summary.add(`${table.name}.${change.row.column}: ${line}`)
        }
      }
      const count = (query: string) => Number(db.prepare(query).pluck().get())
      countUnread(tables, found, { pragma: (text) => db.pragma(text), count })
    })
  } catch (error) {
    return { rows: [], findings: [fileDecision(file, error)], summary: [] }
  }
  return { rows, findings: found.decisions(), summary: [...summary] }
}

function planText(
  { place, text }: Text,
  facts: SiteFacts,
  found: ReturnType<typeof createRowFindings>,
): { row: RowChange; summary: readonly string[] } | null {
  if (text === null) {
    found.add(place, tooLong)
    return null
  }
  const { edits, findings, summary } = rewriteValue(text, place.column, facts)
  for (const finding of findings) found.add(place, finding)
  const other = otherFieldIn(text, place.column, facts)
  if (other !== null) found.other(place, other)
  if (findings.length === 0 && other === null)
    for (const finding of leftPurchases(text, edits, facts)) found.add(place, finding)
  if (edits.length === 0) return null
  if (!isWhole(text)) {
    found.add(place, notText)
    return null
  }
  return { row: { ...place, before: sha256(text), after: sha256(applyEdits(text, edits)), edits }, summary }
}

/** Reads the current texts at these places; null for missing ones. @throws ERR_STORAGE */
export function readRows(path: string, rows: readonly RowPlace[]): (string | null)[] {
  return storing(path, () =>
    reading(path, (db) => {
      const cells = db === null ? () => null : cellsIn(db)
      return rows.map((row) => cells(row)?.get(row.rowid) ?? null)
    }),
  )
}

/** Reads the current rows at these places; null for missing ones. @throws ERR_STORAGE */
export function readWholeRows(path: string, rows: readonly RowPlace[]): (WholeRow | null)[] {
  return storing(path, () =>
    reading(path, (db) => (db ? wholeRows(queriesOf(db), rows) : rows.map(() => null))),
  )
}

/** Returns the current places of a backup's rows; null for missing ones. @throws ERR_STORAGE */
export function locateRows(path: string, rows: readonly BackedUp[]): (Found | null)[] {
  return storing(path, () =>
    reading(path, (db) => (db ? findRows(queriesOf(db), rows) : rows.map(() => null))),
  )
}

/**
 * Returns the triggers that writing these tables would run, without tables that have none.
 * @throws ERR_STORAGE
 */
export function triggersIn(path: string, tables: readonly string[]): Map<string, string[]> {
  return storing(path, () =>
    reading(path, (db) => {
      const known = tables.map((name) => [name, db ? triggersOn(queriesOf(db), name) : []] as const)
      return new Map(known.filter(([, triggers]) => triggers.length > 0))
    }),
  )
}

/** Returns the part of a database that reads rows. */
export function queriesOf(db: Database.Database): Queries {
  return {
    pragma: (text) => db.pragma(text),
    all: (query, ...values) => db.prepare(query).raw().safeIntegers().all(values) as unknown[][],
  }
}

/**
 * Writes these texts in one transaction. `expect` is the SHA-256 of the expected text, in hex; a row with
 * another text is kept. Returns the kept ones as indexes into `writes`.
 * @throws ERR_STORAGE when nothing was written
 */
export function writeRows(
  path: string,
  writes: readonly (RowPlace & { readonly expect: string; readonly value: string | null })[],
): { written: number[]; kept: number[] } {
  return storing(path, () => {
    const db = new (sqliteDriver())(path, { fileMustExist: true, timeout: 5000 })
    try {
      return db.transaction(() => writeAll(cellsIn(db), writes)).immediate()
    } finally {
      db.close()
    }
  })
}

function writeAll(
  cellsOf: ReturnType<typeof cellsIn>,
  writes: readonly (RowPlace & { readonly expect: string; readonly value: string | null })[],
): { written: number[]; kept: number[] } {
  const written: number[] = []
  const kept: number[] = []
  writes.forEach((write, i) => {
    const cells = cellsOf(write)
    const text = cells?.get(write.rowid) ?? null
    if (cells === null || text === null || sha256(text) !== write.expect) kept.push(i)
    else {
      cells.put(write.rowid, write.value)
      written.push(i)
    }
  })
  return { written, kept }
}

/** Runs with the database open for reading, or null for an empty file. */
export function reading<T>(path: string, run: (db: Database.Database | null) => T): T {
  const head = headOf(path)
  if (head.length === 0) return run(null)
  if (head.subarray(0, 16).toString('latin1') !== 'SQLite format 3\0')
    throw Object.assign(new Error('file is not a database'), { code: 'SQLITE_NOTADB' })
  // With a write-ahead log even a reader creates files beside the database, so a copy is read.
  return head[18] === 2 || head[19] === 2 ? readingCopy(path, run) : readingFile(path, run)
}

function readingFile<T>(path: string, run: (db: Database.Database) => T): T {
  const db = new (sqliteDriver())(path, { readonly: true, fileMustExist: true, timeout: 2000 })
  try {
    return run(db)
  } finally {
    db.close()
  }
}

function readingCopy<T>(path: string, run: (db: Database.Database) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'membership-migrate-'))
  try {
    const copy = join(folder, 'site.db')
    copyFileSync(path, copy)
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`)
    return readingFile(copy, run)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function headOf(path: string): Buffer {
  const head = Buffer.alloc(100)
  const handle = openSync(path, 'r')
  try {
    return head.subarray(0, readSync(handle, head, 0, 100, 0))
  } finally {
    closeSync(handle)
  }
}

interface Text {
  readonly place: RowPlace
  /** null for a text that is too long. */
  readonly text: string | null
}

function* textsOf(db: Database.Database, table: Table, field: string): Generator<Text> {
  if (table.columns.length === 0) return
  // Numbers above 2^53 would lose digits.
  const rows = db.prepare(textsQuery(table, field)).raw().safeIntegers().iterate() as Iterable<
    (bigint | string | null)[]
  >
  for (const [id, ...texts] of rows) {
    const rowid = Number(id)
    for (const [i, text] of texts.entries()) {
      if (text === null) continue
      const place = { table: table.name, column: table.columns[i]!, rowid }
      yield { place, text: typeof text === 'string' ? text : null }
    }
  }
}

/** Runs a function, and reports its failure as an unusable database. @throws ERR_STORAGE */
export function storing<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new MembershipError('ERR_STORAGE', `The database ${path} cannot be used: ${codeOf(error)}.`, {
      action: 'Stop the site, check the permissions of the file and its folder, and try again.',
      cause: error,
    })
  }
}

// An invalid character would be written back as another one.
function isWhole(text: string): boolean {
  return !text.includes('\ufffd') && Buffer.from(text, 'utf8').toString('utf8') === text
}

function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

/**
 * Reports unsupported forms: BLOBs, and tables whose rows cannot be identified. `count` runs a query that
 * counts. It makes one pass over each column.
 */
function countUnread(
  tables: readonly Table[],
  found: ReturnType<typeof createRowFindings>,
  { pragma, count }: { pragma: (text: string) => unknown; count: (query: string) => number },
): void {
  for (const { name, columns } of tables)
    for (const column of columns) found.unread(name, column, 'a BLOB', count(countQuery(name, column, false)))
  for (const { name, columns } of unnumberedTablesOf(pragma))
    for (const column of columns)
      found.unread(name, column, 'a table without row numbers', count(countQuery(name, column, true)))
}

/** The part of a database that this needs. */
interface Handle {
  pragma(text: string): unknown
  prepare(query: string): {
    pluck(): { get(...values: unknown[]): unknown }
    run(...values: unknown[]): unknown
  }
}

interface Cells {
  /** Empty for a cell without a value; null for a missing cell, or one that is no text. */
  get(rowid: number): string | null
  put(rowid: number, value: string | null): void
}

/** Opens the texts of a column; null when the table or the column is missing. */
function cellsIn(db: Handle) {
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

function cellsOf(db: Handle, { name, rowid }: Table, column: string): Cells {
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
