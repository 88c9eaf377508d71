import { moneyOf, type StatedMoney, type Unstated } from '../../core/dto/index.ts'
import { toMinor } from '../decimals.ts'
import { list, type Nested, obj, str } from '../narrow.ts'
import { siteNoteOf } from '../sessions.ts'
import { paypalDigits } from './minor-units.ts'
import { intentIn } from './notes.ts'
import type { Amount, Linked, Noted, Revised } from './payload.ts'

/** Returns when the object last changed; without an update, when it was created. */
export function revisedAt(raw: Revised): string | null {
  return str(raw.update_time) ?? str(raw.status_update_time) ?? str(raw.create_time)
}

/**
 * Converts an amount to minor units with its currency: `{ value, currency_code }` in version 2, `{ total,
 * currency }` before. Refunds of version 1 have a minus, which is dropped. null for an invalid amount.
 */
export function amountOf(value: Nested<Amount> | null | undefined): StatedMoney | Unstated {
  const raw = obj(value)
  const newer = moneyOf(raw, { amount: 'value', currency: 'currency_code' }, toPayPalMinor)
  if (newer.currency !== null) return newer
  return moneyOf(
    raw,
    { amount: raw.value === undefined ? 'total' : 'value', currency: 'currency' },
    toPayPalMinor,
  )
}

function toPayPalMinor(value: unknown, currency: string): number | null {
  return toMinor(value, currency, paypalDigits)
}

/** Returns the id at the end of the first link with one of these relations and this part in its address. */
export function linked(raw: Linked, relations: readonly string[], part: RegExp): string | null {
  return (
    list(raw.links)
      .filter(({ rel }) => relations.includes(String(rel)))
      .map(({ href }) => part.exec(str(href) ?? '')?.[1] ?? null)
      .find((id) => id !== null) ?? null
  )
}

/** Returns `custom_id` as metadata, and the site that its intent names; PayPal stores only this one text. */
export function customOf(raw: Noted): Record<string, string> {
  const text = str(raw.custom_id) ?? str(raw.custom)
  return text === null ? {} : { custom_id: text, ...siteNoteOf(intentIn({ custom_id: text })) }
}
