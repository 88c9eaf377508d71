import { currency, obj, str } from '../narrow.ts'
import { noteOfPrice } from './notes.ts'
import type { Item, Priced, Revised } from './payload.ts'

/** Returns when the object last changed. An object that never changed has the year 1. */
export function revisedAt(raw: Revised): string | null {
  const updated = str(raw.updated_at)
  return updated?.startsWith('0001-') ? str(raw.created_at) : updated
}

/**
 * Returns the price of a transaction's or subscription's item, in any of its forms. One that was made for a
 * chosen amount names the price of the site.
 */
export function priceOf(item: Item): { price_id: string | null; product_id: string | null } {
  const price = obj(item.price)
  return {
    price_id: noteOfPrice(price) ?? str(price.id) ?? str(item.price_id),
    product_id: str(obj(item.product).id) ?? str(price.product_id),
  }
}

/**
 * Returns true for a recurring item, false for a one-time one, null if the event does not contain its price.
 */
export function recurs(item: Item): boolean | null {
  if (typeof item.recurring === 'boolean') return item.recurring
  const { billing_cycle: cycle, id } = obj(item.price)
  if (str(id) === null) return null
  return str(obj(cycle).interval) !== null
}

/** Returns an object's currency, in capitals. */
export function currencyOf(raw: Priced): string | null {
  return currency(raw.currency_code)
}
