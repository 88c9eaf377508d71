import type { CsvCell, CsvColumns } from '../core/dto/csv.ts'
import { currencyDigits, isPaused, type Plan, paidTimeOf, type SubscriptionData } from '../core/dto/index.ts'
import { isPaying, monthlyOf, monthlyOfTerms, type SeenMonth } from './measures.ts'

/** The kinds of change between the MRR of two months, in display order. */
export const movements = ['new', 'expansion', 'reactivation', 'contraction', 'churn'] as const
/** One of {@link movements}. */
export type Movement = (typeof movements)[number]

/** A month's MRR in one currency, in minor units of ISO 4217. `start` and all movements add up to `end`. */
export interface RecurringMonth extends Readonly<Record<Movement, number>> {
  readonly month: string
  readonly currency: string
  readonly start: number
  /** At the end of the month; now for the current one. */
  readonly end: number
}

/** A monthly amount at each moment, by currency. */
export type Course = ReadonlyMap<string, readonly number[]>

/** A stored subscription with the last terms of its months, oldest first. */
export interface SeenSubscription {
  readonly s: SubscriptionData
  /** The moment of its newest snapshot. */
  readonly at: string
  readonly months: readonly SeenMonth[]
  readonly isNeverPaid: boolean
}

export interface CourseDeps {
  /** The ends of the months, each the first moment of the next; the last is now. */
  readonly ends: readonly string[]
  readonly plans: readonly Plan[]
  readonly inIso: (money: { amount: number; currency: string; provider: string }) => number
}

/** Returns what a subscription paid per month at each end of a month. */
export function courseOf(seen: SeenSubscription, { ends, plans, inIso }: CourseDeps): Course {
  const { provider } = seen.s
  const course = new Map<string, number[]>()
  for (const [i, end] of ends.entries()) {
    const found = amountAt(seen, { end, isNow: i === ends.length - 1, plans })
    if (found === null || found.currency === null || found.amount <= 0) continue
    const values = course.get(found.currency) ?? ends.map(() => 0)
    course.set(found.currency, values)
    values[i] = inIso({ amount: found.amount, currency: found.currency, provider })
  }
  return course
}

interface Amount {
  readonly currency: string | null
  readonly amount: number
}

function amountAt(
  { s, at, months, isNeverPaid }: SeenSubscription,
  { end, isNow, plans }: { end: string; isNow: boolean; plans: readonly Plan[] },
): Amount | null {
  const moment = new Date(end)
  const whole = { currency: s.currency, amount: monthlyOf(s, plans) }
  if (isNow || at < end) return isPaying(s, moment) ? whole : null
  const paid = paidTimeOf(s, s.updated_at)
  if (paid?.until != null && paid.until < end) return null
  const known = months.findLast((item) => item.at < end)
  if (known !== undefined) {
    const { terms } = known
    const amount = monthlyOfTerms(terms, s, plans)
    return isPaying(terms, moment) ? { currency: terms.currency, amount } : null
  }
  // Nothing was seen by then: the first known terms count from the beginning of the paid time.
  if (isNeverPaid || paid === null || paid.from >= end || isPaused({ ...s, status: 'active' }, moment))
    return null
  const first = months[0]
  if (first === undefined) return whole
  const amount = monthlyOfTerms(first.terms, s, plans)
  return { currency: first.terms.currency, amount }
}

/** True if a subscription was paid at the end of a month before `first`. */
export function wasPaidBefore({ s, isNeverPaid }: SeenSubscription, first: string): boolean {
  const paid = isNeverPaid ? null : paidTimeOf(s, s.updated_at)
  if (paid === null || (s.unit_amount ?? 0) === 0) return false
  const firstEnd = nextMonth(paid.from)
  return firstEnd < first && (paid.until === null || paid.until >= firstEnd)
}

/** The first moment of the month after a moment's. */
export function nextMonth(at: string): string {
  return new Date(Date.UTC(Number(at.slice(0, 4)), Number(at.slice(5, 7)), 1)).toISOString()
}

/**
 * Adds up courses per person, and finds the movements. People with equal courses are counted together, so that a million
 * of them need little memory.
 */
export function createRecurringMonths(months: readonly string[]) {
  const courses = new Map<string, { readonly course: Course; readonly isBefore: boolean }>()
  const people = new Map<string, string>()

  /** Adds a subscription of a person. `isBefore`: they were paying before the first end. */
  const take = (who: string, course: Course, isBefore: boolean): void => {
    if (course.size === 0 && !isBefore) return
    const known = people.get(who)
    const before = known === undefined ? undefined : courses.get(known)
    const sum = {
      course: before === undefined ? course : addCourses(before.course, course),
      isBefore: isBefore || before?.isBefore === true,
    }
    const key = keyOf(sum)
    if (!courses.has(key)) courses.set(key, sum)
    people.set(who, key)
  }

  const result = (): RecurringMonth[] => {
    const counts = new Map<string, number>()
    for (const key of people.values()) counts.set(key, (counts.get(key) ?? 0) + 1)
    const sums = new Map<string, ReturnType<typeof noSums>[]>()
    const sumsOf = (currency: string) => {
      const found = sums.get(currency) ?? months.map(noSums)
      sums.set(currency, found)
      return found
    }
    for (const [key, { course, isBefore }] of courses)
      addMovements(sumsOf, { course, isBefore, count: counts.get(key) ?? 0 })
    return [...sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([currency, own]) => roundedMonths(months, currency, own))
  }
  return { take, result }
}

function noSums() {
  return { start: 0, end: 0, new: 0, expansion: 0, reactivation: 0, contraction: 0, churn: 0 }
}

function addCourses(a: Course, b: Course): Course {
  const sum = new Map(a)
  for (const [currency, values] of b) {
    const known = sum.get(currency)
    sum.set(currency, known === undefined ? values : known.map((value, i) => value + values[i]!))
  }
  return sum
}

function keyOf({ course, isBefore }: { course: Course; isBefore: boolean }): string {
  return JSON.stringify([isBefore, [...course].sort(([a], [b]) => (a < b ? -1 : 1))])
}

/** Adds what `count` people with this course changed in each month. */
function addMovements(
  sumsOf: (currency: string) => ReturnType<typeof noSums>[],
  { course, isBefore, count }: { course: Course; isBefore: boolean; count: number },
): void {
  const values = [...course.values()]
  const ends = values[0]?.map((_, i) => values.some((own) => own[i]! > 0)) ?? []
  for (const [currency, own] of course)
    for (const [i, sums] of sumsOf(currency).entries()) {
      const [before, after] = [own[i]!, own[i + 1]!]
      sums.start += before * count
      sums.end += after * count
      if (before === after) continue
      const hadPaid = isBefore || ends.slice(0, i + 1).includes(true)
      sums[movementOf({ before, after, paidBefore: ends[i]!, paysAfter: ends[i + 1]!, hadPaid })] +=
        (after - before) * count
    }
}

/** Names a change of one currency. Whoever pays in another currency neither begins nor leaves. */
function movementOf(change: {
  before: number
  after: number
  paidBefore: boolean
  paysAfter: boolean
  hadPaid: boolean
}): Movement {
  if (change.before === 0 && !change.paidBefore) return change.hadPaid ? 'reactivation' : 'new'
  if (change.after === 0 && !change.paysAfter) return 'churn'
  return change.after > change.before ? 'expansion' : 'contraction'
}

/** Rounds to whole minor units. The greatest movement takes the rest, so that each month still adds up. */
function roundedMonths(
  months: readonly string[],
  currency: string,
  all: readonly ReturnType<typeof noSums>[],
): RecurringMonth[] {
  if (all.every(({ start, end }) => start === 0 && end === 0)) return []
  return all.map((sums, i) => {
    const [start, end] = [whole(sums.start), whole(sums.end)]
    const row = { ...noSums(), month: months[i]!, currency, start, end }
    for (const kind of movements) row[kind] = whole(sums[kind])
    const greatest = movements.reduce((a, b) => (Math.abs(sums[b]) > Math.abs(sums[a]) ? b : a))
    row[greatest] += end - start - movements.reduce((sum, kind) => sum + row[kind], 0)
    return row
  })
}

/** Rounds an amount. Sums of fractions are equal to a hundredth only. */
function whole(amount: number): number {
  return Math.round(Math.round(amount * 100) / 100) || 0
}

/** The columns of a table of MRR by month, in major units. */
export const recurringColumns: CsvColumns<RecurringMonth> = [
  ['Month', ({ month }) => month],
  ['Currency', ({ currency }) => currency],
  ['Start', (row) => majorOf(row, row.start)],
  ['New', (row) => majorOf(row, row.new)],
  ['Expansion', (row) => majorOf(row, row.expansion)],
  ['Reactivation', (row) => majorOf(row, row.reactivation)],
  ['Contraction', (row) => majorOf(row, row.contraction)],
  ['Churn', (row) => majorOf(row, row.churn)],
  ['End', (row) => majorOf(row, row.end)],
]

function majorOf({ currency }: RecurringMonth, amount: number): CsvCell {
  const digits = currencyDigits(currency)
  return { decimal: (amount / 10 ** digits).toFixed(digits) }
}

/** The most months that are counted at once. */
export const mostMonths = 120
