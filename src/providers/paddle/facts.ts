import { currency, type Json, obj, str } from '../narrow.ts'

/** When the object last changed, by its own word; one that nobody has touched since it was made says the year 1. */
export const revisedAt = (raw: Json): string | null => {
  const updated = str(raw.updated_at)
  return updated?.startsWith('0001-') ? str(raw.created_at) : updated
}

/** Price of an item of a transaction or a subscription, wherever it stands. */
export const priceOf = (item: Json): { price_id: string | null; product_id: string | null } => {
  const price = obj(item.price)
  return {
    price_id: str(price.id) ?? str(item.price_id),
    product_id: str(obj(item.product).id) ?? str(price.product_id),
  }
}

/** Recurrence of an item: false is once, null where the message does not show its price. */
export const recurs = (item: Json): boolean | null => {
  if (typeof item.recurring === 'boolean') return item.recurring
  const { billing_cycle: cycle, id } = obj(item.price)
  if (str(id) === null) return null
  return str(obj(cycle).interval) !== null
}

/** An object's currency, in capitals. */
export const currencyOf = (raw: Json): string | null => currency(raw.currency_code)
