import { MembershipError } from '../errors.ts'

/**
 * Whether nothing was done and nothing will be: we refused, or the provider said no to what was asked. An answer that
 * never came, and one that another try may change, are not; a key that was used for something else says nothing about it.
 */
export const isFinal = (error: unknown): boolean => {
  if (!(error instanceof MembershipError)) return false
  if (error.status < 500) return true
  const { statusCode, type } = (error.cause ?? {}) as { statusCode?: unknown; type?: unknown }
  return noes.has(statusCode) && !/idempotency/i.test(String(type))
}

const noes: ReadonlySet<unknown> = new Set([400, 401, 403, 404, 422])
