import type { CataloguePrice } from '../contract.ts'
import { currency, idOf, int, interval, list, obj, str } from '../narrow.ts'
import type { StripeApi } from './api.ts'
import type { CatalogueEntry, ListAnswer } from './payload.ts'

const expand = ['data.product', 'data.currency_options']

// A larger catalogue would be a shop's, not a membership site's.
const maxPrices = 5000

/** Lists every price, retired ones included. https://docs.stripe.com/api/prices/list */
export async function stripePrices(api: StripeApi): Promise<CataloguePrice[]> {
  const { raw } = await api.ask<ListAnswer<CatalogueEntry>>('the prices', async (stripe) => {
    const found: object[] = []
    for (const active of [true, false])
      for await (const price of stripe.prices.list({ active, limit: 100, expand })) {
        found.push(price)
        if (found.length >= maxPrices) break
      }
    return { data: found }
  })
  return list(raw.data)
    .map(toPrice)
    .filter((price) => price !== null)
}

function toPrice(raw: CatalogueEntry): CataloguePrice | null {
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
    ...currenciesOf(raw),
    ...taxOf(raw.tax_behavior),
    label: str(raw.nickname),
    lookup_key: str(raw.lookup_key),
    product_id: idOf(raw.product),
    product_name: str(product.name),
    active: raw.active !== false && product.active !== false,
  }
}

/** https://docs.stripe.com/api/prices/object#price_object-currency_options: by currency, its own included */
function currenciesOf(raw: CatalogueEntry): Pick<CataloguePrice, 'currencies'> {
  const own = currency(raw.currency)
  const others = Object.keys(obj(raw.currency_options)).flatMap((code) => currency(code) ?? [])
  const currencies = others.filter((code) => code !== own)
  return currencies.length === 0 ? {} : { currencies }
}

/** https://docs.stripe.com/api/prices/object#price_object-tax_behavior; `unspecified` says nothing */
function taxOf(said: unknown): Pick<CataloguePrice, 'tax'> {
  return said === 'inclusive' ? { tax: 'included' } : said === 'exclusive' ? { tax: 'excluded' } : {}
}
