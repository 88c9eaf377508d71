/** Replaces `[start, end)` of a text. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Sorts edits by place. @throws TypeError when two of them overlap, which is a bug of ours */
export function inOrder(edits: readonly Edit[]): Edit[] {
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end)
  for (const [i, edit] of sorted.entries())
    if (edit.end < edit.start || edit.start < (sorted[i - 1]?.end ?? 0))
      throw new TypeError(`overlapping edits at ${edit.start}`)
  return sorted
}

/** Applies edits; everything outside them stays unchanged. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let out = ''
  let from = 0
  for (const { start, end, text: insert } of inOrder(edits)) {
    out += text.slice(from, start) + insert
    from = end
  }
  return out + text.slice(from)
}

/**
 * Converts an offset of the edited text to the original text; inserted text maps to the place of its edit.
 */
export function placeBefore(edits: readonly Edit[], offset: number): number {
  let shift = 0
  for (const { start, end, text } of inOrder(edits)) {
    if (offset < start + shift) break
    if (offset < start + shift + text.length) return start
    shift += text.length - (end - start)
  }
  return offset - shift
}

/** Returns the edits that lead from the edited text back to `text`. */
export function invertEdits(text: string, edits: readonly Edit[]): Edit[] {
  let shift = 0
  return inOrder(edits).map(({ start, end, text: insert }) => {
    const back = { start: start + shift, end: start + shift + insert.length, text: text.slice(start, end) }
    shift += insert.length - (end - start)
    return back
  })
}
