import { MembershipError } from '../../core/errors.ts'

/**
 * True if the provider answered this idempotency key for good, so that the same call would get the same answer. Either
 * we refused, the provider rejected the request, or it failed and keeps that answer for a day. Silence is no answer,
 * nor is a request that was not accepted; a key used for something else proves nothing.
 * https://docs.stripe.com/api/idempotent_requests
 */
export function isFinal(error: unknown): boolean {
  return (
    (error instanceof MembershipError && (error.status < 500 || error.code === 'ERR_PROVIDER_UNSUPPORTED')) ||
    isNo(error) ||
    isFailure(error)
  )
}

/** True for a failure of the provider's own, which the same key would repeat. */
export function isFailure(error: unknown): boolean {
  return Number(answerOf(error).statusCode) >= 500
}

function isNo(error: unknown): boolean {
  const { statusCode, type } = answerOf(error)
  return noes.has(statusCode) && !/idempotency/i.test(String(type))
}

function answerOf(error: unknown): { statusCode?: unknown; type?: unknown } {
  return error instanceof MembershipError
    ? ((error.cause ?? {}) as { statusCode?: unknown; type?: unknown })
    : {}
}

const noes: ReadonlySet<unknown> = new Set([400, 401, 403, 404, 422])
