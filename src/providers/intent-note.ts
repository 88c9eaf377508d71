import type { CheckoutRequest } from './calls.ts'
import { type Json, obj, str } from './narrow.ts'

/** Metadata name under which a provider stores the intent of a purchase that began here. */
export const intentKey = 'membership_intent'

/** Builds the metadata for the provider to store with a checkout. `signed` is for providers whose events
 *  do not name the checkout. */
export const noted = (
  { intentId, signedIntent, metadata }: Pick<CheckoutRequest, 'intentId' | 'signedIntent' | 'metadata'>,
  { signed = false } = {},
): Record<string, string> => ({ ...metadata, [intentKey]: signed ? signedIntent : intentId })

/** Reads the intent back; null if the purchase did not begin here. Buyers may have written it, so the core
 *  checks that it is valid. */
export const intentIn = (kept: unknown): string | null => str((obj(kept) as Json)[intentKey])
