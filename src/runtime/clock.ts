import type { createDocuments } from '../storage/index.ts'

type Documents = ReturnType<typeof createDocuments>

/** The demo's clock: real time and how far it was moved, which is kept in the database. */
export const createDemoClock = (real: () => Date) => {
  let offsetMs = 0
  let documents: Documents | null = null

  const keep = async (ms: number): Promise<void> => {
    offsetMs = ms
    await documents?.put('clock', { offset_ms: ms })
  }

  return {
    now: (): Date => new Date(real().getTime() + offsetMs),
    isMoved: (): boolean => offsetMs !== 0,
    /** Goes on where an earlier process left the clock. */
    load: async (from: Documents): Promise<void> => {
      documents = from
      offsetMs = (await from.get<{ offset_ms: number }>('clock'))?.offset_ms ?? 0
    },
    moveTo: (moment: Date): Promise<void> => keep(moment.getTime() - real().getTime()),
    reset: (): Promise<void> => keep(0),
  }
}
export type DemoClock = ReturnType<typeof createDemoClock>
