import type { CataloguePrice, ChosenAmount } from '../contract.ts'
import { int, interval, type Json, list, obj, str, whole } from '../narrow.ts'
import { address } from '../rest.ts'
import type { PaddleApi } from './api.ts'
import { siteMark } from './notes.ts'
import type { Price } from './payload.ts'

/**
 * Lists every price, archived ones included, except those made for a single transaction.
 * https://developer.paddle.com/api-reference/prices
 */
export async function paddlePrices(api: PaddleApi): Promise<CataloguePrice[]> {
  const { all } = await api.all<Price>('the prices', '/prices', {
    include: 'product',
    status: 'active,archived',
    type: 'standard',
  })
  return all.flatMap(toPrice)
}

function toPrice(raw: Price): CataloguePrice[] {
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
      ...currenciesOf(raw),
      ...taxOf(raw.tax_mode),
      trial_amount: trialAmountOf(raw),
      label: str(raw.name),
      lookup_key: null,
      product_id: str(raw.product_id),
      product_name: str(product.name),
      active: raw.status !== 'archived' && product.status !== 'archived',
    },
  ]
}

/** https://developer.paddle.com/api-reference/prices: `unit_price_overrides`, by country */
function currenciesOf(raw: Price): Pick<CataloguePrice, 'currencies'> {
  const codes = list(raw.unit_price_overrides).flatMap(
    ({ unit_price }) => str(obj(unit_price).currency_code) ?? [],
  )
  return codes.length === 0 ? {} : { currencies: [...new Set(codes)] }
}

/** https://developer.paddle.com/api-reference/prices: `tax_mode` */
function taxOf(said: unknown): Pick<CataloguePrice, 'tax'> {
  return {
    tax: said === 'internal' ? 'included' : said === 'external' ? 'excluded' : 'account',
  }
}

const days: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 }

/**
 * Returns the free days of a price, with thirty days a month; null without a trial. Source:
 * https://developer.paddle.com/api-reference/prices
 */
export function trialDaysOf(price: Price): number | null {
  const { interval, frequency } = obj(price.trial_period)
  const each = days[String(interval)]
  return each === undefined ? null : each * (int(frequency) ?? 1)
}

/**
 * Returns what a price's trial costs in minor units: 0 if it is free, null if the cost cannot be read.
 * Source: https://developer.paddle.com/changelog/2026/paid-trials
 */
export function trialAmountOf(price: Price): number | null {
  const { unit_price: cost } = obj(price.trial_period)
  return cost === undefined || cost === null ? 0 : whole(obj(cost).amount)
}

/**
 * The item of a purchase or change: a price of the catalogue, or that price at the amount that the buyer
 * chose. Such a price belongs to its transaction and subscription alone.
 * https://developer.paddle.com/build/transactions/bill-create-custom-items-prices-products
 */
export async function itemFor(api: PaddleApi, { priceId, quantity, chosen }: Bought): Promise<Json> {
  if (!chosen) return { price_id: priceId, quantity }
  const { raw } = await api.ask<Price>(`price ${priceId}`, { path: address`/prices/${priceId}` })
  const { amount, currency, interval, interval_count: count } = chosen
  const cycle = interval === null ? null : { interval, frequency: count ?? 1 }
  const price = {
    product_id: raw.product_id,
    description: raw.description,
    name: raw.name ?? null,
    tax_mode: raw.tax_mode,
    unit_price: { amount: String(amount), currency_code: currency },
    billing_cycle: cycle,
    // Otherwise its buyer could take several.
    quantity: { minimum: 1, maximum: 1 },
    custom_data: { [siteMark]: priceId },
  }
  return { price, quantity }
}

/** A price, its quantity, and the amount if the buyer chose it. */
export interface Bought {
  readonly priceId: string
  readonly quantity: number
  readonly chosen?: ChosenAmount | null
}
