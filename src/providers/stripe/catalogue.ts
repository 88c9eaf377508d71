import type { CataloguePrice } from '../contract.ts'
import { currency, idOf, int, isObject, type Json, obj, str } from '../narrow.ts'
import type { StripeApi } from './api.ts'

// A larger catalogue would be a shop's, not a membership site's.
const maxPrices = 5000

/** Lists every price, retired ones included. https://docs.stripe.com/api/prices/list */
export const stripePrices = async (api: StripeApi): Promise<CataloguePrice[]> => {
  const { raw } = await api.ask('the prices', async (stripe) => {
    const found: object[] = []
    for (const active of [true, false])
      for await (const price of stripe.prices.list({ active, limit: 100, expand: ['data.product'] })) {
        found.push(price)
        if (found.length >= maxPrices) break
      }
    return { data: found }
  })
  return (raw.data as unknown[])
    .filter(isObject)
    .map(toPrice)
    .filter((price) => price !== null)
}

const toPrice = (raw: Json): CataloguePrice | null => {
  const id = str(raw.id)
  if (id === null) return null
  const recurring = obj(raw.recurring)
  const product = obj(raw.product)
  const interval = str(recurring.interval)
  const isInterval =
    interval === 'day' || interval === 'week' || interval === 'month' || interval === 'year' ? interval : null
  return {
    id,
    type: raw.type === 'one_time' ? 'one_time' : 'recurring',
    currency: currency(raw.currency),
    amount: int(raw.unit_amount),
    interval: isInterval,
    interval_count: isInterval === null ? null : (int(recurring.interval_count) ?? 1),
    trial_days: int(recurring.trial_period_days),
    label: str(raw.nickname),
    lookup_key: str(raw.lookup_key),
    product_id: idOf(raw.product),
    product_name: str(product.name),
    active: raw.active !== false && product.active !== false,
  }
}
