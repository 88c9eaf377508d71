import { MembershipError } from '../../core/errors.ts'

/**
 * True if the provider has answered this idempotency key, so that the same call would be answered the same again: we
 * refused, it said no to what was asked, or it failed and keeps that answer for a day. Silence is no answer, a
 * request that was not taken up is none either; a key that was used for something else says nothing about it.
 * https://docs.stripe.com/api/idempotent_requests
 */
export const isFinal = (error: unknown): boolean =>
  (error instanceof MembershipError && (error.status < 500 || error.code === 'ERR_PROVIDER_UNSUPPORTED')) ||
  isNo(error) ||
  isFailure(error)

/** True if it is a failure of the provider's own, which the same key would repeat. */
export const isFailure = (error: unknown): boolean => Number(answerOf(error).statusCode) >= 500

const isNo = (error: unknown): boolean => {
  const { statusCode, type } = answerOf(error)
  return noes.has(statusCode) && !/idempotency/i.test(String(type))
}

const answerOf = (error: unknown): { statusCode?: unknown; type?: unknown } =>
  error instanceof MembershipError ? ((error.cause ?? {}) as { statusCode?: unknown; type?: unknown }) : {}

const noes: ReadonlySet<unknown> = new Set([400, 401, 403, 404, 422])
