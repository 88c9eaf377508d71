import type { SubscriptionStatus } from '../core/dto/index.ts'
import type { SubscriptionSnapshot } from './snapshots.ts'

/** A provider's subscription statuses, each with our nearest one. */
export type StatusWords = ReadonlyMap<unknown, SubscriptionStatus>

/** Returns our status for a provider's. An unknown one becomes `incomplete`, the safest, which opens no
 *  gate. */
export const nearestStatus = (words: StatusWords, said: unknown): SubscriptionStatus =>
  words.get(said) ?? 'incomplete'

/** Returns our status, and the provider's own if it differs. */
export const besideWord = (
  status: SubscriptionStatus,
  word: string | null,
): Pick<SubscriptionSnapshot, 'status' | 'provider_status'> => ({
  status,
  provider_status: word === status ? null : word,
})
