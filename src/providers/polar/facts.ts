import { currency, str } from '../narrow.ts'
import type { Priced, Revised } from './payload.ts'

/** Returns when the object last changed. `modified_at` is null until then, so its creation counts. */
export function revisedAt(raw: Revised): string | null {
  return str(raw.modified_at) ?? str(raw.created_at)
}

/** Returns an object's currency, in capitals. */
export function currencyOf(raw: Priced): string | null {
  return currency(raw.currency)
}
