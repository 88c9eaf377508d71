import { setTimeout as sleep } from 'node:timers/promises'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import { obj } from '../narrow.ts'

/** Waits so many milliseconds before something is asked for again. */
export type Wait = (ms: number) => Promise<unknown>

const tries = 4

/**
 * Asks again for what passes by itself: a limit, an outage. Where Stripe says how long to wait, that is how long.
 * @throws ERR_CONFIG for a key that may not read `what`, ERR_PROVIDER_ANSWER with `retryAfterSeconds` when Stripe is down
 * or limits us all the same
 */
export const patiently = async <T>(
  what: string,
  ask: () => Promise<T>,
  wait: Wait = (ms) => sleep(ms),
): Promise<T> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await ask()
    } catch (error) {
      const judged = judge(what, error, attempt)
      if (attempt >= tries || !isMembershipError(judged) || judged.retryAfterSeconds === undefined)
        throw judged
      await wait(judged.retryAfterSeconds * 1000)
    }
}

/** What passes by itself says when to try again; a key that is not accepted never gets better. */
const judge = (what: string, error: unknown, attempt: number): unknown => {
  if (!isMembershipError(error, 'ERR_PROVIDER_ANSWER')) return error
  const { statusCode: status, headers } = obj(error.cause)
  if (status === 401 || status === 403)
    return new MembershipError(
      'ERR_CONFIG',
      status === 401 ? 'Stripe does not accept the API key.' : `The API key may not read ${what}.`,
      {
        action:
          status === 401
            ? 'Copy the secret key from the Stripe dashboard (Developers, API keys) to membership.providers.stripe.secret.'
            : `Give the restricted key the permission to read ${what}, in the Stripe dashboard under API keys.`,
        cause: error.cause,
      },
    )
  const passes = status === undefined || status === 429 || Number(status) >= 500
  if (!passes) return error
  const asked = Number(obj(headers)['retry-after'])
  return new MembershipError(error.code, error.message, {
    action: error.action,
    cause: error.cause,
    retryAfterSeconds: asked > 0 ? Math.min(asked, 60) : 2 ** (attempt - 1),
  })
}
