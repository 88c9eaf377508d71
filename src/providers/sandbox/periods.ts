import type { SandboxPrice, SandboxSubscription } from './objects.ts'

/** The moment so many calendar months later; the 31st of a shorter month is its last day. UTC. */
export const addMonths = (from: Date, months: number): Date => {
  const date = new Date(from)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, days))
  return date
}

/** So many days of 24 hours later. */
export const addDays = (from: string, days: number): string =>
  new Date(Date.parse(from) + days * 86_400_000).toISOString()

type Rhythm = Pick<SandboxPrice, 'interval' | 'interval_count'>

/** The first end of a period after `start`, counted in whole intervals from the anchor: after 31 January comes
 *  28 February, and then 31 March. */
export const nextEnd = (anchor: string, rhythm: Rhythm, start: string): string => {
  for (let intervals = 1; ; intervals++) {
    const end = addIntervals(new Date(anchor), rhythm, intervals).toISOString()
    if (end > start) return end
  }
}

const addIntervals = (anchor: Date, { interval, interval_count }: Rhythm, times: number): Date => {
  const count = interval_count * times
  if (interval === 'day') return new Date(addDays(anchor.toISOString(), count))
  if (interval === 'week') return new Date(addDays(anchor.toISOString(), 7 * count))
  return addMonths(anchor, interval === 'year' ? 12 * count : count)
}

/** Whether both are written the same: seven days are another rhythm than one week. */
export const isSameRhythm = (a: Rhythm, b: Rhythm): boolean =>
  a.interval === b.interval && a.interval_count === b.interval_count

/** How much of the period is left at a moment, from 1 to 0, by whole seconds. */
export const leftOf = (
  { period_start, period_end }: Pick<SandboxSubscription, 'period_start' | 'period_end'>,
  at: string,
): number => {
  const [start, end, moment] = [toSeconds(period_start), toSeconds(period_end), toSeconds(at)]
  if (end <= start) return 0
  return Math.min(1, Math.max(0, (end - moment) / (end - start)))
}

const toSeconds = (at: string): number => Math.floor(Date.parse(at) / 1000)
