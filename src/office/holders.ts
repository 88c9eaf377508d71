import { isEnded, type SubscriptionData } from '../core/dto/index.ts'
import { isLiving } from './measures.ts'

/** Counts who has access at each of these moments, and who has two memberships of one group. */
export const createHolders = (moments: readonly string[], now: Date) => {
  // A bit for each moment: people are many, moments few.
  const people = new Map<string, number>()
  const held = new Map<string, number>()
  return {
    take: (
      s: SubscriptionData,
      { member, owner, group }: { member: string | null; owner: string; group: string | null | undefined },
    ): void => {
      const who = member ?? owner
      const mask = moments.reduce((bits, at, i) => (isLiving(s, at, now) ? bits | (1 << i) : bits), 0)
      if (mask !== 0) people.set(who, (people.get(who) ?? 0) | mask)
      if (group === undefined || member === null || isEnded(s) || s.status === 'incomplete') return
      const key = `${member}\u0000${group}`
      held.set(key, (held.get(key) ?? 0) + 1)
    },
    /** The number at each moment. */
    counts: (): number[] =>
      moments.map((_, i) => {
        let count = 0
        for (const mask of people.values()) if (mask & (1 << i)) count++
        return count
      }),
    twice: (): string[] => [...held].filter(([, count]) => count > 1).map(([key]) => key.split('\u0000')[0]!),
  }
}
