import { setTimeout as sleep } from 'node:timers/promises'
import { isMembershipError, MembershipError } from '../core/errors.ts'
import { type ApiWords, failureOf, passes } from './api-errors.ts'

/** Waits a number of milliseconds before a retry. */
export type Wait = (ms: number) => Promise<unknown>

/** Waits in real time. */
export const waitFor: Wait = (ms) => sleep(ms)

const tries = 4

/**
 * Retries after temporary failures: a rate limit or an outage. It waits as long as the provider asks. It is
 * for background reads: lists and past events.
 * @throws ERR_CONFIG for a key that may not read `what`, ERR_PROVIDER_ANSWER with `retryAfterSeconds` when
 *   the last try fails too
 */
export async function patiently<T>(
  words: ApiWords,
  what: string,
  ask: () => Promise<T>,
  wait: Wait = waitFor,
): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await ask()
    } catch (error) {
      const judged = judge(words, what, error, attempt)
      if (attempt >= tries || !isMembershipError(judged) || judged.retryAfterSeconds === undefined)
        throw judged
      await wait(judged.retryAfterSeconds * 1000)
    }
}

/** Classifies an error: a temporary failure gets a time for the retry, an invalid key does not. */
function judge(words: ApiWords, what: string, error: unknown, attempt: number): unknown {
  if (!isMembershipError(error, 'ERR_PROVIDER_ANSWER')) return error
  const { cause } = error
  const { status, retryAfterSeconds } = failureOf(cause)
  if (status === 401 || status === 403) return refusedKey(words, what, status, cause)
  if (!passes(status)) return error
  const asked = retryAfterSeconds ?? 0
  return new MembershipError(error.code, error.message, {
    action: error.action,
    cause,
    retryAfterSeconds: asked > 0 ? Math.min(asked, 60) : 2 ** (attempt - 1),
  })
}

function refusedKey(
  { name, keys, option }: ApiWords,
  what: string,
  status: 401 | 403,
  cause: unknown,
): MembershipError {
  return status === 401
    ? new MembershipError('ERR_CONFIG', `${name} does not accept the API key.`, {
        action: `Copy the secret key from ${keys} to ${option}.`,
        cause,
      })
    : new MembershipError('ERR_CONFIG', `The API key may not read ${what}.`, {
        action: `Give the key the permission to read ${what}, in ${keys}.`,
        cause,
      })
}
