import type { CataloguePrice } from '../contract.ts'
import { interval, obj, str, whole } from '../narrow.ts'
import type { ChargebeeApi } from './api.ts'
import { currencyOf } from './facts.ts'
import type { Content, ItemPrice } from './payload.ts'

/**
 * Reads every item price of Chargebee, archived ones included. Tiered prices have no single amount.
 * https://apidocs.chargebee.com/docs/api/item_prices
 */
export async function chargebeePrices(api: ChargebeeApi): Promise<CataloguePrice[]> {
  const { all } = await api.all<Content>('the prices', '/item_prices')
  return all.flatMap(({ item_price: price }) => toPrice(obj(price)))
}

function toPrice(raw: ItemPrice): CataloguePrice[] {
  const id = str(raw.id)
  if (id === null) return []
  const each = raw.item_type === 'charge' ? null : interval(raw.period_unit)
  const name = str(raw.external_name) ?? str(raw.name)
  return [
    {
      id,
      type: each === null ? 'one_time' : 'recurring',
      currency: currencyOf(raw),
      amount: plain.has(raw.pricing_model) ? whole(raw.price) : null,
      interval: each,
      interval_count: each === null ? null : (whole(raw.period) ?? 1),
      trial_days: trialDaysOf(raw),
      // A setting of the site: https://www.chargebee.com/docs/2.0/tax.html
      tax: 'account',
      label: name,
      lookup_key: null,
      product_id: str(raw.item_id),
      product_name: name,
      active: raw.status === 'active',
    },
  ]
}

const plain: ReadonlySet<unknown> = new Set(['flat_fee', 'per_unit'])

// A month counts as thirty days.
function trialDaysOf({ trial_period, trial_period_unit: unit }: ItemPrice): number | null {
  const count = whole(trial_period)
  return count === null ? null : count * (unit === 'month' ? 30 : 1)
}
