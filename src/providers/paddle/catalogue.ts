import type { CataloguePrice } from '../contract.ts'
import { int, interval, type Json, obj, str, whole } from '../narrow.ts'
import type { PaddleApi } from './api.ts'
import { trialAmountOf, trialDaysOf } from './trial.ts'

/** Every price that Paddle has, archived ones included; those that were made for one transaction are nobody else's.
 *  https://developer.paddle.com/api-reference/prices */
export const paddlePrices = async (api: PaddleApi): Promise<CataloguePrice[]> => {
  const { all } = await api.all('the prices', '/prices', {
    include: 'product',
    status: 'active,archived',
    type: 'standard',
  })
  return all.flatMap(toPrice)
}

const toPrice = (raw: Json): CataloguePrice[] => {
  const id = str(raw.id)
  if (id === null) return []
  const { amount, currency_code: currency } = obj(raw.unit_price)
  const cycle = obj(raw.billing_cycle)
  const each = interval(cycle.interval)
  const product = obj(raw.product)
  return [
    {
      id,
      type: each === null ? 'one_time' : 'recurring',
      currency: str(currency),
      amount: whole(amount),
      interval: each,
      interval_count: each === null ? null : (int(cycle.frequency) ?? 1),
      trial_days: trialDaysOf(raw),
      trial_amount: trialAmountOf(raw),
      label: str(raw.name),
      lookup_key: null,
      product_id: str(raw.product_id),
      product_name: str(product.name),
      active: raw.status !== 'archived' && product.status !== 'archived',
    },
  ]
}
