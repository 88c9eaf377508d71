import { MembershipError } from '../../core/errors.ts'
import type { Fetched, Provider } from '../../providers/contract.ts'

/**
 * Whether the provider has answered this idempotency key, so that the same call would be answered the same again: we
 * refused, it said no to what was asked, or it failed and keeps that answer for a day. Silence is no answer, a request
 * that was not taken up is none either; a key that was used for something else says nothing about it.
 * https://docs.stripe.com/api/idempotent_requests
 */
export const isFinal = (error: unknown): boolean =>
  (error instanceof MembershipError && (error.status < 500 || error.code === 'ERR_PROVIDER_UNSUPPORTED')) ||
  isNo(error) ||
  isFailure(error)

/**
 * Makes a call that may be made twice. Where the provider's answer to its key is a failure of its own, which the key
 * would repeat, another key is used; after silence the same, by which a late first call is recognised.
 */
export const askAnew = async <T>(
  { key, randomId }: { key: string; randomId: () => string },
  call: (idempotencyKey: string) => Promise<T>,
): Promise<T> => {
  try {
    return await call(key)
  } catch (error) {
    if (!isFailure(error)) throw error
    return call(`${key}:${randomId()}`)
  }
}

/** Closes an intent's checkout at its provider, so that nobody can pay it any more; null where the provider does not say
 *  that it is closed. */
export const expireCheckout = (
  provider: Provider,
  { id, checkoutId, randomId }: { id: string; checkoutId: string; randomId: () => string },
): Promise<Fetched | null> =>
  askAnew({ key: `expire:${id}`, randomId }, async (idempotencyKey) =>
    provider.expireCheckout ? provider.expireCheckout(checkoutId, { idempotencyKey }) : null,
  )

const isNo = (error: unknown): boolean => {
  const { statusCode, type } = answerOf(error)
  return noes.has(statusCode) && !/idempotency/i.test(String(type))
}

const isFailure = (error: unknown): boolean => Number(answerOf(error).statusCode) >= 500

const answerOf = (error: unknown): { statusCode?: unknown; type?: unknown } =>
  error instanceof MembershipError ? ((error.cause ?? {}) as { statusCode?: unknown; type?: unknown }) : {}

const noes: ReadonlySet<unknown> = new Set([400, 401, 403, 404, 422])
