import type { Storage } from '../../core/storage/index.ts'
import { californiaStatements } from './statements.ts'

/** The people to whom California's law on automatic renewals applies. */
export interface California {
  /** True where `membership.shop.california` says so, else once a member of that state is known. */
  readonly isOn: () => Promise<boolean>
  /** True for members of that state, and for those whose place is not known: the stricter treatment harms nobody. */
  readonly appliesTo: (memberId: string) => Promise<boolean>
}

/** Opens the question. `setting` is `membership.shop.california`; null where it is not set. */
export function createCalifornia(deps: {
  storage: Storage
  setting: boolean | null
  now: () => Date
}): California {
  const { storage, setting, now } = deps
  const { known, places } = californiaStatements(storage)
  let isKnown = false
  let askedAt = 0

  const isOn = async (): Promise<boolean> => {
    if (setting !== null || isKnown) return setting ?? isKnown
    if (Math.abs(now().getTime() - askedAt) < recheckMs) return false
    isKnown = (await storage.all(known, {})).length > 0
    askedAt = now().getTime()
    return isKnown
  }

  const appliesTo = async (memberId: string): Promise<boolean> => {
    if (!(await isOn())) return false
    const found = await storage.all(places, { member_id: memberId })
    return found.some(({ place }) => place === 'california') || !found.some(({ place }) => place !== null)
  }

  return { isOn, appliesTo }
}

// The first buyer of that state is noticed this late at most, in a process that has just looked.
const recheckMs = 60_000
