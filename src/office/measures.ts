import { isPaused, type Plan, type SubscriptionData } from '../core/dto/index.ts'

/** The paid time of a membership. */
export interface Begun {
  readonly from: string
  readonly until: string | null
}

/** "2026-03": the month of a moment, UTC. */
export const monthOf = (at: string): string => at.slice(0, 7)

/** Lists the months from `before` months before `now` to the current one, oldest first. */
export const monthsUntil = (now: Date, before: number): string[] =>
  Array.from({ length: before + 1 }, (_, i) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - before + i, 1)).toISOString().slice(0, 7),
  )

/** Returns a membership's paid time, from the end of its trial; null where nothing was paid. */
export const begunOf = (s: SubscriptionData): Begun | null => {
  if (s.status === 'incomplete' || s.status === 'expired' || s.status === 'trialing') return null
  const from =
    s.trial_ends_at !== null && s.trial_ends_at > (s.started_at ?? '') ? s.trial_ends_at : s.started_at
  if (from === null) return null
  const until = s.status === 'canceled' ? (s.ended_at ?? s.canceled_at ?? s.updated_at) : null
  return until !== null && until <= from ? null : { from, until }
}

/**
 * True if the membership was still paid at the end of `month`, which is `after` months after its start. With 0 it
 * always counts.
 */
export const isLeft = ({ until }: Begun, month: string, after: number): boolean =>
  after === 0 || until === null || monthOf(until) > month

/** True if the membership existed at that moment. Trials, pauses and payments being retried count. */
export const isLiving = (s: SubscriptionData, at: string, now: Date): boolean => {
  if (s.status === 'incomplete' || s.status === 'expired' || s.status === 'unpaid') return false
  if (s.started_at === null || s.started_at > at) return false
  const end = s.status === 'canceled' ? (s.ended_at ?? s.canceled_at ?? s.updated_at) : s.cancel_at
  return end === null || end > at || (s.status !== 'canceled' && end > now.toISOString())
}

/** True if it brings money: active or overdue, and neither on trial nor paused. */
export const isPaying = (s: SubscriptionData, now: Date): boolean =>
  (s.status === 'active' || s.status === 'past_due') && !isPaused(s, now)

const perMonth = { day: 365 / 12, week: 365 / 84, month: 1, year: 1 / 12 } as const

/** The monthly amount of a subscription's prices before discounts and taxes, in unrounded minor units. */
export const monthlyOf = (s: SubscriptionData, plans: readonly Plan[]): number => {
  const own = (s.unit_amount ?? 0) * (s.quantity ?? 1)
  const others = s.items.slice(1).reduce((sum, item) => {
    const price = plans.flatMap(({ prices }) => prices).find(({ id }) => id === item.price_id)
    return sum + (price?.amount ?? 0) * (item.quantity ?? 1)
  }, 0)
  return ((own + others) * perMonth[s.interval ?? 'month']) / (s.interval_count ?? 1)
}
