import { currency, type Json, str } from '../narrow.ts'

/** Returns when the object last changed. `modified_at` is null until then, so its creation counts. */
export const revisedAt = (raw: Json): string | null => str(raw.modified_at) ?? str(raw.created_at)

/** Returns an object's currency, in capitals. */
export const currencyOf = (raw: Json): string | null => currency(raw.currency)
