import { diffWordsWithSpace, structuredPatch } from 'diff'
import { createRender } from '../../core/pages/index.ts'
import { applyEdits } from '../edits.ts'
import { mask } from '../mask.ts'
import type { Plan } from '../plan.ts'
import type { Source } from '../source.ts'
import { planJson } from './json.ts'

interface Word {
  readonly text: string
  readonly isChanged: boolean
}

interface Cell {
  readonly line: number | null
  readonly words: readonly Word[]
}

interface Row {
  readonly isChanged: boolean
  readonly before: Cell
  readonly after: Cell
}

// More files make a page too large for browsers; the others are counted.
const shownFiles = 300

/**
 * Renders the plan as a self-contained page, before and after side by side; no scripts, nothing external.
 * Masked.
 */
export function planHtml(plan: Plan, read: (file: string) => Source): string {
  const files = plan.changes.slice(0, shownFiles).map(({ file, part, summary, edits }) => {
    const { text } = read(file)
    return {
      file,
      part,
      summary: summary.map(mask),
      hunks: hunksOf(mask(text), mask(applyEdits(text, edits))),
    }
  })
  const { decisions, ...rest } = planJson(plan)
  return createRender(null, false)('migrate/plan', {
    ...rest,
    files,
    more: plan.changes.length - files.length,
    asks: decisions.filter(({ replacement }) => replacement !== null),
    tells: decisions.filter(({ replacement }) => replacement === null),
    total: plan.changes.length,
    looked: plan.files,
  })
}

function hunksOf(before: string, after: string): Row[][] {
  return structuredPatch('', '', before, after, '', '', { context: 3 }).hunks.map(
    ({ oldStart, newStart, lines }) => {
      const rows: Row[] = []
      let [old, now] = [oldStart, newStart]
      let removed: string[] = []
      let added: string[] = []
      const flush = () => {
        for (let i = 0; i < Math.max(removed.length, added.length); i++)
          rows.push(changedRow(removed[i], added[i], { old: old + i, now: now + i }))
        old += removed.length
        now += added.length
        removed = []
        added = []
      }
      for (const line of lines) {
        const text = line.slice(1)
        if (line.startsWith('-')) removed.push(text)
        else if (line.startsWith('+')) added.push(text)
        else if (line.startsWith(' ')) {
          flush()
          const words = [{ text, isChanged: false }]
          rows.push({ isChanged: false, before: { line: old++, words }, after: { line: now++, words } })
        }
      }
      flush()
      return rows
    },
  )
}

function changedRow(was: string | undefined, is: string | undefined, at: { old: number; now: number }): Row {
  const parts = was !== undefined && is !== undefined ? diffWordsWithSpace(was, is) : null
  const side = (text: string | undefined, line: number, other: 'added' | 'removed'): Cell => {
    if (text === undefined) return { line: null, words: [] }
    if (!parts) return { line, words: [{ text, isChanged: true }] }
    const own = parts.filter((part) => !part[other])
    return {
      line,
      words: own.map(({ value, added, removed }) => ({ text: value, isChanged: added || removed })),
    }
  }
  return { isChanged: true, before: side(was, at.old, 'added'), after: side(is, at.now, 'removed') }
}
