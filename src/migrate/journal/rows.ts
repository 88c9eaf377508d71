import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import {
  hasTriggers,
  locateRows,
  readRows,
  readWholeRows,
  revertValue,
  triggersIn,
  type WholeRow,
  wholeRow,
  writeRows,
} from '../accounts/index.ts'
import { applyEdits } from '../edits.ts'
import { hashOf } from '../hash.ts'
import type { DatabaseChange, SiteFacts } from '../plan.ts'
import type { RowsEntry, Run } from './entries.ts'
import { writeDurably } from './files.ts'
import { takeBack } from './merge.ts'

/**
 * Copies the complete rows that will change to the run's folder. Rows that changed since the plan are left
 * out.
 */
export function backUpRows(
  root: string,
  { file, rows }: DatabaseChange,
  folder: string,
  backup: string,
): RowsEntry {
  const wholes = readWholeRows(join(root, file), rows)
  const kept = rows.flatMap((row, i) => {
    const whole = wholes[i]
    const text = whole?.[row.column] ?? ''
    return whole && typeof text === 'string' && hashOf(Buffer.from(text)) === row.before
      ? [{ row, whole }]
      : []
  })
  writeDurably(join(folder, backup), Buffer.from(JSON.stringify(kept.map(({ whole }) => whole))), 0o600)
  return { kind: 'rows', file, backup, rows: kept.map(({ row }) => ({ ...row, edits: [...row.edits] })) }
}

/** Changes the rows in one transaction. Returns the number of rows left because they changed since. */
export function writeEntryRows(root: string, entry: RowsEntry, folder: string): number {
  const originals = originalsOf(entry, folder)
  const writes = entry.rows.map((row, i) => ({
    ...row,
    expect: row.before,
    value: applyEdits(textOf(originals[i]!, row.column), row.edits),
  }))
  return writeRows(join(root, entry.file), writes).kept.length
}

/** Outcome of a rollback for the rows of a database. */
export interface RowsTakenBack {
  readonly restored: number
  readonly merged: number
  readonly untouched: number
  /** Rows that are missing or changed in the same places, with both texts and the whole original row. */
  readonly kept: readonly KeptRow[]
}

interface KeptRow {
  readonly place: string
  readonly reason: string
  readonly current: string | null
  readonly original: string
  readonly row: WholeRow
}

/**
 * Undoes the migration in the rows: restores unchanged ones, and merges those that changed since. Rows are
 * found by their key, and none is written in a table that has triggers now.
 */
export function takeBackRows(
  root: string,
  entry: RowsEntry,
  { folder, facts, renames }: Pick<Run, 'folder' | 'facts' | 'renames'>,
): RowsTakenBack {
  const path = join(root, entry.file)
  const originals = originalsOf(entry, folder)
  const backedUp = entry.rows.map((row, i) => ({ ...row, row: originals[i]! }))
  const found = locateRows(path, backedUp)
  const rows = backedUp.map((row, i) => ({ ...row, rowid: found[i]?.rowid ?? row.rowid }))
  const texts = readRows(path, rows)
  const triggers = triggersIn(path, [...new Set(rows.map(({ table }) => table))])
  const kept: KeptRow[] = []
  const keep = (row: (typeof rows)[number], reason: string, current: string | null) =>
    kept.push({ place: placeOf(row), reason, current, original: textOf(row.row, row.column), row: row.row })
  let untouched = 0
  const writes = rows.flatMap((row, i) => {
    const current = texts[i] ?? null
    const way = wayBack(row, current, found[i] ?? null, renames ? facts : null)
    const names = triggers.get(row.table)
    if (way === 'untouched') untouched++
    else if (typeof way === 'string') keep(row, way, way === gone ? null : current)
    else if (names) keep(row, hasTriggers(names).replacement!, current)
    else return [{ ...row, ...way }]
    return []
  })
  const done = writes.length > 0 ? writeRows(path, writes) : { written: [], kept: [] }
  for (const i of done.kept) keep(writes[i]!, 'it changed at this very moment; run the rollback again', null)
  const merged = done.written.filter((i) => writes[i]!.isMerge).length
  return { restored: done.written.length - merged, merged, untouched, kept }
}

const gone = 'it is gone'

/** Returns the text to write to a row, or the reason why it stays. */
function wayBack(
  row: RowsEntry['rows'][number] & { row: WholeRow },
  text: string | null,
  found: ReturnType<typeof locateRows>[number],
  facts: SiteFacts | null,
): { expect: string; value: string | null; isMerge: boolean } | string {
  const hash = text === null ? null : hashOf(Buffer.from(text))
  // Another row may have the rowid of a missing one.
  if (text === null || hash === null || (found === null && hash !== row.after)) return gone
  if (hash === row.before) return 'untouched'
  const original = textOf(row.row, row.column)
  if (hash === row.after)
    return { expect: hash, value: row.row[row.column] as string | null, isMerge: found?.isSame !== true }
  const value = takeBack(original, row.edits, text) ?? (facts && revertValue(text, row.column, facts))
  return value === null ? 'it changed since in the same place' : { expect: hash, value, isMerge: true }
}

function placeOf({ table, column, rowid }: RowsEntry['rows'][number]): string {
  return `${table}.${column}, row ${rowid}`
}

/** Empty if the cell had no value. */
function textOf(row: WholeRow, column: string): string {
  return z.string().nullable().parse(row[column]) ?? ''
}

function originalsOf(entry: RowsEntry, folder: string): WholeRow[] {
  return z
    .array(wholeRow)
    .length(entry.rows.length)
    .parse(JSON.parse(readFileSync(join(folder, entry.backup), 'utf8')))
}
