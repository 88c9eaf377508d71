import { createDocuments, type Storage } from '../../core/storage/index.ts'

/** The time between a copy of the database and its restoring, of which the database knows nothing. */
interface LostDays {
  readonly since: string
  readonly until: string
}

export interface LostDaysKnown {
  add(days: LostDays): Promise<void>
  /** True for a moment that a restored copy does not know. */
  include(moment: string | null): Promise<boolean>
}

/** Remembers the times that restored copies lost. */
export function createLostDays(storage: Storage): LostDaysKnown {
  const documents = createDocuments(storage, 'restored')
  const all = async (): Promise<readonly LostDays[]> => (await documents.get<LostDays[]>('days')) ?? []
  return {
    add: async (days: LostDays): Promise<void> =>
      documents.put('days', [...(await all()).filter(({ since }) => since !== days.since), days]),

    include: async (moment: string | null): Promise<boolean> =>
      moment !== null && (await all()).some(({ since, until }) => since <= moment && moment <= until),
  }
}
