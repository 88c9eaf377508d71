import { type StatedMoney, type SubscriptionStatus, type Unstated, unstated } from '../core/dto/index.ts'
import type { SubscriptionSnapshot } from './snapshots.ts'

declare const ofOneObject: unique symbol

/** Parts of a subscription, as the providers' readers return them. */
export type StatusPart = Pick<SubscriptionSnapshot, 'status' | 'provider_status'>
export interface CostPart
  extends Pick<SubscriptionSnapshot, 'currency' | 'unit_amount' | 'interval' | 'interval_count'> {
  readonly [ofOneObject]: true
}
/** A subscription as the package's providers read it: amount and currency came from one object. */
export type ReadSubscription = SubscriptionSnapshot & Pick<CostPart, typeof ofOneObject>
export type PeriodPart = Pick<SubscriptionSnapshot, 'current_period_start' | 'current_period_end'>
export type EndPart = Pick<
  SubscriptionSnapshot,
  'cancel_at_period_end' | 'cancel_at' | 'canceled_at' | 'ended_at'
>
export type PausePart = Pick<SubscriptionSnapshot, 'paused_at' | 'resumes_at'>

/** A provider's subscription statuses, each with our nearest one. */
export type StatusWords = ReadonlyMap<unknown, SubscriptionStatus>

/**
 * Returns our status for a provider's. An unknown one becomes `incomplete`, the safest, which opens no gate.
 */
export function nearestStatus(words: StatusWords, said: unknown): SubscriptionStatus {
  return words.get(said) ?? 'incomplete'
}

/** Returns our status, and the provider's own if it differs. */
export function besideWord(status: SubscriptionStatus, word: string | null): StatusPart {
  return {
    status,
    provider_status: word === status ? null : word,
  }
}

/** Returns our nearest status, and the provider's own if it differs. */
export function statusPart(words: StatusWords, word: string | null): StatusPart {
  return besideWord(nearestStatus(words, word), word)
}

/** The rhythm in which a price is charged. */
export type Rhythm = Pick<SubscriptionSnapshot, 'interval' | 'interval_count'>

/** Writes the price of one piece into the fields of a subscription. Nothing else makes this part. */
export function costPart(
  { amount, currency }: StatedMoney | Unstated,
  { interval, interval_count }: Rhythm,
): CostPart {
  return { currency, unit_amount: amount, interval, interval_count } as CostPart
}

/**
 * Returns the money that is stated in the currency that is charged. A price in several currencies carries its base
 * amount, which is not what the others pay; where nothing states theirs, or two amounts are stated, it is unstated.
 */
export function moneyIn(
  charged: string | null,
  stated: readonly (StatedMoney | Unstated)[],
): StatedMoney | Unstated {
  const currency = charged ?? stated.find((money) => money.currency !== null)?.currency ?? null
  const own = stated.filter((money) => money.amount !== null && money.currency === currency)
  const [first] = own
  return first !== undefined && own.every(({ amount }) => amount === first.amount)
    ? first
    : unstated(currency)
}
