import { MembershipError } from '../core/errors.ts'
import { obj, str } from './narrow.ts'

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

/** Failure in place of an answer, read from whatever a provider's package throws: packages call most of it alike. */
export interface Failure {
  /** The status of HTTP; null when nothing came. */
  readonly status: number | null
  /** The provider's own word for what is wrong. */
  readonly code: string | null
  /** The parameter that it is about. */
  readonly field: string | null
  /** The header `Retry-After` in seconds; null where it is not given in seconds. */
  readonly retryAfterSeconds: number | null
}

/** Reads what a call threw: an error of the package `stripe`, of others like it, or of our own client. */
export const failureOf = (cause: unknown): Failure => {
  const { statusCode, code, param, field, headers } = obj(cause)
  const status = Number(statusCode)
  const wait = Number(obj(headers)['retry-after'] ?? Number.NaN)
  return {
    status: Number.isInteger(status) && status > 0 ? status : null,
    code: str(code),
    field: str(param) ?? str(field),
    retryAfterSeconds: wait >= 0 ? wait : null,
  }
}

/**
 * What went wrong, in our words: the provider's own text may repeat the key, so it stays in `cause`.
 * @returns ERR_PAYMENT_DECLINED for 402, else ERR_PROVIDER_ANSWER; what is an error of ours already stays as it is
 */
export const toApiError = (words: ApiWords, what: string, cause: unknown): MembershipError => {
  // Said by us between two calls.
  if (cause instanceof MembershipError) return cause
  const { status, code, field } = failureOf(cause)
  if (status === 402) return declined(cause)
  const about = [code, field && `parameter ${field}`].filter(Boolean).join(', ')
  const said = status === null ? 'no answer' : `status ${status}${about ? ` (${about})` : ''}`
  return new MembershipError('ERR_PROVIDER_ANSWER', `${words.name} could not be asked for ${what}: ${said}`, {
    action:
      status === 401 || status === 403
        ? `Check \`${words.option}\`.`
        : passes(status)
          ? 'It is tried again later.'
          : `See the request ${words.requests}.`,
    cause,
  })
}

/** A payment that was not made, whatever the provider calls that. */
export const declined = (cause: unknown): MembershipError =>
  new MembershipError('ERR_PAYMENT_DECLINED', 'The payment was declined; nothing was changed.', {
    action: 'Use another card, or ask the bank.',
    cause,
  })

/** True if a failure goes by itself: silence, a limit, an outage. */
export const passes = (status: number | null): boolean => status === null || status === 429 || status >= 500
