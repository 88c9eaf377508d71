import type { Edit } from '../edits.ts'
import { indentAt, lineEnd, lineStart, newlineOf } from '../lines.ts'
import { afterComma, isOwnLine, type Syntax } from './syntax.ts'
import type { Entry, MapNode } from './tree.ts'

/**
 * Returns edits that remove an entry from its map, with its comma and, if it has its own lines, these lines.
 */
export function removal(text: string, map: MapNode, entry: Entry): Edit[] {
  if (!map.isFlow) return [{ start: lineStart(text, entry.start), end: nextLine(text, entry.end), text: '' }]
  const comma = afterComma(text, entry.end)
  const end = comma ?? entry.end
  const before = map.entries[map.entries.indexOf(entry) - 1]
  const orphan = comma === null && before ? afterComma(text, before.end) : null
  // If the list has no trailing comma, removing the last entry also removes the comma before it.
  const dangling = orphan === null ? [] : [{ start: orphan - 1, end: orphan, text: '' }]
  const from = lineStart(text, entry.start)
  if (isOwnLine(text, entry) && isRestOfLine(text, end))
    return [...dangling, { start: from, end: nextLine(text, end), text: '' }]
  if (comma !== null) {
    const gap = /^[ \t]*/.exec(text.slice(comma))![0].length
    return [{ start: entry.start, end: comma + gap, text: '' }]
  }
  return orphan === null ? [{ start: entry.start, end, text: '' }] : [{ start: orphan - 1, end, text: '' }]
}

/** Returns edits that insert a pair after an entry of a map, in that entry's style. */
export function insertion(text: string, map: MapNode, after: Entry, pair: string): Edit[] {
  const eol = newlineOf(text)
  const indent = indentAt(text, after.start)
  if (!map.isFlow) return [at(lineEnd(text, after.end), `${eol}${indent}${pair}`)]
  const comma = afterComma(text, after.end)
  const isBlock = isOwnLine(text, after)
  if (!isBlock) return [at(comma ?? after.end, comma === null ? `, ${pair}` : ` ${pair},`)]
  if (comma === null) {
    // A comment may follow the entry on its line, so the comma goes before it and the new line after it.
    const end = lineEndBefore(text, after.end, map)
    return end === after.end
      ? [at(end, `,${eol}${indent}${pair}`)]
      : [at(after.end, ','), at(end, `${eol}${indent}${pair}`)]
  }
  return [at(lineEndBefore(text, comma, map), `${eol}${indent}${pair},`)]
}

/** Returns edits that insert a pair before an entry of a map. */
export function insertionBefore(text: string, map: MapNode, before: Entry, pair: string): Edit[] {
  const indent = isOwnLine(text, before) ? `${newlineOf(text)}${indentAt(text, before.start)}` : ' '
  return [at(before.start, `${pair}${map.isFlow ? ',' : ''}${indent}`)]
}

/** Returns an entry's text for another place, with later lines indented for it. */
export function movedText(text: string, entry: Entry, indent: string, syntax: Syntax): string {
  const written = text.slice(entry.start, entry.end)
  const old = indentAt(text, entry.start)
  if (old === indent || !written.includes('\n') || !syntax.canIndent(written)) return written
  return written
    .split('\n')
    .map((line, i) =>
      i > 0 && line.trim() !== '' && line.startsWith(old) ? indent + line.slice(old.length) : line,
    )
    .join('\n')
}

function at(offset: number, text: string): Edit {
  return { start: offset, end: offset, text }
}

function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}

// Only white space, or a comment about the entry, follows it.
function isRestOfLine(text: string, end: number): boolean {
  return /^\s*((\/\/|#).*|\/\*.*\*\/\s*)?$/.test(text.slice(end, lineEnd(text, end)))
}

function lineEndBefore(text: string, from: number, map: MapNode): number {
  const end = lineEnd(text, from)
  // The map closes on this line: `'a' => 1]`
  return end >= map.end || !isRestOfLine(text, from) ? from : end
}
