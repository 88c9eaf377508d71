import { MembershipError } from '../../core/errors.ts'
import { type Json, list, str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import type { StripeApi } from './api.ts'
import { stripeWords } from './words.ts'

export interface PullDeps {
  readonly now: () => Date
  readonly wait?: Wait
  /** Limits the events to this type. */
  readonly type?: string
}

// https://docs.stripe.com/api/events/list: "going back up to 30 days"
const keptDays = 30
const slackMs = 60_000

/** Yields every event since then, newest first, as the JSON that Stripe sends. A failed page is requested
 *  again, from the end of the previous one.
 *  @throws ERR_USAGE for more than 30 days, ERR_CONFIG for a key that is not accepted, ERR_PROVIDER_ANSWER
 *  with `retryAfterSeconds` when Stripe is down or limits requests */
export async function* pullEvents(
  api: Pick<StripeApi, 'ask'>,
  since: Date,
  { now, wait, type }: PullDeps,
): AsyncIterable<Buffer> {
  refuseTooOld(since, now())
  const gte = Math.floor(since.getTime() / 1000)
  for (let after: string | undefined; ; ) {
    const page = await readPage(api, { gte, after, type }, wait)
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
  { gte, after, type }: { gte: number; after: string | undefined; type: string | undefined },
  wait: Wait | undefined,
): Promise<Json> => {
  const { raw } = await patiently(
    stripeWords,
    'events',
    () =>
      api.ask('past events', (stripe) =>
        stripe.events.list({
          ...{ created: { gte }, limit: 100 },
          ...(after ? { starting_after: after } : {}),
          ...(type ? { type } : {}),
        }),
      ),
    wait,
  )
  return raw
}
