import type { SubscriptionSnapshot } from '../contract.ts'
import { currency, idOf, str } from '../narrow.ts'
import type { Common, Priced, WithProduct } from './payload.ts'

const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/** Converts milliseconds or ISO 8601, because Creem uses both. */
export function moment(value: unknown): string | null {
  if (typeof value !== 'number') return str(value)
  return Number.isInteger(value) && value >= 0 && value <= lastMs ? new Date(value).toISOString() : null
}

/** Returns the mode that every object contains: `prod` is live, the others are not. */
export function livemodeOf({ mode }: Common): boolean | null {
  return mode === 'prod' ? true : mode === 'test' || mode === 'sandbox' || mode === 'local' ? false : null
}

/** Returns the product sold, given as an object or an id. A checkout names nothing else. */
export function productOf({ product }: WithProduct): string | null {
  return idOf(product)
}

/** Returns an object's currency, in capitals. */
export function currencyOf(raw: Priced): string | null {
  return currency(raw.currency)
}

/** Billing interval of a product. Source: https://docs.creem.io/api-reference/endpoint/get-product */
export const periods: ReadonlyMap<unknown, readonly [NonNullable<SubscriptionSnapshot['interval']>, number]> =
  new Map([
    ['every-day', ['day', 1]],
    ['every-month', ['month', 1]],
    ['every-three-months', ['month', 3]],
    ['every-six-months', ['month', 6]],
    ['every-year', ['year', 1]],
  ])
