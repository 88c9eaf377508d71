import { createRecent } from '../../core/recent.ts'

/**
 * Decides when an event may be planned as its object's newest without a read. A wrong guess undoes a commit and costs
 * more than many reads. Owners that recently conflicted with another process are read first; after several conflicts
 * all owners are.
 */
export const createOptimism = () => {
  const crowded = createRecent<true>(10_000, crowdedMs)
  const wrongAt: number[] = []
  let checkUntil = Number.NEGATIVE_INFINITY

  return {
    isWorth: (owner: string): boolean => performance.now() > checkUntil && !crowded.has(owner),
    wasWrong: (owner: string): void => {
      const now = performance.now()
      crowded.set(owner, true)
      wrongAt.push(now)
      if (wrongAt.length > several && now - wrongAt.shift()! < shortMs) checkUntil = now + checkMs
    },
  }
}

const crowdedMs = 30_000
const several = 5
const shortMs = 1000
const checkMs = 10_000
