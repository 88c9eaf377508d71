import type { Plan, Price } from '../core/dto/index.ts'
import type { Storage } from '../core/storage/index.ts'
import type { CataloguePrice } from '../providers/contract.ts'
import { cataloguePrices } from './walking-statements.ts'

/** A configured price and the provider's version of it; null where the provider does not know it. */
export interface PriceDifference {
  readonly provider: string
  readonly price: string
  readonly here: Pick<Price, 'amount' | 'currency' | 'interval' | 'interval_count'>
  readonly there: PriceDifference['here'] | null
}

/** Finds prices that differ between the plans and the provider's catalogue, as far as it was read. */
export const differencesOf = async (
  storage: Pick<Storage, 'read'>,
  plans: readonly Plan[],
): Promise<PriceDifference[]> => {
  const rows = await cataloguePrices(storage)
  const known = new Map(
    rows.map(({ provider, price_id, data }) => [
      `${provider} ${price_id}`,
      JSON.parse(data) as CataloguePrice,
    ]),
  )
  const wereRead = new Set(rows.map(({ provider }) => provider))
  return plans
    .filter(({ provider }) => wereRead.has(provider))
    .flatMap(({ provider, prices }) =>
      prices.flatMap((here) => {
        const there = known.get(`${provider} ${here.id}`) ?? null
        return there !== null && isSame(here, there)
          ? []
          : [{ provider, price: here.id, here: termsOf(here), there: there && termsOf(there) }]
      }),
    )
}

const termsOf = ({ amount, currency, interval, interval_count }: PriceDifference['here']) => ({
  amount,
  currency,
  interval,
  interval_count,
})

/** Compares both versions. A value missing on one side is no difference. */
const isSame = (here: PriceDifference['here'], there: PriceDifference['here']): boolean =>
  (['amount', 'currency', 'interval', 'interval_count'] as const).every(
    (name) => here[name] === null || there[name] === null || here[name] === there[name],
  )
