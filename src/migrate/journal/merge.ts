import { diffArrays } from 'diff'
import { applyEdits, type Edit, invertEdits } from '../edits.ts'

/**
 * Undoes edits in a text that changed since. `original` with its `edits` gave the written text; `current` is
 * the present one. An edit with unchanged lines moves with them. On a changed line it goes to the only place
 * that still has the written text (the key, if its value changed). Returns null if one of the edits has no
 * such place, so that a person must decide. O(text × changes).
 */
export function takeBack(original: string, edits: readonly Edit[], current: string): string | null {
  const written = applyEdits(original, edits)
  const kept = keptLines(written, current)
  const moved: Edit[] = []
  for (const edit of invertEdits(original, edits)) {
    const shift = shiftOf(kept, edit) ?? shiftInHunk(kept, edit, written, current)
    if (shift === null) return null
    moved.push({ ...edit, start: edit.start + shift, end: edit.end + shift })
  }
  return applyEdits(current, moved)
}

/** Finds an edit's text in a changed run of lines, before and now. */
function shiftInHunk(
  kept: readonly Kept[],
  { start, end }: Edit,
  written: string,
  current: string,
): number | null {
  const before = kept.findLast((run) => run.end <= start)
  const after = kept.find((run) => run.start >= end)
  const from = before?.end ?? 0
  const hunk = written.slice(from, after?.start ?? written.length)
  const fromNow = from + (before?.shift ?? 0)
  const hunkNow = current.slice(fromNow, after ? after.start + after.shift : current.length)
  const wanted = written.slice(start, end)
  const at = hunkNow.indexOf(wanted)
  const isOnce = (text: string) => text.indexOf(wanted) === text.lastIndexOf(wanted)
  return wanted.trim() !== '' && at !== -1 && isOnce(hunk) && isOnce(hunkNow) ? fromNow + at - start : null
}

/** A run of lines that is equal in both texts. */
interface Kept {
  readonly start: number
  readonly end: number
  readonly shift: number
}

function keptLines(written: string, current: string): Kept[] {
  const kept: Kept[] = []
  let [here, there] = [0, 0]
  for (const part of diffArrays(linesOf(written), linesOf(current))) {
    const length = part.value.reduce((sum, line) => sum + line.length, 0)
    if (!part.added && !part.removed) kept.push({ start: here, end: here + length, shift: there - here })
    if (!part.added) here += length
    if (!part.removed) there += length
  }
  return kept
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

// An edit at the edge of a run belongs to its line; one that deleted whole lines lies between two kept ones.
function shiftOf(kept: readonly Kept[], { start, end }: Edit): number | null {
  const home = kept.find((run) => start >= run.start && end <= run.end && (start < run.end || start === end))
  if (!home) return null
  const isEdge = start === end && (start === home.start || start === home.end)
  const other = isEdge
    ? kept.find((run) => run !== home && (run.end === start || run.start === start))
    : undefined
  return other && other.shift !== home.shift ? null : home.shift
}
