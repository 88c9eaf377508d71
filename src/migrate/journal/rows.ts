import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readRows, revertValue, writeRows } from '../accounts/index.ts'
import { applyEdits } from '../edits.ts'
import { hashOf } from '../hash.ts'
import type { DatabaseChange, SiteFacts } from '../plan.ts'
import type { RowsEntry } from './entries.ts'
import { writeDurably } from './files.ts'
import { takeBack } from './merge.ts'

/** Puts the texts of the rows that will change into the run's folder. Rows that changed since the plan are left out. */
export const backUpRows = (
  root: string,
  { file, rows }: DatabaseChange,
  folder: string,
  backup: string,
): RowsEntry => {
  const texts = readRows(join(root, file), rows)
  const kept = rows.flatMap((row, i) => {
    const text = texts[i]
    return typeof text === 'string' && hashOf(Buffer.from(text)) === row.before ? [{ row, text }] : []
  })
  writeDurably(join(folder, backup), Buffer.from(JSON.stringify(kept.map(({ text }) => text))), 0o600)
  return { kind: 'rows', file, backup, rows: kept.map(({ row }) => ({ ...row, edits: [...row.edits] })) }
}

/** Changes the rows in one transaction. Returns how many were left because they changed since. */
export const writeEntryRows = (root: string, entry: RowsEntry, folder: string): number => {
  const originals = originalsOf(entry, folder)
  const writes = entry.rows.map((row, i) => ({
    ...row,
    expect: row.before,
    value: applyEdits(originals[i]!, row.edits),
  }))
  return writeRows(join(root, entry.file), writes).kept.length
}

/** What became of the rows of a rollback. */
export interface RowsTakenBack {
  readonly restored: number
  readonly merged: number
  readonly untouched: number
  /** Rows that changed in the same places, with both texts. */
  readonly kept: readonly { place: string; current: string | null; original: string }[]
}

/** Takes the migration out of the rows: restores what is as it was written, merges what changed since. */
export const takeBackRows = (
  root: string,
  entry: RowsEntry,
  folder: string,
  facts: SiteFacts,
): RowsTakenBack => {
  const path = join(root, entry.file)
  const originals = originalsOf(entry, folder)
  const texts = readRows(path, entry.rows)
  const kept: { place: string; current: string | null; original: string }[] = []
  let untouched = 0
  const writes = entry.rows.flatMap((row, i) => {
    const [original, current] = [originals[i]!, texts[i] ?? null]
    const hash = current === null ? null : hashOf(Buffer.from(current))
    if (hash === row.before) untouched++
    if (hash === row.before) return []
    if (current !== null && hash === row.after)
      return [{ ...row, expect: hash, value: original, isMerge: false }]
    const value =
      current === null
        ? null
        : (takeBack(original, row.edits, current) ?? revertValue(current, row.column, facts))
    if (current !== null && value !== null) return [{ ...row, expect: hash!, value, isMerge: true }]
    kept.push({ place: `${row.table}.${row.column}, row ${row.rowid}`, current, original })
    return []
  })
  const done = writes.length > 0 ? writeRows(path, writes) : { written: [], kept: [] }
  for (const i of done.kept) {
    const row = writes[i]!
    kept.push({ place: `${row.table}.${row.column}, row ${row.rowid}`, current: null, original: row.value })
  }
  const merged = done.written.filter((i) => writes[i]!.isMerge).length
  return { restored: done.written.length - merged, merged, untouched, kept }
}

const originalsOf = (entry: RowsEntry, folder: string): string[] =>
  z
    .array(z.string())
    .length(entry.rows.length)
    .parse(JSON.parse(readFileSync(join(folder, entry.backup), 'utf8')))
