import type { SubscriptionStatus } from '../core/dto/index.ts'
import type { SubscriptionSnapshot } from './snapshots.ts'

/** Parts of a subscription, as the providers' readers return them. */
export type StatusPart = Pick<SubscriptionSnapshot, 'status' | 'provider_status'>
export type CostPart = Pick<SubscriptionSnapshot, 'currency' | 'unit_amount' | 'interval' | 'interval_count'>
export type PeriodPart = Pick<SubscriptionSnapshot, 'current_period_start' | 'current_period_end'>
export type EndPart = Pick<
  SubscriptionSnapshot,
  'cancel_at_period_end' | 'cancel_at' | 'canceled_at' | 'ended_at'
>
export type PausePart = Pick<SubscriptionSnapshot, 'paused_at' | 'resumes_at'>

/** A provider's subscription statuses, each with our nearest one. */
export type StatusWords = ReadonlyMap<unknown, SubscriptionStatus>

/** Returns our status for a provider's. An unknown one becomes `incomplete`, the safest, which opens no
 *  gate. */
export const nearestStatus = (words: StatusWords, said: unknown): SubscriptionStatus =>
  words.get(said) ?? 'incomplete'

/** Returns our status, and the provider's own if it differs. */
export const besideWord = (status: SubscriptionStatus, word: string | null): StatusPart => ({
  status,
  provider_status: word === status ? null : word,
})

/** Returns our nearest status, and the provider's own if it differs. */
export const statusPart = (words: StatusWords, word: string | null): StatusPart =>
  besideWord(nearestStatus(words, word), word)

/** An amount in minor units with its currency, both from one object of the provider. */
export interface StatedAmount {
  readonly amount: number | null
  readonly currency: string | null
}

/**
 * Returns the amount that is stated in the currency that is charged. A price in several currencies carries its base
 * amount, which is not what the others pay; where nothing states theirs, or two amounts are stated, it is null.
 */
export const costIn = (
  charged: string | null,
  stated: readonly StatedAmount[],
): Pick<CostPart, 'currency' | 'unit_amount'> => {
  const currency = charged ?? stated.find((money) => money.currency !== null)?.currency ?? null
  const own = new Set(
    stated.flatMap((money) =>
      money.amount !== null && (money.currency === null || money.currency === currency) ? [money.amount] : [],
    ),
  )
  return { currency, unit_amount: own.size === 1 ? [...own][0]! : null }
}
