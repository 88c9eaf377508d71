import { type Limit, limitNames } from '../../core/access/index.ts'
import type { Plan } from '../../core/dto/index.ts'
import { type FeatureName, featureIn, type Voice } from '../../core/words/index.ts'
import type { User } from '../../memberships/members/index.ts'

interface LimitWords {
  readonly voice: Voice
  readonly now: Date
  readonly names: Readonly<Record<string, FeatureName>>
}

/** One limit of the account page. */
export interface ShownLimit extends Limit {
  readonly label: string
  readonly sentence: string
}

/** Lists the limits that a member has or has used, worded for the account page. */
export function limitsForPage(
  user: User | null,
  plans: readonly Plan[],
  words: LimitWords,
): readonly ShownLimit[] {
  if (user === null) return []
  return limitNames(plans)
    .map((name) => user.limit(name as never))
    .filter(({ amount, left, used }) => amount > 0 || left > 0 || used > 0)
    .map((limit) => ({
      ...limit,
      label: featureIn(words.voice, limit.name, words.names),
      sentence: limitSentence(limit, words),
    }))
}

/** "3 of 100 used, 97 left. It starts again on 1 December 2026." */
export function limitSentence(limit: Limit, { voice, now }: LimitWords): string {
  const { amount, used, left, added, resets_at } = limit
  return [
    amount > 0 ? voice.say('limits.used', { used, amount, left: left - added }) : null,
    added > 0 ? voice.say(amount > 0 ? 'limits.and_added' : 'limits.added', { count: added }) : null,
    amount === 0 && added === 0 ? voice.say('limits.nothing') : null,
    resets_at === null ? null : voice.say('limits.resets', { date: voice.day(resets_at, now) }),
  ]
    .filter((sentence) => sentence !== null)
    .join(' ')
}
