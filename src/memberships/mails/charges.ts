import { endsAt, type Plan, type Subscription } from '../../core/dto/index.ts'
import type { CostData } from './data.ts'

/** Sums up every item of a subscription at its price. Null unless all of them are known and are charged together: a mail
 *  names the whole amount or none. */
export function costOf(s: Subscription, plans: readonly Plan[]): CostData | null {
  const { currency, interval, provider } = s
  const count = s.interval_count ?? 1
  if (s.unit_amount === null || currency === null || interval === null) return null
  let amount = s.unit_amount * (s.quantity ?? 1)
  for (const item of s.items.slice(1)) {
    const price = plans
      .filter((plan) => plan.provider === provider)
      .flatMap(({ prices }) => prices)
      .find(({ id }) => id === item.price_id)
    const isChargedWithIt =
      price?.currency === currency && price.interval === interval && (price.interval_count ?? 1) === count
    if (!isChargedWithIt || price.amount === null) return null
    amount += price.amount * (item.quantity ?? 1)
  }
  return { amount, currency, provider, interval, interval_count: count }
}

/** The day of the next charge; null where it ends before that, or nobody said. An end that is planned for a later period
 *  does not stop the charges before it. */
export function nextChargeOf(s: Subscription): string | null {
  const next = s.current_period_end
  const end = endsAt(s)
  return s.ended || next === null || (end !== null && end <= next) ? null : next
}
