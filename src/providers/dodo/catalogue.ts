import type { CataloguePrice } from '../contract.ts'
import { int, obj, str } from '../narrow.ts'
import type { DodoApi } from './api.ts'
import { currencyOf } from './facts.ts'
import type { Product, Trial } from './payload.ts'
import { intervals } from './subscription.ts'

/**
 * Lists every product, archived ones included. A product is what is sold, and has one price.
 * https://docs.dodopayments.com/api-reference/products/get-products
 */
export async function dodoPrices(api: DodoApi): Promise<CataloguePrice[]> {
  const sold = await api.all<Product>('the products', '/products')
  const archived = await api.all<Product>('the products', '/products', { archived: 'true' })
  return [...sold.all.flatMap(toPrice(true)), ...archived.all.flatMap(toPrice(false))]
}

/**
 * Returns days and price of a trial; null days mean no trial. Source: `trial_period_days` and `trial_amount`
 * of https://docs.dodopayments.com/api-reference/products/get-products-1
 */
export function trialOf(price: Trial): Pick<CataloguePrice, 'trial_days' | 'trial_amount'> {
  const { trial_amount: cost } = price
  return {
    trial_days: int(price.trial_period_days) || null,
    trial_amount: cost === undefined || cost === null ? 0 : int(cost),
  }
}

function toPrice(active: boolean) {
  return (raw: Product): CataloguePrice[] => {
    const id = str(raw.product_id)
    if (id === null) return []
    const detail = obj(raw.price_detail)
    const isRecurring = raw.is_recurring === true
    return [
      {
        id,
        type: isRecurring ? 'recurring' : 'one_time',
        currency: currencyOf({ currency: raw.currency ?? detail.currency }),
        // null for prices that buyers choose, and for usage-based ones.
        amount: int(raw.price) ?? int(detail.price),
        interval: isRecurring ? (intervals.get(detail.payment_frequency_interval) ?? null) : null,
        interval_count: isRecurring ? (int(detail.payment_frequency_count) ?? 1) : null,
        ...(isRecurring ? trialOf(detail) : { trial_days: null }),
        // https://docs.dodopayments.com/api-reference/products/get-products-1: `tax_inclusive`
        tax:
          detail.tax_inclusive === true
            ? 'included'
            : detail.tax_inclusive === false
              ? 'excluded'
              : 'account',
        label: str(raw.name),
        lookup_key: null,
        product_id: id,
        product_name: str(raw.name),
        active,
      },
    ]
  }
}
