import type { Subscription } from '../../core/dto/index.ts'
import type { MoneyFact } from '../../providers/contract.ts'

/** The price that a membership began with, or null where no checkout tells of it. */
export type FirstPrice = (s: Pick<Subscription, 'provider' | 'account' | 'id'>) => string | null

/** Nobody asked. */
export const unknownFirstPrice: FirstPrice = () => null

/** A checkout of which no payment came: a trial's. */
export interface CheckoutRow {
  provider: string
  account: string
  data: string
}

/**
 * Reads the plan that each trial began with, by what its checkout sold: a plan that is changed before anything is
 * paid leaves no other trace of the one before.
 */
export const toFirstPrice = (rows: readonly CheckoutRow[]): FirstPrice => {
  const prices = new Map(
    rows.map(({ provider, account, data }) => {
      const { subscription_id, price_id = null } = JSON.parse(data) as MoneyFact
      return [keyOf({ provider, account, id: subscription_id ?? '' }), price_id]
    }),
  )
  return (s) => prices.get(keyOf(s)) ?? null
}

const keyOf = ({ provider, account, id }: Parameters<FirstPrice>[0]): string =>
  JSON.stringify([provider, account, id])
