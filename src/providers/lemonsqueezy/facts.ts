import { currency, int, type Json, str } from '../narrow.ts'

/** An id: text in the message's own object, a number wherever another one is named. */
export const idText = (value: unknown): string | null => {
  const number = int(value)
  return number === null ? str(value) : String(number)
}

/** When the object last changed, by its own word. */
export const revisedAt = (raw: Json): string | null => str(raw.updated_at) ?? str(raw.created_at)

/** An object's currency, in capitals. */
export const currencyOf = (raw: Json): string | null => currency(raw.currency)

/** What is sold is a variant: a checkout names nothing else, and a trial has no price yet. */
export const soldIn = (raw: Json): { price_id: string | null; product_id: string | null } => ({
  price_id: idText(raw.variant_id),
  product_id: idText(raw.product_id),
})
