import type { Subscription } from '../../core/dto/index.ts'
import type { MoneyFact } from '../../providers/contract.ts'

/** The price that a membership began with, or null where no checkout shows it. */
export type FirstPrice = (s: Pick<Subscription, 'provider' | 'account' | 'id'>) => string | null

/** Used where the first prices were not loaded. */
export const unknownFirstPrice: FirstPrice = () => null

/** A checkout without a payment, as a trial has it. */
export interface CheckoutRow {
  provider: string
  account: string
  data: string
}

/**
 * Reads the plan that each trial began with from its checkout. A plan that changes before the first payment leaves no
 * other trace.
 */
export function toFirstPrice(rows: readonly CheckoutRow[]): FirstPrice {
  const prices = new Map(
    rows.map(({ provider, account, data }) => {
      const { subscription_id, price_id = null } = JSON.parse(data) as MoneyFact
      return [keyOf({ provider, account, id: subscription_id ?? '' }), price_id]
    }),
  )
  return (s) => prices.get(keyOf(s)) ?? null
}

function keyOf({ provider, account, id }: Parameters<FirstPrice>[0]): string {
  return JSON.stringify([provider, account, id])
}
