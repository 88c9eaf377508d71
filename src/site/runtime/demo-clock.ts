import type { createDocuments } from '../../core/storage/index.ts'

type Documents = ReturnType<typeof createDocuments>

interface Moved {
  /** Real time at which the clock was first moved. Months are counted from it, so the 31st returns after a
   *  short month. */
  readonly from: string
  readonly months: number
  /** Whole days beside the months. */
  readonly days?: number
}

/** The demo's clock: real time plus an offset of whole months and days, which is stored in the database. */
export const createDemoClock = (real: () => Date, addMonths: (from: Date, months: number) => Date) => {
  let offsetMs = 0
  let moved: Moved | null = null
  let documents: Documents | null = null

  const take = (next: Moved | null): void => {
    moved = next
    offsetMs =
      next === null
        ? 0
        : addMonths(new Date(next.from), next.months).getTime() -
          Date.parse(next.from) +
          (next.days ?? 0) * dayMs
  }
  const keep = async (next: Moved | null): Promise<void> => {
    take(next)
    await documents?.put('clock', next)
  }

  return {
    now: (): Date => new Date(real().getTime() + offsetMs),
    isMoved: (): boolean => moved !== null,
    /** Loads the offset that an earlier process stored. */
    load: async (from: Documents): Promise<void> => {
      documents = from
      take(await from.get<Moved>('clock'))
    },
    forward: ({ months = 0, days = 0 }: { months?: number; days?: number }): Promise<void> =>
      keep({
        from: moved?.from ?? real().toISOString(),
        months: (moved?.months ?? 0) + months,
        days: (moved?.days ?? 0) + days,
      }),
    reset: (): Promise<void> => keep(null),
  }
}

const dayMs = 86_400_000
export type DemoClock = ReturnType<typeof createDemoClock>
