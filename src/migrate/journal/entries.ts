import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { MembershipError } from '../../core/errors.ts'
import type { Plan, SiteFacts } from '../plan.ts'

const edits = z.array(z.object({ start: z.number(), end: z.number(), text: z.string() }))

/** A changed file: its hashes, its edits, and the name of its backup in the run's folder. */
const fileEntry = z.object({
  kind: z.literal('file'),
  file: z.string(),
  part: z.string(),
  before: z.string(),
  after: z.string(),
  encoding: z.enum(['utf8', 'latin1']),
  mode: z.number(),
  backup: z.string(),
  edits,
})
/** Changed rows of a database file; the backup holds them completely. */
const rowsEntry = z.object({
  kind: z.literal('rows'),
  file: z.string(),
  backup: z.string(),
  rows: z.array(
    z.object({
      table: z.string(),
      column: z.string(),
      rowid: z.number(),
      before: z.string(),
      after: z.string(),
      edits,
    }),
  ),
})
/** A file that did not exist, and the folders made for it, the innermost first. */
const newEntry = z.object({
  kind: z.literal('new'),
  file: z.string(),
  after: z.string(),
  folders: z.array(z.string()).optional(),
})
const entry = z.discriminatedUnion('kind', [fileEntry, rowsEntry, newEntry])

export type FileEntry = z.infer<typeof fileEntry>
export type RowsEntry = z.infer<typeof rowsEntry>
export type NewEntry = z.infer<typeof newEntry>
export type JournalEntry = z.infer<typeof entry>

const header = z.object({
  kind: z.literal('header'),
  version: z.literal(1),
  root: z.string(),
  at: z.string(),
  facts: z.object({ provider: z.string(), prefix: z.string(), field: z.string() }),
  renames: z.boolean().default(true),
})

/** File in each run's folder; every line is JSON. */
export const journalName = 'journal.jsonl'

/** One run of `--write`: a numbered folder with a journal and the original files. */
export interface Run {
  readonly folder: string
  readonly facts: SiteFacts
  /** True if it renamed keys, which can be undone one by one if the lines changed. */
  readonly renames: boolean
  readonly entries: readonly JournalEntry[]
}

/**
 * Builds the journal: a header, a line for each change, and a last line. Without the last line nothing was
 * touched.
 */
export function journalText(
  { root, facts, renames = true }: Pick<Plan, 'root' | 'facts' | 'renames'>,
  at: Date,
  entries: readonly JournalEntry[],
): string {
  return [
    { kind: 'header', version: 1, root, at: at.toISOString(), facts, renames },
    ...entries,
    { kind: 'ready', count: entries.length },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
}

/**
 * Lists the runs that are not undone yet, newest first. A journal without its last line belongs to a run that
 * stopped before it touched anything.
 * @throws ERR_STORAGE for a journal that is not ours
 */
export function readRuns(backup: string, root: string): Run[] {
  return runFolders(backup)
    .filter((name) => !existsSync(join(backup, name, 'rolled-back')))
    .reverse()
    .flatMap((name) => {
      const folder = join(backup, name)
      const journal = readJournal(folder, root)
      return journal ? [{ folder, ...journal }] : []
    })
}

/** Lists the runs in a backup folder, oldest first, undone ones included; none without a folder. */
export function runFolders(backup: string): string[] {
  return existsSync(backup)
    ? readdirSync(backup)
        .filter((name) => /^\d{3,}$/.test(name))
        .sort(byNumber)
    : []
}

function byNumber(a: string, b: string): number {
  return Number(a) - Number(b)
}

function readJournal(folder: string, root: string): Omit<Run, 'folder'> | null {
  const path = join(folder, journalName)
  if (!existsSync(path)) return null
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  if (!lines.at(-1)?.startsWith('{"kind":"ready"')) return null
  try {
    const first = header.parse(JSON.parse(lines[0] ?? 'null'))
    if (first.root !== root) throw new TypeError(`it is about ${first.root}`)
    const entries = lines.slice(1, -1).map((line) => checkPath(entry.parse(JSON.parse(line))))
    return { facts: first.facts, renames: first.renames, entries }
  } catch (cause) {
    throw new MembershipError(
      'ERR_STORAGE',
      `The journal ${path} cannot be used: ${(cause as Error).message}`,
      {
        action: 'Put the files back by hand from the folder beside the journal.',
        cause,
      },
    )
  }
}

// A manipulated journal must not lead out of the site.
function checkPath(journalEntry: JournalEntry): JournalEntry {
  for (const path of journalEntry.kind === 'new'
    ? [journalEntry.file, ...(journalEntry.folders ?? [])]
    : [journalEntry.file, journalEntry.backup])
    if (isAbsolute(path) || path.split(/[\\/]/).includes('..')) throw new TypeError(`it names ${path}`)
  return journalEntry
}
