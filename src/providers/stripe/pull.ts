import { setTimeout as sleep } from 'node:timers/promises'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import { type Json, list, obj, str } from '../narrow.ts'
import type { StripeApi } from './api.ts'

export interface PullDeps {
  readonly now: () => Date
  /** Waits so many milliseconds before a page is asked for again. */
  readonly wait?: (ms: number) => Promise<unknown>
}

// https://docs.stripe.com/api/events/list: "going back up to 30 days"
const keptDays = 30
const slackMs = 60_000
const tries = 4

/**
 * Every event since then, newest first, as the JSON that Stripe sends. A page that fails is asked for again, from where
 * the last one ended.
 * @throws ERR_USAGE for more than 30 days, ERR_CONFIG for a key that is not accepted, ERR_PROVIDER_ANSWER with
 * `retryAfterSeconds` when Stripe is down or limits us
 */
export async function* pullEvents(
  api: Pick<StripeApi, 'ask'>,
  since: Date,
  { now, wait = sleep }: PullDeps,
): AsyncIterable<Buffer> {
  refuseTooOld(since, now())
  const gte = Math.floor(since.getTime() / 1000)
  for (let after: string | undefined; ; ) {
    const page = await readPage(api, { gte, after }, wait)
    const events = list(page.data)
    for (const event of events) yield Buffer.from(JSON.stringify(event))
    after = str(events.at(-1)?.id) ?? undefined
    if (page.has_more !== true || after === undefined) return
  }
}

const refuseTooOld = (since: Date, now: Date): void => {
  if (now.getTime() - since.getTime() <= keptDays * 86_400_000 + slackMs) return
  throw new MembershipError(
    'ERR_USAGE',
    `Stripe keeps events for ${keptDays} days; ${since.toISOString()} is longer ago.`,
    { action: `Ask for less, such as --since ${keptDays}d.` },
  )
}

const readPage = async (
  api: Pick<StripeApi, 'ask'>,
  { gte, after }: { gte: number; after: string | undefined },
  wait: (ms: number) => Promise<unknown>,
): Promise<Json> => {
  for (let attempt = 1; ; attempt++)
    try {
      const { raw } = await api.ask('past events', (stripe) =>
        stripe.events.list({ created: { gte }, limit: 100, ...(after ? { starting_after: after } : {}) }),
      )
      return raw
    } catch (error) {
      const judged = judge(error, attempt)
      if (attempt >= tries || !isMembershipError(judged) || judged.retryAfterSeconds === undefined)
        throw judged
      await wait(judged.retryAfterSeconds * 1000)
    }
}

/** What passes by itself says when to try again; a key that is not accepted never gets better. */
const judge = (error: unknown, attempt: number): unknown => {
  if (!isMembershipError(error, 'ERR_PROVIDER_ANSWER')) return error
  const { statusCode: status, headers } = obj(error.cause)
  if (status === 401 || status === 403)
    return new MembershipError(
      'ERR_CONFIG',
      status === 401 ? 'Stripe does not accept the API key.' : 'The API key may not read events.',
      {
        action:
          status === 401
            ? 'Copy the secret key from the Stripe dashboard (Developers, API keys) to membership.providers.stripe.secret.'
            : 'Give the restricted key the permission to read events, in the Stripe dashboard under API keys.',
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
