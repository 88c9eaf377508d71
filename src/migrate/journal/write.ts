import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MembershipError } from '../../core/errors.ts'
import { applyEdits } from '../edits.ts'
import { codeOf } from '../find.ts'
import { hashOf } from '../hash.ts'
import type { CreatedFile, FileChange, WritablePlan } from '../plan.ts'
import { toBytes, toSource } from '../source.ts'
import { type FileEntry, journalName, journalText, type NewEntry, runFolders } from './entries.ts'
import { createFile, notWritten, readRegular, replaceFile, syncFolder, writeDurably } from './files.ts'
import { withLock } from './lock.ts'
import { makePrivate } from './places.ts'
import { backUpRows, writeEntryRows } from './rows.ts'

/** Changes that a migration wrote to files. Paths are relative to the site, except the backup's. */
export interface WriteReport {
  /** Folder of the run, with the original files. */
  readonly backup: string
  readonly written: readonly string[]
  /** Files that were left as they are, with the reason. */
  readonly kept: readonly { file: string; reason: string }[]
}

/** Folder of the backups, and a listener for progress. */
export interface WriteOptions {
  /** Folder of the backups; see `backupFolder`. */
  readonly backup: string
  readonly now: () => Date
  readonly onProgress?: (done: number, all: number) => void
}

/**
 * Applies a plan. First every file is copied to the backups, and the journal is on the disk. Only then are
 * files changed, each in one step, and only if its bytes are still those of the plan.
 * @throws ERR_STORAGE when a file cannot be written; a rollback undoes what was written until then
 */
export async function writePlan(plan: WritablePlan, options: WriteOptions): Promise<WriteReport> {
  const { backup, now, onProgress = () => undefined } = options
  checkAccess(plan)
  makePrivate(backup)
  return withLock(backup, async () => {
    const folder = nextRun(backup)
    const all = plan.changes.length
    const kept: { file: string; reason: string }[] = []
    const pairs = await backUp(plan, folder, (done) => onProgress(done, 2 * all))
    const rows = plan.databases.map((database, i) =>
      backUpRows(plan.root, database, folder, `files/rows-${String(i + 1).padStart(3, '0')}.json`),
    )
    const news = (plan.created ?? []).map((created) => newOf(plan.root, created))
    const entries = [...pairs.map(({ entry }) => entry), ...rows, ...news]
    writeDurably(join(folder, journalName), Buffer.from(journalText(plan, now(), entries)), 0o600)
    syncFolder(folder)

    const written: string[] = []
    for (const change of plan.changes) {
      const entry = pairs.find((pair) => pair.change === change)?.entry
      if (entry && writeOne(plan.root, change, entry)) written.push(change.file)
      else
        kept.push({ file: change.file, reason: 'it changed since it was planned; run the migration again' })
      onProgress(all + written.length + kept.length, 2 * all)
      await breathe(written.length)
    }
    for (const entry of rows) {
      const left = writeEntryRows(plan.root, entry, folder)
      if (left > 0)
        kept.push({ file: entry.file, reason: `${left} of its rows changed since they were planned` })
      written.push(entry.file)
    }
    for (const { file, text } of plan.created ?? [])
      if (createFile(plan.root, file, bytesOf(text))) written.push(file)
      else kept.push({ file, reason: 'there is one of that name since it was planned' })
    return { backup: folder, written, kept }
  })
}

function newOf(root: string, { file, text }: CreatedFile): NewEntry {
  return {
    kind: 'new',
    file,
    after: hashOf(bytesOf(text)),
    folders: missingFolders(root, dirname(file)),
  }
}

function bytesOf(text: CreatedFile['text']): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : text
}

function missingFolders(root: string, folder: string): string[] {
  return folder === '.' || existsSync(join(root, folder))
    ? []
    : [folder, ...missingFolders(root, dirname(folder))]
}

/** Checks that everything is writable before anything is touched, because half a migration is useless. */
function checkAccess({ root, changes, databases }: WritablePlan): void {
  for (const folder of new Set([...changes, ...databases].map(({ file }) => dirname(file))))
    try {
      accessSync(join(root, folder), constants.W_OK)
    } catch (error) {
      throw new MembershipError(
        'ERR_STORAGE',
        `Nothing can be written in ${folder}: ${codeOf(error)}. Nothing was changed.`,
        {
          action: 'Run the command as a user that may write the site.',
          cause: error,
        },
      )
    }
}

function nextRun(backup: string): string {
  const last = Number(runFolders(backup).at(-1) ?? 0)
  const folder = join(backup, String(last + 1).padStart(3, '0'))
  try {
    mkdirSync(join(folder, 'files'), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw notWritten(folder, error)
  }
  return folder
}

/** Copies the files to change to the run's folder; those that changed since the plan are left out. */
async function backUp(
  { root, changes }: WritablePlan,
  folder: string,
  onProgress: (done: number) => void,
): Promise<{ change: FileChange; entry: FileEntry }[]> {
  const pairs: { change: FileChange; entry: FileEntry }[] = []
  for (const [i, change] of changes.entries()) {
    const { file, part, before, encoding, edits } = change
    const state = readRegular(join(root, file))
    onProgress(i + 1)
    if (typeof state === 'string' || hashOf(state.bytes) !== before) continue
    const edited = editedBytes(change, state.bytes)
    if (edited === null) continue
    const after = hashOf(edited)
    const backup = `files/${String(i + 1).padStart(5, '0')}`
    try {
      writeDurably(join(folder, backup), state.bytes, 0o600)
    } catch (error) {
      throw notWritten(join(folder, backup), error)
    }
    const mode = state.stats.mode & 0o7777
    pairs.push({
      change,
      entry: { kind: 'file', file, part, before, after, encoding, mode, backup, edits: [...edits] },
    })
    await breathe(i)
  }
  syncFolder(join(folder, 'files'))
  return pairs
}

function writeOne(root: string, change: FileChange, { before, mode }: FileEntry): boolean {
  const state = readRegular(join(root, change.file))
  if (typeof state === 'string' || hashOf(state.bytes) !== before) return false
  const bytes = editedBytes(change, state.bytes)
  return bytes !== null && replaceFile(root, change.file, bytes, { expect: before, mode })
}

function editedBytes({ file, edits }: FileChange, bytes: Buffer): Buffer | null {
  const source = toSource(file, bytes)
  return typeof source === 'string' ? null : toBytes(source, applyEdits(source.text, edits))
}

// Lets a progress bar and Ctrl-C run in between.
async function breathe(count: number): Promise<void> {
  if (count % 50 === 49) await new Promise(setImmediate)
}
