import type { CsvColumns } from '../core/dto/csv.ts'
import type { Storage } from '../core/storage/index.ts'
import { leavingReasons } from '../memberships/checkout/index.ts'
import { monthsUntil } from './measures.ts'

/** Months that the page counts; the file has all. */
const shownMonths = 12

/** The number of times that an answer was given in a month by members of a plan. */
export interface ReasonCount {
  readonly month: string
  readonly plan: string
  /** Empty where none was chosen. */
  readonly reason: string
  readonly times: number
}

/** An answer with its share of all answers, from 0 to 1. */
export interface ReasonRow {
  readonly reason: string
  readonly times: number
  readonly share: number
}

/** Reads the answers of members who cancelled, since a month. */
function readReasons(storage: Pick<Storage, 'read'>, since: string): Promise<readonly ReasonCount[]> {
  return storage.read((db) =>
    db
      .selectFrom('leaving_reasons')
      .select(['month', 'plan', 'reason', 'times'])
      .where('month', '>=', since)
      .orderBy('month', 'desc')
      .orderBy('plan')
      .orderBy('reason'),
  )
}

/** Every answer ever given, for the file. */
export function allReasons(storage: Pick<Storage, 'read'>): Promise<readonly ReasonCount[]> {
  return readReasons(storage, '')
}

/** The answers of the last twelve months in the order of the page, of all plans or one; none while nobody cancelled. */
export async function reasonRows(
  storage: Pick<Storage, 'read'>,
  { plan, now }: { plan: string | null; now: Date },
): Promise<readonly ReasonRow[]> {
  const counts = (await readReasons(storage, monthsUntil(now, shownMonths - 1)[0]!)).filter(
    (count) => plan === null || count.plan === plan,
  )
  const timesOf = (reason: string) =>
    counts.reduce((sum, given) => sum + (given.reason === reason ? given.times : 0), 0)
  const rows = [...leavingReasons, ''].map((reason) => ({ reason, times: timesOf(reason) }))
  const all = rows.reduce((sum, { times }) => sum + times, 0)
  return all === 0 ? [] : rows.map((row) => ({ ...row, share: row.times / all }))
}

export const reasonColumns: CsvColumns<ReasonCount> = [
  ['Month', ({ month }) => month],
  ['Plan', ({ plan }) => plan],
  ['Reason', ({ reason }) => reason],
  ['Times', ({ times }) => times],
]
