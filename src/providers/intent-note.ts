import type { CheckoutRequest } from './calls.ts'
import { type Json, obj, str } from './narrow.ts'

/** The name under which a purchase that began here stands in what a provider keeps with it. */
export const intentKey = 'membership_intent'

/** Metadata for the provider to keep with a checkout. `signed` where its messages do not name the checkout. */
export const noted = (
  { intentId, signedIntent, metadata }: Pick<CheckoutRequest, 'intentId' | 'signedIntent' | 'metadata'>,
  { signed = false } = {},
): Record<string, string> => ({ ...metadata, [intentKey]: signed ? signedIntent : intentId })

/** The same as it comes back; null for what did not begin here. Buyers may have written it: the core looks whether it
 *  counts. */
export const intentIn = (kept: unknown): string | null => str((obj(kept) as Json)[intentKey])
