import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, type Found } from './find.ts'
import { hashOf } from './hash.ts'
import { lineIndex } from './lines.ts'
import {
  type Decision,
  type FileChange,
  type OnProgress,
  type Part,
  type Rewrite,
  type Skipped,
  toDecision,
} from './plan.ts'
import { maxFileBytes, placeOf, type Source, toBytes, toSource } from './source.ts'

export interface Sheet {
  readonly changes: FileChange[]
  readonly decisions: Decision[]
  readonly skipped: Skipped[]
  /** One text at a time. */
  each(part: Found['part']): Generator<Source>
  eachOf(...of: Found['part'][]): Generator<Source>
  readAll(part: Part): Source[]
  add(part: Part, source: Source, rewrite: Rewrite): void
}

/** Reads a site's files and collects their changes. */
export function createSheet(
  root: string,
  found: readonly Found[],
  before: readonly Skipped[],
  onProgress: OnProgress = () => undefined,
): Sheet {
  const changes: FileChange[] = []
  const decisions: Decision[] = []
  const skipped: Skipped[] = [...before]

  const read = ({ file, part }: Found): Source | null => {
    // A script is searched only for names of variables.
    const mayHoldV1 = part !== 'script'
    try {
      const bytes = readSmall(join(root, file))
      if (bytes === null) {
        skipped.push({ file, reason: `is larger than ${maxFileBytes / 1024 / 1024} MB`, mayHoldV1 })
        return null
      }
      const source = toSource(file, bytes)
      if (typeof source !== 'string') return source
      const reason =
        source === 'utf-16'
          ? 'is UTF-16: save it as UTF-8 and run the migration again'
          : 'holds a NUL, as no text does'
      if (mayHoldV1) skipped.push({ file, reason, mayHoldV1 })
      return null
    } catch (error) {
      skipped.push({ file, reason: `cannot be read: ${codeOf(error)}`, mayHoldV1 })
      return null
    }
  }

  function* each(part: Found['part']): Generator<Source> {
    const files = found.filter((entry) => entry.part === part)
    for (const [i, entry] of files.entries()) {
      onProgress(part, i, files.length, entry.file)
      const source = read(entry)
      if (source) yield source
    }
  }
  function* eachOf(...of: Found['part'][]): Generator<Source> {
    for (const part of of) yield* each(part)
  }

  /**
   * Adds a change. A file that several parts change is written once; overlapping edits wait for the next run.
   */
  const change = (next: FileChange): void => {
    const at = changes.findIndex(({ file }) => file === next.file)
    const known = changes[at]
    if (!known) {
      changes.push(next)
      return
    }
    const more = next.edits.filter((edit) =>
      known.edits.every(({ start, end }) => edit.end <= start || edit.start >= end),
    )
    const edits = [...known.edits, ...more].sort((a, b) => a.start - b.start)
    changes[at] = { ...known, edits, summary: [...known.summary, ...next.summary] }
  }

  const add = (part: Part, source: Source, { edits, summary, findings }: Rewrite): void => {
    const { file, text, encoding } = source
    if (edits.length > 0)
      change({ part, file, before: hashOf(toBytes(source, text)), encoding, edits, summary })
    const isLookedAt = findLookedAt(text)
    for (const { at, replacement, ...finding } of findings) {
      // A suggestion that equals the existing text is dropped.
      const isThere = replacement !== null && text.startsWith(replacement, at)
      const decision = {
        part,
        file,
        ...placeOf(text, at),
        ...finding,
        replacement: isThere ? null : replacement,
      }
      decisions.push(toDecision(decision, isLookedAt(at)))
    }
  }

  return {
    changes,
    decisions,
    skipped,
    each,
    eachOf,
    readAll: (part: Part): Source[] => [...each(part)],
    add,
  }
}

/**
 * Finds the lines that a comment on the line, or on the one before, marks as checked and correct. Reads the
 * text once, as a large file on one line may have thousands of findings.
 */
function findLookedAt(text: string): (at: number) => boolean {
  const marks = [...text.matchAll(/\bmembership: looked at\b/gi)]
  if (marks.length === 0) return () => false
  const lineOf = lineIndex(text)
  const lines = new Set(marks.flatMap(({ index }) => [lineOf(index), lineOf(index) + 1]))
  return (at) => lines.has(lineOf(at))
}

/** Reads a file's bytes; null if there are too many. */
function readSmall(path: string): Buffer | null {
  const handle = openSync(path, 'r')
  try {
    const { size } = fstatSync(handle)
    if (size > maxFileBytes) return null
    const bytes = Buffer.allocUnsafe(size)
    let length = 0
    for (let read = 1; read > 0 && length < size; length += read)
      read = readSync(handle, bytes, length, size - length, null)
    return bytes.subarray(0, length)
  } finally {
    closeSync(handle)
  }
}
