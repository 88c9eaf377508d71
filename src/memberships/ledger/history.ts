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
import { answerStands, type History, joinHistories, type Mark, standing } from './message-order.ts'
import type { FactRow } from './statements/index.ts'

/** The origin of a snapshot: one provider message, or an answer to our own call. */
export interface Origin {
  readonly provider: string
  readonly account: string
  /** The message's id, or a name of the fetch. */
  readonly id: string
  readonly source: 'event' | 'fetch'
  /** The message's own time, or the fetch's moment. */
  readonly at: FineMoment
  /** Brought by a look at a checkout: what it says asks for no further one. */
  readonly isLook?: true
  /** Brought by an import: it happened before, elsewhere, so that nobody is mailed or told of it as news. */
  readonly isQuiet?: true
}

/** A history of one snapshot. */
export const snapshotHistory = <T>(mark: Mark, at: string, content: T): History<T> => ({
  at,
  marks: [mark],
  contents: { [mark.digest]: content },
  prior: null,
  answer: null,
})

/** The history that a row holds. */
export const toHistory = <T>(row: FactRow): History<T> => {
  const marks = JSON.parse(row.marks) as Mark[]
  const prior =
    row.prior_at === null ? null : { at: row.prior_at, marks: JSON.parse(row.prior_marks ?? '[]') as Mark[] }
  const bare = { at: row.at, marks, prior }
  const tied = row.tied === null ? {} : (JSON.parse(row.tied) as Record<string, T>)
  const data = asShown(JSON.parse(row.data) as T, readItems(row.items).shown)
  if (answerStands(bare)) return { ...bare, contents: tied, answer: data }
  return { ...bare, contents: { ...tied, [standing(bare).digest]: data }, answer: null }
}

/** A row's history with one more snapshot: what stands now, and the columns to write. */
export const withSnapshot = <T>(
  row: FactRow | undefined,
  added: History<T>,
): { content: T; columns: FactRow } => {
  const history = row ? joinHistories(toHistory<T>(row), added) : added
  const { digest, contested } = standing(history)
  const { [digest]: newest, ...rest } = history.contents
  const content = history.answer ?? (newest as T)
  const whole = joinWholeLists(row ? toWholeList<T>(row) : null, newestWholeList(added))
  const said = withWhole(content, whole)
  const others = history.answer === null ? rest : history.contents
  const isAnswered = history.answer !== null || history.marks.some((m) => m.source === 'fetch')
  return {
    content: said,
    columns: {
      data: JSON.stringify(said),
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

// Of an answer that stands, its own moment.
const momentOf = ({ answer, at, prior }: History<unknown>): string =>
  answer === null ? at : (prior?.at ?? at)

const newestWholeList = <T>(history: History<T>): WholeList | null => {
  const lists = Object.values(history.contents).map((content) => wholeListOf(content, history.at))
  const answered = history.answer === null ? null : wholeListOf(history.answer, momentOf(history))
  return lists.reduce(joinWholeLists, answered)
}

const toWholeList = <T>(row: FactRow): WholeList | null =>
  row.items === null ? newestWholeList(toHistory<T>(row)) : readItems(row.items).whole

/** The columns of a history of one snapshot: what `withSnapshot` gives where nothing is known, without its joining. */
export const firstColumns = (mark: Mark, at: string, data: string): FactRow => ({
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
})

/** True when the row would stay as it is: the snapshot is known, or older than what is kept. */
export const isUnchanged = (row: FactRow | undefined, columns: FactRow): boolean =>
  row !== undefined &&
  row.at === columns.at &&
  row.marks === columns.marks &&
  row.items === columns.items &&
  row.prior_at === columns.prior_at &&
  row.prior_marks === columns.prior_marks
