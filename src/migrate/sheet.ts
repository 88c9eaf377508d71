import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, type Found } from './find.ts'
import { hashOf } from './hash.ts'
import type { Decision, FileChange, Part, Rewrite, Skipped } from './plan.ts'
import { maxFileBytes, placeOf, type Source, toBytes, toSource } from './source.ts'

/** Reads a site's files and collects what becomes of them. */
export const createSheet = (
  root: string,
  found: readonly Found[],
  before: readonly Skipped[],
  onProgress: (step: string, done: number, all: number) => void = () => undefined,
) => {
  const changes: FileChange[] = []
  const decisions: Decision[] = []
  const skipped: Skipped[] = [...before]

  const read = (file: string): Source | null => {
    try {
      const bytes = readSmall(join(root, file))
      if (bytes === null) {
        skipped.push({ file, reason: `is larger than ${maxFileBytes / 1024 / 1024} MB` })
        return null
      }
      const source = toSource(file, bytes)
      if (typeof source !== 'string') return source
      if (source === 'utf-16')
        skipped.push({ file, reason: 'is UTF-16: save it as UTF-8 and run the migration again' })
      return null
    } catch (error) {
      skipped.push({ file, reason: `cannot be read: ${codeOf(error)}` })
      return null
    }
  }

  /** One text at a time. */
  function* each(part: Part): Generator<Source> {
    const files = found.filter((one) => one.part === part)
    for (const [i, { file }] of files.entries()) {
      if (i % 200 === 0) onProgress(part, i, files.length)
      const source = read(file)
      if (source) yield source
    }
  }

  const add = (part: Part, source: Source, { edits, summary, findings }: Rewrite): void => {
    const { file, text, encoding } = source
    if (edits.length > 0)
      changes.push({ part, file, before: hashOf(toBytes(source, text)), encoding, edits, summary })
    for (const { at, ...finding } of findings)
      decisions.push({ part, file, ...placeOf(text, at), ...finding })
  }

  return { changes, decisions, skipped, each, readAll: (part: Part): Source[] => [...each(part)], add }
}
export type Sheet = ReturnType<typeof createSheet>

/** A file's bytes; null when there are too many of them. */
const readSmall = (path: string): Buffer | null => {
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
