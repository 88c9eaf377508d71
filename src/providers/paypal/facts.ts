import { toMinor } from '../decimals.ts'
import { currency, list, type Nested, obj, str } from '../narrow.ts'
import { paypalDigits } from './minor-units.ts'
import type { Linked, Money, Noted, Revised } from './payload.ts'

/** Returns when the object last changed; without an update, when it was created. */
export const revisedAt = (raw: Revised): string | null =>
  str(raw.update_time) ?? str(raw.status_update_time) ?? str(raw.create_time)

/** Converts an amount to minor units with its currency: `{ value, currency_code }` in version 2, `{ total,
 *  currency }` before. Refunds of version 1 have a minus, which is dropped. null for an invalid amount. */
export const moneyOf = (
  value: Nested<Money> | null | undefined,
): { readonly amount: number | null; readonly currency: string | null } => {
  const raw = obj(value)
  const code = currency(raw.currency_code) ?? currency(raw.currency)
  return {
    amount: code === null ? null : toMinor(raw.value ?? raw.total, code, paypalDigits),
    currency: code,
  }
}

/** Returns the id at the end of the first link with one of these relations and this part in its address. */
export const linked = (raw: Linked, relations: readonly string[], part: RegExp): string | null =>
  list(raw.links)
    .filter(({ rel }) => relations.includes(String(rel)))
    .map(({ href }) => part.exec(str(href) ?? '')?.[1] ?? null)
    .find((id) => id !== null) ?? null

/** Returns `custom_id` as metadata; PayPal stores only this one text. */
export const customOf = (raw: Noted): Record<string, string> => {
  const text = str(raw.custom_id) ?? str(raw.custom)
  return text === null ? {} : { custom_id: text }
}
