import { diffLines } from 'diff'
import { applyEdits as applyJsonEdits, type Edit as JsonEdit, modify, parse } from 'jsonc-parser'
import type { Edit } from './edits.ts'
import { newlineOf } from './lines.ts'

/**
 * Returns the edits that add packages to `dependencies` in their order, and other entries to the end. What is
 * there stays.
 */
export function packageEdits(
  packageJson: string,
  dependencies: Readonly<Record<string, string>>,
  entries: Readonly<Record<string, string>> = {},
): Edit[] {
  let text = packageJson
  const add = (path: readonly string[], value: unknown) => {
    text = applyJsonEdits(text, editsFor(text, path, value))
  }
  const inOrder = Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1))
  if (/"dependencies"\s*:/.test(packageJson))
    for (const [name, range] of inOrder) add(['dependencies', name], range)
  else if (inOrder.length > 0) add(['dependencies'], Object.fromEntries(inOrder))
  for (const [name, value] of Object.entries(entries)) add([name], value)
  return editsBetween(packageJson, text)
}

/** Returns the smallest edits, line by line, that lead from one text to the other. */
export function editsBetween(before: string, after: string): Edit[] {
  const edits: Edit[] = []
  let at = 0
  let [removed, added] = ['', '']
  const flush = () => {
    if (removed !== added) edits.push(trimmed(at - removed.length, removed, added))
    removed = ''
    added = ''
  }
  for (const part of diffLines(before, after)) {
    if (part.added) added += part.value
    else if (part.removed) removed += part.value
    else flush()
    if (!part.added) at += part.value.length
  }
  flush()
  return edits
}

/** Leaves out what both texts begin and end with, so that a rollback finds the place in changed lines, too. */
function trimmed(start: number, removed: string, added: string): Edit {
  const most = Math.min(removed.length, added.length)
  let same = 0
  while (same < most && removed[same] === added[same]) same++
  let end = 0
  while (end < most - same && removed.at(-1 - end) === added.at(-1 - end)) end++
  return {
    start: start + same,
    end: start + removed.length - end,
    text: added.slice(same, added.length - end),
  }
}

function editsFor(text: string, path: readonly string[], value: unknown): JsonEdit[] {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  return modify(text, [...path], value, {
    formattingOptions: {
      insertSpaces: !indent.includes('\t'),
      tabSize: indent.includes('\t') ? 1 : indent.length,
      eol: newlineOf(text),
    },
    ...(path.length > 1 && {
      getInsertionIndex: (names: string[]) => {
        const after = names.findIndex((name) => name > path.at(-1)!)
        return after === -1 ? names.length : after
      },
    }),
  })
}

/** Returns the edit that adds lines to the end of a text, without those that it has. */
export function missingLines(before: string, wanted: readonly string[]): Edit[] {
  const there = new Set(before.split(/\r?\n/).map((line) => line.trim()))
  const added = wanted.filter((line) => !there.has(line))
  if (added.length === 0) return []
  const newline = newlineOf(before)
  const start = before === '' || before.endsWith('\n') ? '' : newline
  return [
    {
      start: before.length,
      end: before.length,
      text: start + added.map((line) => `${line}${newline}`).join(''),
    },
  ]
}

/** Parses JSON with comments, such as a tsconfig.json; undefined if it is none. */
export function parseJsonc(text: string): unknown {
  return parse(text)
}
