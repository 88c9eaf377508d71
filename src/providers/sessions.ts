import { intentLength, siteIdLength, siteKey } from '../core/access/index.ts'
import type { Checkout } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import { mayBeDone, once } from './call-once.ts'
import type { CheckoutRequest } from './contract.ts'
import { isObject, type Json, obj, str } from './narrow.ts'

/** Builds the checkout of a page that was just opened. */
export function openedCheckout(
  provider: string,
  request: CheckoutRequest,
  page: Pick<Checkout, 'id' | 'url'> & Partial<Checkout>,
): Checkout {
  return {
    provider,
    intent_id: request.intentId,
    mode: request.mode,
    price_id: request.priceId,
    quantity: request.quantity,
    customer_id: request.customerId,
    email: request.email,
    status: 'open',
    expires_at: null,
    metadata: request.metadata,
    ...page,
  }
}

/**
 * Opens each page once at a provider without idempotency keys: after a lost answer, the next try looks for
 * the page first.
 */
export function createOpening<T>() {
  const unanswered = new Set<string>()
  return async (
    intentId: string,
    { make, find }: { make(): Promise<T>; find(): Promise<T | null> },
  ): Promise<T> => {
    try {
      const opened = await once({ make, find, looksFirst: unanswered.has(intentId) })
      unanswered.delete(intentId)
      return opened
    } catch (error) {
      if (mayBeDone(error)) unanswered.add(intentId)
      throw error
    }
  }
}

/** Builds the error of a promotion code that the provider does not accept. */
export function unknownCode(code: string): MembershipError {
  return new MembershipError('ERR_FORM', `The code "${code}" is not valid, or no longer.`, {
    action: 'Check the code, or buy without it.',
    extensions: { field: 'code' },
  })
}

/** Builds the error of a trial whose price differs from what the buyer saw; the checkout does not begin. */
export function otherTrialAmount(price: string, provider: string): MembershipError {
  return new MembershipError(
    'ERR_CHECKOUT_REFUSED',
    `The trial of the price ${price} costs another amount at ${provider} than the buyer was shown.`,
    { action: 'Look at the price again, and confirm what is shown then. Nothing was bought.' },
  )
}

/**
 * Builds the error of a trial with other days at the provider, where no checkout can change them. `what` is
 * the provider's word for the thing that has the trial.
 */
export function otherTrialDays(
  { priceId, trialDays }: CheckoutRequest,
  { what, provider, days }: { what: 'price' | 'product'; provider: string; days: number | undefined },
): MembershipError {
  return new MembershipError(
    'ERR_CHECKOUT_REFUSED',
    `The ${what} ${priceId} has a trial of ${days} days at ${provider}, and this purchase has one of ${trialDays}.`,
    {
      action:
        trialDays === 0
          ? `Create a ${what} without a trial at ${provider} for buyers who had one, and name it in the plan.`
          : `Set the same number of days at the ${what} in ${provider} and in the plan.`,
    },
  )
}

/** Builds the error of several paid trials at once, where the provider does not say what they cost. */
export function severalPaidTrials(provider: string): MembershipError {
  return new MembershipError('ERR_CHECKOUT_REFUSED', `A paid trial is sold one at a time at ${provider}.`, {
    action: 'Buy one, and add the others when the trial is over.',
  })
}

/** Merges our fields over a site's additions; lists are replaced. */
export function merged(below: Json, top: Json): Json {
  const both: Record<string, unknown> = { ...below }
  for (const [key, value] of Object.entries(top)) {
    const under = both[key]
    both[key] = isObject(value) && isObject(under) ? merged(under, value) : value
  }
  return both
}

/** Metadata name under which a provider stores the intent of a purchase that began here. */
export const intentKey = 'membership_intent'

/**
 * Builds the metadata for the provider to store with a checkout. `signed` is for providers whose events do
 * not name the checkout.
 */
export function noted(
  { intentId, signedIntent, metadata }: Pick<CheckoutRequest, 'intentId' | 'signedIntent' | 'metadata'>,
  { signed = false } = {},
): Record<string, string> {
  return { ...metadata, [intentKey]: signed ? signedIntent : intentId }
}

/**
 * Reads the intent back; null if the purchase did not begin here. Buyers may have written it, so the core
 * checks that it is valid.
 */
export function intentIn(kept: unknown): string | null {
  return str((obj(kept) as Json)[intentKey])
}

/**
 * Returns the note of the site at which a purchase began, by its intent or its signed text. An intent of an
 * earlier version names none.
 */
export function siteNoteOf(intent: string | null): Record<string, string> {
  const [id = ''] = intent?.split('.') ?? []
  return isIntentOfSite.test(id) ? { [siteKey]: id.slice(0, siteIdLength) } : {}
}

const isIntentOfSite = new RegExp(`^[a-z0-9]{${siteIdLength}}[\\w-]{${intentLength - siteIdLength}}$`)

/** Returns the note of the site in metadata that holds other notes of ours. */
export function siteNoteIn(kept: unknown): Record<string, string> {
  const site = str((obj(kept) as Json)[siteKey])
  return site === null ? {} : { [siteKey]: site }
}
