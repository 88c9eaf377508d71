import { createDocuments, type Storage } from '../../core/storage/index.ts'

/** The fate of one delivery: taken in, taken in and not applied yet, or refused as not signed by the provider. */
export type Arrival = 'received' | 'failed' | 'refused'

/** The deliveries of one day, and the longest time without one that ended in it. */
export interface Day {
  readonly received: number
  readonly failed: number
  readonly refused: number
  readonly longest_gap_ms: number
}

/** The deliveries for one account of a provider, over four weeks. */
export interface Received {
  readonly provider: string
  readonly account: string
  /** The moment of the last delivery that was taken in, ISO 8601 UTC; null while there was none. */
  readonly last_at: string | null
  /** By day, `2026-11-22`. */
  readonly days: Readonly<Record<string, Day>>
}

/** Notes when deliveries come, over all processes: counted in memory, and written once a minute. */
export const createDeliveries = (storage: Storage, now: () => Date) => {
  const documents = createDocuments(storage, 'deliveries')
  let pending = new Map<string, Pending>()

  /** One delivery. Waits for nothing. */
  const note = (provider: string, account: string, arrival: Arrival): void => {
    const name = nameOf(provider, account)
    const item = pending.get(name) ?? { provider, account, taken: null, failed: 0, refused: 0 }
    if (arrival !== 'refused') item.taken = later(item.taken, now().getTime())
    if (arrival !== 'received') item[arrival]++
    pending.set(name, item)
  }

  /** Writes what came since the last time. */
  const flush = async (): Promise<void> => {
    const taken = pending
    pending = new Map()
    for (const [name, item] of taken) {
      await write(name, item).catch((error: unknown) => {
        // Not written, it counts with what came meanwhile: a database that was away is no silence.
        for (const [left, before] of taken) pending.set(left, joined(before, pending.get(left)))
        throw error
      })
      taken.delete(name)
    }
  }

  const write = async (name: string, item: Pending): Promise<void> => {
    for (;;) {
      const was = await documents.get<Received>(name)
      if (await documents.swap({ key: name, was, value: withPending(was, item, now()) }, new Map())) return
    }
  }

  const list = (): Promise<Received[]> => documents.list<Received>('')
  const lastOf = async (provider: string, account: string): Promise<string | null> => {
    const name = nameOf(provider, account)
    const mine = pending.get(name)?.taken
    if (mine) return new Date(mine.last).toISOString()
    return (await documents.get<Received>(name))?.last_at ?? null
  }

  return { note, flush, list, lastOf }
}
export type Deliveries = ReturnType<typeof createDeliveries>

interface Pending {
  readonly provider: string
  readonly account: string
  taken: Taken | null
  failed: number
  refused: number
}

/** Deliveries that were taken in, and when, in milliseconds. */
interface Taken {
  readonly count: number
  readonly first: number
  readonly last: number
  readonly longestGap: number
}

const joined = (before: Pending, after: Pending | undefined): Pending =>
  after === undefined
    ? before
    : {
        ...before,
        taken:
          before.taken && after.taken
            ? joinedTaken(before.taken, after.taken)
            : (before.taken ?? after.taken),
        failed: before.failed + after.failed,
        refused: before.refused + after.refused,
      }

const joinedTaken = (before: Taken, after: Taken): Taken => ({
  count: before.count + after.count,
  first: before.first,
  last: after.last,
  longestGap: Math.max(before.longestGap, after.longestGap, after.first - before.last),
})

const later = (was: Taken | null, moment: number): Taken =>
  was === null
    ? { count: 1, first: moment, last: moment, longestGap: 0 }
    : {
        count: was.count + 1,
        first: was.first,
        last: moment,
        longestGap: Math.max(was.longestGap, moment - was.last),
      }

const nameOf = (provider: string, account: string): string => `${provider} ${account}`

const withPending = (was: Received | null, item: Pending, now: Date): Received => {
  const { provider, account, taken, failed, refused } = item
  const today = now.toISOString().slice(0, 10)
  const day = was?.days[today] ?? nothing
  const before = was?.last_at ? Date.parse(was.last_at) : null
  const last = Math.max(before ?? 0, taken?.last ?? 0)
  return {
    provider,
    account,
    last_at: last === 0 ? null : new Date(last).toISOString(),
    days: {
      ...kept(was?.days ?? {}),
      [today]: {
        received: day.received + (taken?.count ?? 0),
        failed: day.failed + failed,
        refused: day.refused + refused,
        longest_gap_ms: Math.max(day.longest_gap_ms, longestGap(before, taken, usualGapOf(was))),
      },
    },
  }
}

/** A silence counts as no more than twice what was usual: one outage does not make the next one unnoticed. */
const longestGap = (before: number | null, taken: Taken | null, usual: number | null): number => {
  if (taken === null) return 0
  const longest = Math.max(taken.longestGap, before === null ? 0 : taken.first - before)
  return usual === null ? longest : Math.min(longest, Math.max(2 * usual, leastSilenceMs))
}

const kept = (days: Received['days']): Received['days'] =>
  Object.fromEntries(
    Object.entries(days)
      .sort()
      .slice(-(keptDays - 1)),
  )

/** The longest time without a delivery that the last four weeks are used to, in milliseconds; null while too few came. */
export const usualGapOf = (received: Received | null): number | null => {
  const all = Object.entries(received?.days ?? {}).filter(([, day]) => day.received > 0)
  const count = all.reduce((total, [, day]) => total + day.received, 0)
  const names = all.map(([name]) => name).sort()
  if (count < enough || Date.parse(names.at(-1)!) - Date.parse(names[0]!) < knownMs) return null
  return Math.max(...all.map(([, day]) => day.longest_gap_ms))
}

/** Nothing shorter is a silence. */
export const leastSilenceMs = 3_600_000
const nothing: Day = { received: 0, failed: 0, refused: 0, longest_gap_ms: 0 }
const keptDays = 28
const enough = 20
// What one day brings says nothing of the night.
const knownMs = 7 * 86_400_000
