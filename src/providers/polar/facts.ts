import { currency, type Json, str } from '../narrow.ts'

/** When the object last changed, by its own word: until then `modified_at` is null, and it is as it was made. */
export const revisedAt = (raw: Json): string | null => str(raw.modified_at) ?? str(raw.created_at)

/** An object's currency, in capitals. */
export const currencyOf = (raw: Json): string | null => currency(raw.currency)
