import type { SubscriptionStatus } from '../core/dto/index.ts'
import type { SubscriptionSnapshot } from './snapshots.ts'

/** A provider's words for the states of a subscription, each with the nearest of ours. */
export type StatusWords = ReadonlyMap<unknown, SubscriptionStatus>

/** Our word for a provider's. One we do not know opens no gate: `incomplete` is the safest. */
export const nearestStatus = (words: StatusWords, said: unknown): SubscriptionStatus =>
  words.get(said) ?? 'incomplete'

/** Our word, and the provider's own beside it where that is another. */
export const besideWord = (
  status: SubscriptionStatus,
  word: string | null,
): Pick<SubscriptionSnapshot, 'status' | 'provider_status'> => ({
  status,
  provider_status: word === status ? null : word,
})
