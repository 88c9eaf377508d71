import type { CataloguePrice } from '../contract.ts'
import { int, interval, list, str } from '../narrow.ts'
import type { PolarApi } from './api.ts'
import { currencyOf } from './facts.ts'
import type { Product } from './payload.ts'

/**
 * Lists every product, archived ones included. A product is what is sold, and takes the place of a price.
 * https://polar.sh/docs/api-reference/products/list
 */
export async function polarPrices(api: PolarApi): Promise<CataloguePrice[]> {
  const { all } = await api.all<Product>('the products', '/products/')
  return all.flatMap(toPrice)
}

function toPrice(raw: Product): CataloguePrice[] {
  const id = str(raw.id)
  if (id === null) return []
  const [price = {}, ...others] = list(raw.prices).filter(({ is_archived }) => is_archived !== true)
  const currencies = others.flatMap(({ price_currency: currency }) => currencyOf({ currency }) ?? [])
  const each = interval(raw.recurring_interval)
  return [
    {
      id,
      type: each === null ? 'one_time' : 'recurring',
      currency: currencyOf({ currency: price.price_currency }),
      // Free and pay-what-you-want prices have no amount; a seat price depends on the number of seats.
      amount: price.amount_type === 'fixed' ? int(price.price_amount) : null,
      interval: each,
      interval_count: each === null ? null : (int(raw.recurring_interval_count) ?? 1),
      trial_days: trialDaysOf(raw),
      ...(currencies.length === 0 ? {} : { currencies }),
      // https://polar.sh/docs/api-reference/products: `tax_behavior`; null is the organisation's setting
      tax:
        price.tax_behavior === 'inclusive'
          ? 'included'
          : price.tax_behavior === 'exclusive'
            ? 'excluded'
            : 'account',
      label: str(raw.name),
      lookup_key: null,
      product_id: id,
      product_name: str(raw.name),
      active: raw.is_archived !== true,
    },
  ]
}

const days: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 }

/**
 * Returns the free days of a product, with thirty days a month; null without a trial. Source:
 * https://polar.sh/docs/features/trials
 */
function trialDaysOf({ trial_interval: each, trial_interval_count: count }: Product): number | null {
  const item = days[String(each)]
  return item === undefined ? null : item * (int(count) ?? 1)
}
