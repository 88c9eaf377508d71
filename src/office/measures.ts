import {
  currencyDigits,
  type DigitsOf,
  type FineMoment,
  isPaused,
  type OtherPrice,
  type PaidTime,
  type Plan,
  type RecurringTerms,
  type SubscriptionData,
} from '../core/dto/index.ts'

/** The last terms of a subscription in a month. */
export interface SeenMonth {
  /** The moment of the snapshot. */
  readonly at: FineMoment
  readonly terms: RecurringTerms
}

/** "2026-03": the month of a moment, UTC. */
export function monthOf(at: string): string {
  return at.slice(0, 7)
}

/** Lists the months from `before` months before `now` to the current one, oldest first. */
export function monthsUntil(now: Date, before: number): string[] {
  return Array.from({ length: before + 1 }, (_, i) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - before + i, 1)).toISOString().slice(0, 7),
  )
}

/**
 * True if the membership was still paid at the end of `month`, which is `after` months after its start. With 0 it
 * always counts.
 */
export function isLeft({ until }: PaidTime, month: string, after: number): boolean {
  return after === 0 || until === null || monthOf(until) > month
}

/** True if the membership existed at that moment. Trials, pauses and payments being retried count. */
export function isLiving(s: SubscriptionData, at: string, now: Date): boolean {
  if (s.status === 'incomplete' || s.status === 'expired' || s.status === 'unpaid') return false
  if (s.started_at === null || s.started_at > at) return false
  const end = s.status === 'canceled' ? (s.ended_at ?? s.canceled_at ?? s.updated_at) : s.cancel_at
  return end === null || end > at || (s.status !== 'canceled' && end > now.toISOString())
}

/** True if it brings money: active or overdue, and neither on trial nor paused. */
export function isPaying(
  s: Pick<SubscriptionData, 'status' | 'paused_at' | 'resumes_at'>,
  now: Date,
): boolean {
  return (s.status === 'active' || s.status === 'past_due') && !isPaused(s, now)
}

const perMonth = { day: 365 / 12, week: 365 / 84, month: 1, year: 1 / 12 } as const

/** The monthly amount of a subscription's prices before discounts and taxes, in unrounded minor units. */
export function monthlyOf(s: SubscriptionData, plans: readonly Plan[]): number {
  return monthlyOfTerms(s, s, plans)
}

/**
 * {@link monthlyOf} for the terms of a month, with the prices beside the first that list an amount in its currency; those
 * of the subscription where the terms do not say them. App stores
 * do not say a rhythm in each period. The plan then says it, and nothing is counted where no plan does.
 */
export function monthlyOfTerms(
  s: Omit<RecurringTerms, 'others'> & Partial<Pick<RecurringTerms, 'others'>>,
  of: Pick<SubscriptionData, 'price_id' | 'items'>,
  plans: readonly Plan[],
): number {
  const own = (s.unit_amount ?? 0) * (s.quantity ?? 1)
  const priceOf = (id: string | null) =>
    plans.flatMap(({ prices }) => prices).find((price) => price.id === id)
  const others: readonly OtherPrice[] = s.others ?? of.items.slice(1)
  const added = others.reduce((sum, item) => {
    const price = priceOf(item.price_id)
    const amount = price?.currency === s.currency ? price.amount : null
    return sum + (amount ?? 0) * (item.quantity ?? 1)
  }, 0)
  const { interval, interval_count } = s.interval === null ? (priceOf(of.price_id) ?? s) : s
  return interval === null ? 0 : ((own + added) * perMonth[interval]) / (interval_count ?? 1)
}

/** Converts a provider's amounts to the minor units of ISO 4217. */
export function toIsoUnits(digitsOf: DigitsOf) {
  return ({ amount, currency, provider }: { amount: number; currency: string; provider: string }): number =>
    amount * 10 ** (currencyDigits(currency) - (digitsOf(provider, currency) ?? currencyDigits(currency)))
}
