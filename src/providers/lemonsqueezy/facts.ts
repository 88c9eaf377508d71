import { currency, int, obj, str } from '../narrow.ts'
import type { Common, Priced, Sold } from './payload.ts'

/** Reads an id: text in the event's own object, a number elsewhere. */
export function idText(value: unknown): string | null {
  const number = int(value)
  return number === null ? str(value) : String(number)
}

/**
 * Returns when the object last changed. A change of seats updates only the subscription's item, so the later
 * of both `updated_at` counts.
 * https://docs.lemonsqueezy.com/api/subscription-items/the-subscription-item-object
 */
export function revisedAt(raw: Common): string | null {
  const own = str(raw.updated_at) ?? str(raw.created_at)
  const item = str(obj(raw.first_subscription_item).updated_at)
  if (own === null || item === null) return own ?? item
  return Date.parse(item) > Date.parse(own) ? item : own
}

/** Returns an object's currency, in capitals. */
export function currencyOf(raw: Priced): string | null {
  return currency(raw.currency)
}

/** Returns the variant sold. A checkout names nothing else, and a trial has no price yet. */
export function soldIn(raw: Sold): { price_id: string | null; product_id: string | null } {
  return {
    price_id: idText(raw.variant_id),
    product_id: idText(raw.product_id),
  }
}
