import type { CataloguePrice } from '../contract.ts'
import { int, interval, str } from '../narrow.ts'
import type { CreemApi } from './api.ts'
import { currencyOf, periods } from './facts.ts'
import type { Product } from './payload.ts'

/**
 * Lists every product, because a product is what Creem sells and has one price.
 * https://docs.creem.io/api-reference/endpoint/search-products
 */
export async function creemPrices(api: CreemApi): Promise<CataloguePrice[]> {
  const { all } = await api.all<Product>('the products', '/v1/products/search')
  return all.flatMap(toPrice)
}

/**
 * A `custom` billing period is read from its unit and count:
 * https://docs.creem.io/api-reference/endpoint/get-product
 */
function customPeriod(raw: Product): readonly [CataloguePrice['interval'], number | null] {
  const each = interval(raw.recurring_interval)
  return [each, each === null ? null : (int(raw.recurring_interval_count) ?? 1)]
}

/**
 * Returns days and price of a product's trial; null days mean no trial. Older API versions do not contain it.
 * Source: `trial_period_days` and `trial_price` of https://docs.creem.io/api-reference/endpoint/get-product
 */
export function trialOf(raw: Product): Pick<CataloguePrice, 'trial_days' | 'trial_amount'> {
  const { trial_price: cost } = raw
  return {
    trial_days: int(raw.trial_period_days),
    trial_amount: cost === undefined || cost === null ? 0 : int(cost),
  }
}

function toPrice(raw: Product): CataloguePrice[] {
  const id = str(raw.id)
  if (id === null) return []
  const [each, count] = periods.get(raw.billing_period) ?? customPeriod(raw)
  return [
    {
      id,
      type: raw.billing_type === 'recurring' ? 'recurring' : 'one_time',
      currency: currencyOf(raw),
      // https://docs.creem.io/api-reference/endpoint/get-product: `tax_mode`
      tax: raw.tax_mode === 'inclusive' ? 'included' : raw.tax_mode === 'exclusive' ? 'excluded' : 'account',
      amount: int(raw.price),
      interval: each,
      interval_count: count,
      ...trialOf(raw),
      label: str(raw.name),
      lookup_key: null,
      product_id: id,
      product_name: str(raw.name),
      active: raw.status === 'active',
    },
  ]
}
