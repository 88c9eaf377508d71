import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { hashOf } from '../hash.ts'
import type { SiteFacts } from '../plan.ts'
import { type Source, toBytes, toSource } from '../source.ts'
import { type FileEntry, type JournalEntry, type RowsEntry, type Run, readRuns } from './entries.ts'
import {
  readRegular,
  removeFile,
  removeQuietly,
  replaceFile,
  syncFolder,
  unfinished,
  writeDurably,
} from './files.ts'
import { withLock } from './lock.ts'
import { takeBack } from './merge.ts'
import { takeBackRows } from './rows.ts'

/** Outcome for each file of the undone migrations. */
export interface RollbackReport {
  /** Files that are restored byte for byte. */
  readonly restored: readonly string[]
  /** Files that had changed: the migration's edits are undone, and newer changes stay. */
  readonly merged: readonly string[]
  /** Files that the migration had not reached. */
  readonly untouched: readonly string[]
  /** Files that were left as they are, with the place of both versions and the reason. */
  readonly kept: readonly { file: string; current: string; original: string; reason: string }[]
}

/** Folder of the backups, and the way to undo a file that changed since. */
export interface RollbackOptions {
  readonly backup: string
  /** Undoes the migration in a file key by key if the lines changed; null when that is impossible. */
  readonly revert?: (entry: FileEntry, current: Source, facts: SiteFacts) => string | null
  readonly onProgress?: (done: number, all: number) => void
}

/**
 * Undoes every run of a migration, newest first, including one that was stopped midway. Unchanged files are
 * restored. Files that changed since are merged, or kept with both versions side by side. No newer change is
 * lost.
 * @throws ERR_USAGE when there is nothing to undo, ERR_STORAGE when a file cannot be written
 */
export async function rollBack(root: string, options: RollbackOptions): Promise<RollbackReport> {
  const { backup } = options
  if (!existsSync(backup)) throw nothingThere(backup)
  return withLock(backup, async () => {
    const runs = readRuns(backup, root)
    if (runs.length === 0) throw nothingThere(backup)
    const all = runs.reduce((sum, { entries }) => sum + entries.length, 0)
    const report: Growing = { restored: [], merged: [], untouched: [], kept: [] }
    let done = 0
    for (const run of runs) {
      const keptBefore = report.kept.length
      for (const entry of run.entries) {
        takeBackOne(root, run, entry, options, report)
        options.onProgress?.(++done, all)
        if (done % 50 === 0) await new Promise(setImmediate)
      }
      // The next rollback retries the kept files.
      if (report.kept.length === keptBefore) {
        writeDurably(join(run.folder, 'rolled-back'), Buffer.from(''), 0o600)
        syncFolder(run.folder)
      }
    }
    return report
  })
}

type Growing = { -readonly [K in keyof RollbackReport]: RollbackReport[K][number][] }

type EntryOf<K extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: K }>

function takeBackOne(
  root: string,
  run: Run,
  entry: JournalEntry,
  options: RollbackOptions,
  report: Growing,
): void {
  if (entry.kind === 'rows') takeBackDatabase(root, run, entry, report)
  else if (entry.kind === 'new') takeAway(root, entry, report)
  else takeBackFile(root, run, entry, options, report)
}

function takeAway(root: string, entry: EntryOf<'new'>, report: Growing): void {
  const { file, after, folders } = entry
  if (removeFile(root, { file, after, ...(folders && { folders }) })) report.restored.push(file)
  else report.kept.push({ file, current: '', original: '', reason: 'it changed since it was made' })
}

function takeBackFile(
  root: string,
  run: Run,
  entry: Exclude<JournalEntry, EntryOf<'rows'> | EntryOf<'new'>>,
  { revert }: RollbackOptions,
  report: Growing,
): void {
  const { file, before, after, mode } = entry
  removeQuietly(join(root, `${file}${unfinished}`))
  const original = readFileSync(join(run.folder, entry.backup))
  const state = readRegular(join(root, file))
  const keep = (reason: string, current: Buffer | null) => {
    const aside = join(run.folder, `${entry.backup}.current`)
    if (current) writeDurably(aside, current, 0o600)
    report.kept.push({
      file,
      current: current ? aside : '',
      original: join(run.folder, entry.backup),
      reason,
    })
  }
  if (typeof state === 'string') {
    keep(state === 'gone' ? 'it was deleted since' : 'it is no regular file any more', null)
    return
  }
  const hash = hashOf(state.bytes)
  if (hash === before) {
    report.untouched.push(file)
    return
  }
  if (hash === after) {
    if (replaceFile(root, file, original, { expect: after, mode })) report.restored.push(file)
    else keep('it changed at this very moment; run the rollback again', state.bytes)
    return
  }
  const merged = mergedBytes(entry, original, state.bytes, (item, current) =>
    run.renames ? (revert?.(item, current, run.facts) ?? null) : null,
  )
  if (merged && replaceFile(root, file, merged, { expect: hash, mode: state.stats.mode & 0o7777 }))
    report.merged.push(file)
  else keep('it changed since in the same places', state.bytes)
}

function takeBackDatabase(root: string, run: Run, entry: RowsEntry, report: Growing): void {
  const { file, backup } = entry
  const state = readRegular(join(root, file))
  const original = join(run.folder, backup)
  if (typeof state === 'string') {
    report.kept.push({ file, current: '', original, reason: 'it is not there any more' })
    return
  }
  const { restored, merged, untouched, kept } = takeBackRows(root, entry, run)
  if (restored > 0) report.restored.push(file)
  if (merged > 0) report.merged.push(file)
  if (restored === 0 && merged === 0 && kept.length === 0 && untouched > 0) report.untouched.push(file)
  if (kept.length === 0) return
  const aside = join(run.folder, `${backup}.kept.json`)
  writeDurably(aside, Buffer.from(JSON.stringify(kept, null, 2)), 0o600)
  const places = kept.slice(0, 5).map(({ place, reason }) => `${place} (${reason})`)
  const more = kept.length > places.length ? `; and ${kept.length - places.length} more` : ''
  const reason = `these rows could not be taken back: ${places.join('; ')}${more}`
  report.kept.push({ file, current: aside, original, reason })
}

function mergedBytes(
  entry: FileEntry,
  original: Buffer,
  current: Buffer,
  revert: (entry: FileEntry, current: Source) => string | null,
): Buffer | null {
  const [was, is] = [toSource(entry.file, original), toSource(entry.file, current)]
  if (typeof was === 'string' || typeof is === 'string') return null
  // Text in another encoding than before cannot be compared line by line.
  const byLines = was.encoding === is.encoding ? takeBack(was.text, entry.edits, is.text) : null
  const text = byLines ?? revert(entry, is)
  return text === null ? null : toBytes(is, text)
}

function nothingThere(backup: string): MembershipError {
  return new MembershipError('ERR_USAGE', `There is nothing to take back: no journal in ${backup}.`, {
    action: 'If the backups were kept elsewhere, name the folder: --rollback --backup /path/to/backups',
  })
}
