import type { SubscriptionData } from '../core/dto/index.ts'
import type { PriceFigures } from './counted.ts'
import { add, type MutableSum } from './tally.ts'

type Counted = Omit<PriceFigures, 'amounts' | 'paying' | 'trials'> & {
  paying: number
  trials: number
  amounts: Map<string, MutableSum>
}

/** For each price how many pay it and how many try it, and which amounts are paid. */
export const createPriceCounts = () => {
  const prices = new Map<string, Counted>()
  /**
   * Counts a subscription of now; `amount` in the minor units of ISO 4217, null where it is not known or on trial.
   */
  const take = (s: SubscriptionData, plan: string, amount: number | null): void => {
    const key = `${s.provider}\u0000${s.price_id ?? ''}`
    const found = prices.get(key) ?? newCounted(s, plan)
    prices.set(key, found)
    if (s.status === 'trialing') found.trials += 1
    else found.paying += 1
    if (amount === null || s.currency === null) return
    const each = `${s.currency} ${amount}`
    add(found.amounts, each, { currency: s.currency, amount })
    found.amounts.get(each)!.amount = amount
  }
  return {
    take,
    result: (): PriceFigures[] =>
      [...prices.values()].map(({ amounts, ...item }) => ({ ...item, amounts: [...amounts.values()] })),
  }
}

const newCounted = (s: SubscriptionData, plan: string): Counted => ({
  provider: s.provider,
  price: s.price_id ?? '',
  plan,
  paying: 0,
  trials: 0,
  amounts: new Map(),
})
