import type { FakeServer } from '../../src/fakes/engine/index.ts'

/** A time that was paid, in seconds of Unix time. */
export interface Period {
  readonly start: number
  readonly end: number
}

/** Which days each address has paid, by the invoices of both. */
export function paidDays(fakes: readonly FakeServer[]): Map<string, Period[]> {
  const paid = new Map<string, Period[]>()
  for (const { books } of fakes)
    for (const { status, total, email, lines } of books.list('invoice'))
      if (status === 'paid' && total > 0)
        paid.set(email ?? '', [...(paid.get(email ?? '') ?? []), ...lines.map(({ period }) => period)])
  return paid
}

/** How many seconds are paid more than once. */
export function overlapOf(periods: readonly Period[]): number {
  const sorted = periods.toSorted((a, b) => a.start - b.start)
  let [until, twice] = [0, 0]
  for (const { start, end } of sorted) {
    twice += Math.max(0, Math.min(until, end) - start)
    until = Math.max(until, end)
  }
  return twice
}
