import { diffArrays } from 'diff'
import type { Edit } from '../edits.ts'

/** The lines that differ, so that what is written later to others of them is kept by a rollback. */
export const editsBetween = (before: string, after: string): Edit[] => {
  const edits: Edit[] = []
  let at = 0
  let isOpen = false
  for (const { value, added, removed } of diffArrays(linesOf(before), linesOf(after))) {
    const text = value.join('')
    const isChange = added || removed
    if (isChange && !isOpen) edits.push({ start: at, end: at, text: '' })
    isOpen = isChange
    const last = edits.at(-1)
    if (removed && last) edits[edits.length - 1] = { ...last, end: at + text.length }
    if (added && last) edits[edits.length - 1] = { ...last, text: last.text + text }
    if (!added) at += text.length
  }
  return edits
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
