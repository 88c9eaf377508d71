import { createDocuments, type Storage } from '../../core/storage/index.ts'

/**
 * The outcome of one delivery: `received`; `failed`, stored but not applied yet; or `refused`, without a valid
 * signature.
 */
export type Arrival = 'received' | 'failed' | 'refused'

/** One day's deliveries, and the longest gap between deliveries that ended on it. */
export interface Day {
  readonly received: number
  readonly failed: number
  readonly refused: number
  readonly longest_gap_ms: number
}

/** One provider account's deliveries of the last four weeks. */
export interface Received {
  readonly provider: string
  readonly account: string
  /** The last accepted delivery, ISO 8601 UTC; null before the first. */
  readonly last_at: string | null
  /** By day, such as `2026-11-22`: its deliveries. */
  readonly days: Readonly<Record<string, Day>>
}

export interface Deliveries {
  /** Counts one delivery without waiting. */
  note(provider: string, account: string, arrival: Arrival): void
  /** Writes the counts since the last call. */
  flush(): Promise<void>
  list(): Promise<Received[]>
  lastOf(provider: string, account: string): Promise<string | null>
}

/** Records deliveries across all processes: counted in memory, and written once a minute. */
export function createDeliveries(storage: Storage, now: () => Date): Deliveries {
  const documents = createDocuments(storage, 'deliveries')
  let pending = new Map<string, Pending>()

  const note = (provider: string, account: string, arrival: Arrival): void => {
    const name = nameOf(provider, account)
    const item = pending.get(name) ?? { provider, account, taken: null, failed: 0, refused: 0 }
    if (arrival !== 'refused') item.taken = later(item.taken, now().getTime())
    if (arrival !== 'received') item[arrival]++
    pending.set(name, item)
  }

  const flush = async (): Promise<void> => {
    const taken = pending
    pending = new Map()
    for (const [name, item] of taken) {
      await write(name, item).catch((error: unknown) => {
        // Unwritten counts are kept for the next time, so that a database outage does not look like silence.
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
    const unwritten = pending.get(name)?.taken
    if (unwritten) return new Date(unwritten.last).toISOString()
    return (await documents.get<Received>(name))?.last_at ?? null
  }

  return { note, flush, list, lastOf }
}

interface Pending {
  readonly provider: string
  readonly account: string
  taken: Taken | null
  failed: number
  refused: number
}

/** Accepted deliveries with their times in milliseconds. */
interface Taken {
  readonly count: number
  readonly first: number
  readonly last: number
  readonly longestGap: number
}

function joined(before: Pending, after: Pending | undefined): Pending {
  return after === undefined
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
}

function joinedTaken(before: Taken, after: Taken): Taken {
  return {
    count: before.count + after.count,
    first: before.first,
    last: after.last,
    longestGap: Math.max(before.longestGap, after.longestGap, after.first - before.last),
  }
}

function later(was: Taken | null, moment: number): Taken {
  return was === null
    ? { count: 1, first: moment, last: moment, longestGap: 0 }
    : {
        count: was.count + 1,
        first: was.first,
        last: moment,
        longestGap: Math.max(was.longestGap, moment - was.last),
      }
}

function nameOf(provider: string, account: string): string {
  return `${provider} ${account}`
}

function withPending(was: Received | null, item: Pending, now: Date): Received {
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

/** A gap counts at most twice the usual one, so that one outage does not hide the next. */
function longestGap(before: number | null, taken: Taken | null, usual: number | null): number {
  if (taken === null) return 0
  const longest = Math.max(taken.longestGap, before === null ? 0 : taken.first - before)
  return usual === null ? longest : Math.min(longest, Math.max(2 * usual, leastSilenceMs))
}

function kept(days: Received['days']): Received['days'] {
  return Object.fromEntries(
    Object.entries(days)
      .sort()
      .slice(-(keptDays - 1)),
  )
}

/** The longest gap between deliveries in the last four weeks, in milliseconds; null while there are too few. */
export function usualGapOf(received: Received | null): number | null {
  const all = Object.entries(received?.days ?? {}).filter(([, day]) => day.received > 0)
  const count = all.reduce((total, [, day]) => total + day.received, 0)
  const names = all.map(([name]) => name).sort()
  if (count < enough || Date.parse(names.at(-1)!) - Date.parse(names[0]!) < knownMs) return null
  return Math.max(...all.map(([, day]) => day.longest_gap_ms))
}

/** A shorter gap is never a silence. */
export const leastSilenceMs = 3_600_000
const nothing: Day = { received: 0, failed: 0, refused: 0, longest_gap_ms: 0 }
const keptDays = 28
const enough = 20
// One day's deliveries do not show what a night is like.
const knownMs = 7 * 86_400_000
