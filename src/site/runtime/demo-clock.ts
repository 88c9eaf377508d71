import type { createDocuments } from '../../core/storage/index.ts'

type Documents = ReturnType<typeof createDocuments>

interface Moved {
  /**
   * Real time at which the clock was first moved. Months are counted from it, so the 31st returns after a
   * short month.
   */
  readonly from: string
  readonly months: number
  /** Whole days beside the months. */
  readonly days?: number
}

export interface DemoClock {
  now(): Date
  isMoved(): boolean
  /** Loads the offset that an earlier process stored. */
  load(from: Documents): Promise<void>
  /**
   * Moves ahead a day at a time, and calls `onDay` on each day, so that nothing happens later than it is due.
   * Stops early when `onDay` returns true.
   */
  forward(input: { months?: number; days?: number }, onDay: () => Promise<boolean>): Promise<void>
  reset(): Promise<void>
}

/** The demo's clock: real time plus an offset of whole months and days, which is stored in the database. */
export function createDemoClock(
  real: () => Date,
  addMonths: (from: Date, months: number) => Date,
): DemoClock {
  let offsetMs = 0
  let moved: Moved | null = null
  let documents: Documents | null = null

  const offsetOf = ({ from, months, days = 0 }: Moved): number =>
    addMonths(new Date(from), months).getTime() - Date.parse(from) + days * dayMs
  const take = (next: Moved | null): void => {
    moved = next
    offsetMs = next === null ? 0 : offsetOf(next)
  }
  const keep = async (next: Moved | null): Promise<void> => {
    take(next)
    await documents?.put('clock', next)
  }

  return {
    now: (): Date => new Date(real().getTime() + offsetMs),
    isMoved: (): boolean => moved !== null,
    load: async (from: Documents): Promise<void> => {
      documents = from
      take(await from.get<Moved>('clock'))
    },
    forward: async (
      { months = 0, days = 0 }: { months?: number; days?: number },
      onDay: () => Promise<boolean>,
    ): Promise<void> => {
      const begun: Moved = moved ?? { from: real().toISOString(), months: 0 }
      const before = { ...begun, days: begun.days ?? 0 }
      const target = { ...before, months: before.months + months, days: before.days + days }
      for (let day = 1; ; day++) {
        const next = { ...before, days: before.days + day }
        if (offsetOf(next) >= offsetOf(target)) break
        await keep(next)
        if (await onDay()) return
      }
      await keep(target)
      await onDay()
    },
    reset: (): Promise<void> => keep(null),
  }
}

const dayMs = 86_400_000
