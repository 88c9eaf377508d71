import { createRandom } from '../../src/fakes/engine/random.ts'

/** Draws that depend on the seed and the stream's name alone. */
export function createChance(seed: string, stream: string) {
  const next = createRandom(seed, `simulation ${stream}`)
  return {
    next,
    one: (probability: number): boolean => next() < probability,
    /** A whole number from `from` to `to`, both included. */
    number: (from: number, to: number): number => from + Math.floor(next() * (to - from + 1)),
    of: <T>(all: readonly T[]): T => {
      if (all.length === 0) throw new TypeError('nothing to choose from')
      return all[Math.floor(next() * all.length)]!
    },
    /** One of the keys, each as likely as its weight. */
    weighted: <K extends string>(weights: Readonly<Record<K, number>>): K => {
      const entries = Object.entries(weights) as [K, number][]
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [key, weight] of entries) {
        left -= weight
        if (left < 0) return key
      }
      return entries.at(-1)![0]
    },
  }
}
export type Chance = ReturnType<typeof createChance>
