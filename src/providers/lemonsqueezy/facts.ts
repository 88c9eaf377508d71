import { currency, int, type Json, obj, str } from '../narrow.ts'

/** An id: text in the message's own object, a number wherever another one is named. */
export const idText = (value: unknown): string | null => {
  const number = int(value)
  return number === null ? str(value) : String(number)
}

/** When the object last changed, by its own word. A change of seats moves the subscription's item alone: its own
 *  `updated_at` stands still, so the later of both counts.
 *  https://docs.lemonsqueezy.com/api/subscription-items/the-subscription-item-object */
export const revisedAt = (raw: Json): string | null => {
  const own = str(raw.updated_at) ?? str(raw.created_at)
  const item = str(obj(raw.first_subscription_item).updated_at)
  if (own === null || item === null) return own ?? item
  return Date.parse(item) > Date.parse(own) ? item : own
}

/** An object's currency, in capitals. */
export const currencyOf = (raw: Json): string | null => currency(raw.currency)

/** Variant that is sold: a checkout names nothing else, and a trial has no price yet. */
export const soldIn = (raw: Json): { price_id: string | null; product_id: string | null } => ({
  price_id: idText(raw.variant_id),
  product_id: idText(raw.product_id),
})
