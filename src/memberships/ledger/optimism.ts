import { createRecent } from '../../core/recent.ts'

/**
 * When a message may be planned as if it were the newest of its object, without a look at what is known. A guess that
 * turns out wrong undoes a commit, which costs many looks: so there is a look where another process met us lately, at
 * this owner or at several.
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
