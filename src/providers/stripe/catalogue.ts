import type { CataloguePrice } from '../contract.ts'
import { currency, idOf, int, interval, list, obj, str } from '../narrow.ts'
import type { StripeApi } from './api.ts'
import type { CatalogueEntry, ListAnswer } from './payload.ts'

// A larger catalogue would be a shop's, not a membership site's.
const maxPrices = 5000

/** Lists every price, retired ones included. https://docs.stripe.com/api/prices/list */
export const stripePrices = async (api: StripeApi): Promise<CataloguePrice[]> => {
  const { raw } = await api.ask<ListAnswer<CatalogueEntry>>('the prices', async (stripe) => {
    const found: object[] = []
    for (const active of [true, false])
      for await (const price of stripe.prices.list({ active, limit: 100, expand: ['data.product'] })) {
        found.push(price)
        if (found.length >= maxPrices) break
      }
    return { data: found }
  })
  return list(raw.data)
    .map(toPrice)
    .filter((price) => price !== null)
}

const toPrice = (raw: CatalogueEntry): CataloguePrice | null => {
  const id = str(raw.id)
  if (id === null) return null
  const recurring = obj(raw.recurring)
  const product = obj(raw.product)
  const each = interval(recurring.interval)
  return {
    id,
    type: raw.type === 'one_time' ? 'one_time' : 'recurring',
    currency: currency(raw.currency),
    amount: int(raw.unit_amount),
    interval: each,
    interval_count: each === null ? null : (int(recurring.interval_count) ?? 1),
    trial_days: int(recurring.trial_period_days),
    label: str(raw.nickname),
    lookup_key: str(raw.lookup_key),
    product_id: idOf(raw.product),
    product_name: str(product.name),
    active: raw.active !== false && product.active !== false,
  }
}
