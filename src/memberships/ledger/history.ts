import type { FineMoment } from '../../core/dto/index.ts'
import {
  asShown,
  itemsColumn,
  joinWholeLists,
  readItems,
  type WholeList,
  wholeListOf,
  withWhole,
} from './items.ts'
import { answerStands, currentOf, type History, joinHistories, type Mark } from './message-order.ts'
import type { FactRow } from './statements/index.ts'

/** The source of a snapshot: one webhook event, or the answer to a call of ours. */
export interface Origin {
  readonly provider: string
  readonly account: string
  /** The event's id, or a name for the fetch. */
  readonly id: string
  readonly source: 'event' | 'fetch'
  /** The event's time, or the moment of the fetch. */
  readonly at: FineMoment
  /** True for the answer of checkout polling. It asks for no further poll. */
  readonly isLook?: true
  /** True for an import. It happened earlier and elsewhere, so nobody is mailed or notified. */
  readonly isQuiet?: true
  /** True for an import or a comparison. It does not say under which terms the purchase was made. */
  readonly isFound?: true
}

/** Builds the history of a single snapshot. */
export function snapshotHistory<T>(mark: Mark, at: string, content: T): History<T> {
  return {
    at,
    marks: [mark],
    contents: { [mark.digest]: content },
    prior: null,
    answer: null,
  }
}

/** Reads the history that a row holds. */
export function toHistory<T>(row: FactRow): History<T> {
  const marks = JSON.parse(row.marks) as Mark[]
  const prior =
    row.prior_at === null ? null : { at: row.prior_at, marks: JSON.parse(row.prior_marks ?? '[]') as Mark[] }
  const bare = { at: row.at, marks, prior }
  const tied = row.tied === null ? {} : (JSON.parse(row.tied) as Record<string, T>)
  const data = asShown(JSON.parse(row.data) as T, readItems(row.items).shown)
  if (answerStands(bare)) return { ...bare, contents: tied, answer: data }
  return { ...bare, contents: { ...tied, [currentOf(bare).digest]: data }, answer: null }
}

/** Adds one snapshot to a row's history. Returns the current content and the columns to write. */
export function withSnapshot<T>(
  row: FactRow | undefined,
  added: History<T>,
): { content: T; columns: FactRow } {
  const history = row ? joinHistories(toHistory<T>(row), added) : added
  const { digest, contested } = currentOf(history)
  const { [digest]: newest, ...rest } = history.contents
  const content = history.answer ?? (newest as T)
  const whole = joinWholeLists(row ? toWholeList<T>(row) : null, newestWholeList(added))
  const completed = withWhole(content, whole)
  const others = history.answer === null ? rest : history.contents
  const isAnswered = history.answer !== null || history.marks.some((m) => m.source === 'fetch')
  return {
    content: completed,
    columns: {
      data: JSON.stringify(completed),
      items: itemsColumn(content, momentOf(history), whole),
      at: history.at,
      source: isAnswered ? 1 : 0,
      marks: JSON.stringify(history.marks),
      tied: Object.keys(others).length > 0 ? JSON.stringify(others) : null,
      prior_at: history.prior?.at ?? null,
      prior_marks: history.prior === null ? null : JSON.stringify(history.prior.marks),
      contested: contested ? 1 : 0,
      revision: row?.revision ?? 0,
    },
  }
}

// The moment of the current answer, where an answer stands.
function momentOf({ answer, at, prior }: History<unknown>): string {
  return answer === null ? at : (prior?.at ?? at)
}

function newestWholeList<T>(history: History<T>): WholeList | null {
  const lists = Object.values(history.contents).map((content) => wholeListOf(content, history.at))
  const answered = history.answer === null ? null : wholeListOf(history.answer, momentOf(history))
  return lists.reduce(joinWholeLists, answered)
}

function toWholeList<T>(row: FactRow): WholeList | null {
  return row.items === null ? newestWholeList(toHistory<T>(row)) : readItems(row.items).whole
}

/** Builds the columns for a single snapshot: the same as `withSnapshot` without a row, but without joining. */
export function firstColumns(mark: Mark, at: string, data: string): FactRow {
  return {
    data,
    at,
    items: null,
    source: mark.source === 'fetch' ? 1 : 0,
    marks: JSON.stringify([mark]),
    tied: null,
    prior_at: null,
    prior_marks: null,
    contested: 0,
    revision: 0,
  }
}

/** True if the row would not change, because the snapshot is known or older than what is kept. */
export function isUnchanged(row: FactRow | undefined, columns: FactRow): boolean {
  return (
    row !== undefined &&
    row.at === columns.at &&
    row.marks === columns.marks &&
    row.items === columns.items &&
    row.prior_at === columns.prior_at &&
    row.prior_marks === columns.prior_marks
  )
}
