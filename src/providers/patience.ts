import { setTimeout as sleep } from 'node:timers/promises'
import { isMembershipError, MembershipError } from '../core/errors.ts'
import { type ApiWords, failureOf, passes } from './api-errors.ts'

/** Waits so many milliseconds before something is asked for again. */
export type Wait = (ms: number) => Promise<unknown>

/** Waits by the clock on the wall. */
export const waitFor: Wait = (ms) => sleep(ms)

const tries = 4

/**
 * Asks again for what passes by itself: a limit, an outage. Where the provider says how long to wait, that is how long.
 * For what reads, with nobody waiting for it: a list, past messages.
 * @throws ERR_CONFIG for a key that may not read `what`, ERR_PROVIDER_ANSWER with `retryAfterSeconds` when the provider is
 * down or limits us all the same
 */
export const patiently = async <T>(
  words: ApiWords,
  what: string,
  ask: () => Promise<T>,
  wait: Wait = waitFor,
): Promise<T> => {
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

/** Temporary failures say when to try again; a key that is not accepted never gets better. */
const judge = (words: ApiWords, what: string, error: unknown, attempt: number): unknown => {
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

const refusedKey = (
  { name, keys, option }: ApiWords,
  what: string,
  status: 401 | 403,
  cause: unknown,
): MembershipError =>
  status === 401
    ? new MembershipError('ERR_CONFIG', `${name} does not accept the API key.`, {
        action: `Copy the secret key from ${keys} to ${option}.`,
        cause,
      })
    : new MembershipError('ERR_CONFIG', `The API key may not read ${what}.`, {
        action: `Give the key the permission to read ${what}, in ${keys}.`,
        cause,
      })
