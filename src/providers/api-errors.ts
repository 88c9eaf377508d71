import { MembershipError } from '../core/errors.ts'
import { type Json, obj, str } from './narrow.ts'

/** Names of a provider's API in error messages. */
export interface ApiWords {
  /** `Stripe`. */
  readonly name: string
  /** Configuration key of the API key: `membership.providers.stripe.secret`. */
  readonly option: string
  /** Place where people find their keys: `the Stripe dashboard (Developers, API keys)`. */
  readonly keys: string
  /** Place where the provider logs requests: `in the Stripe dashboard under Developers, Logs`. */
  readonly requests: string
}

/**
 * A failed call, read from the error that a provider's package throws. Most packages use the same field
 * names.
 */
export interface Failure {
  /** HTTP status; null without an answer. */
  readonly status: number | null
  /** The provider's own error code. */
  readonly code: string | null
  /** Parameter that the error is about. */
  readonly field: string | null
  /** Header `Retry-After` in seconds; null in any other form. */
  readonly retryAfterSeconds: number | null
}

/** Reads the error of a call, from the package `stripe`, similar packages, or our own client. */
export function failureOf(cause: unknown): Failure {
  const { statusCode, code, param, field, headers } = obj(cause)
  const status = Number(statusCode)
  const wait = secondsIn(obj(headers))
  return {
    status: Number.isInteger(status) && status > 0 ? status : null,
    code: str(code),
    field: str(param) ?? str(field),
    retryAfterSeconds: wait >= 0 ? wait : null,
  }
}

/**
 * Apple names the moment, in milliseconds since 1970, instead of seconds. Source:
 * https://developer.apple.com/documentation/appstoreserverapi/identifying-rate-limits
 */
function secondsIn(headers: Json): number {
  const wait = Number(headers['retry-after'] ?? Number.NaN)
  return wait < 1e11 ? wait : Math.ceil((wait - Date.parse(String(headers.date))) / 1000)
}

/**
 * Describes the error in our words. The provider's own text may repeat the key, so it stays in `cause`.
 * @returns ERR_PAYMENT_DECLINED for 402, ERR_ACTION_REFUSED where the buyer has to store a card first, else
 *   ERR_PROVIDER_ANSWER; an error of ours is returned unchanged
 */
export function toApiError(words: ApiWords, what: string, cause: unknown): MembershipError {
  // Our own code raised it between two calls.
  if (cause instanceof MembershipError) return cause
  const { status, code, field } = failureOf(cause)
  if (lacksPaymentMethod(cause)) return noPaymentMethod(words.name, cause)
  if (status === 402) return declined(cause)
  const about = [code, field && `parameter ${field}`].filter(Boolean).join(', ')
  const reason = status === null ? 'no answer' : `status ${status}${about ? ` (${about})` : ''}`
  return new MembershipError(
    'ERR_PROVIDER_ANSWER',
    `${words.name} could not be asked for ${what}: ${reason}`,
    {
      action:
        status === 401 || status === 403
          ? `Check \`${words.option}\`.`
          : passes(status)
            ? 'It is tried again later.'
            : `See the request ${words.requests}.`,
      // Pages then do not ask people to try again in a few minutes.
      ...(isRefusal(status) ? { extensions: { is_refused: true } } : {}),
      cause,
    },
  )
}

/** Builds the error of a payment that was not made, whatever the provider calls it. */
export function declined(cause: unknown): MembershipError {
  return new MembershipError('ERR_PAYMENT_DECLINED', 'The payment was declined; nothing was changed.', {
    action: 'Use another card, or ask the bank.',
    cause,
  })
}

// A documented code, and the words of two providers whose code also means other things:
// https://developer.paddle.com/errors/overview, https://docs.stripe.com/error-codes#resource-missing,
// https://docs.mollie.com/reference/create-payment
const paymentMethodCode = 'subscription_missing_payment_method_cannot_update'
const paymentMethodWords = /no attached payment source|no suitable mandates/i

/** Returns true if the buyer has stored nothing that can be charged. Trying again later does not help. */
function lacksPaymentMethod(cause: unknown): boolean {
  const { status, code } = failureOf(cause)
  if (status === null || status >= 500) return false
  const { message, body } = obj(cause)
  const { detail } = obj(body)
  return code === paymentMethodCode || paymentMethodWords.test(`${str(message) ?? ''} ${str(detail) ?? ''}`)
}

/** Builds the refusal of a charge for which nothing is stored. */
export function noPaymentMethod(name: string, cause: unknown): MembershipError {
  return new MembershipError(
    'ERR_ACTION_REFUSED',
    `No card or account is stored at ${name} that could be charged.`,
    {
      reason: 'no_payment_method',
      action: 'Store a card first (POST /membership/portal), then try again.',
      extensions: { portal_url: '/membership/portal' },
      cause,
    },
  )
}

/** Returns true if the provider understood the request and refuses it, so that no retry helps. */
function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && !passing.has(status)
}
// A wrong key is mended by the site, and the others pass.
const passing: ReadonlySet<number> = new Set([401, 403, 408, 409, 425, 429])

/** Returns true if a retry may succeed: no answer, a rate limit, an outage. */
export function passes(status: number | null): boolean {
  return status === null || status === 429 || status >= 500
}
