import { toMinor } from '../decimals.ts'
import { currency, type Json, list, obj, str } from '../narrow.ts'
import { paypalDigits } from './minor-units.ts'

/** When the object last changed, by its own word; one that says only when it was made is as it was made. */
export const revisedAt = (raw: Json): string | null =>
  str(raw.update_time) ?? str(raw.status_update_time) ?? str(raw.create_time)

/** An amount in minor units with its currency: `{ value, currency_code }` of version 2, `{ total, currency }` before. What
 *  goes back was written with a minus there; here it has none. Null for what is no amount of that currency. */
export const moneyOf = (
  value: unknown,
): { readonly amount: number | null; readonly currency: string | null } => {
  const raw = obj(value)
  const code = currency(raw.currency_code) ?? currency(raw.currency)
  return {
    amount: code === null ? null : toMinor(raw.value ?? raw.total, code, paypalDigits),
    currency: code,
  }
}

/** The id at the end of the first link of one of these relations whose address has this part. */
export const linked = (raw: Json, relations: readonly string[], part: RegExp): string | null =>
  list(raw.links)
    .filter(({ rel }) => relations.includes(String(rel)))
    .map(({ href }) => part.exec(str(href) ?? '')?.[1] ?? null)
    .find((id) => id !== null) ?? null

/** `custom_id` as metadata: PayPal has no more room than this one text. */
export const customOf = (raw: Json): Record<string, string> => {
  const text = str(raw.custom_id) ?? str(raw.custom)
  return text === null ? {} : { custom_id: text }
}
