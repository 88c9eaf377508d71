import { MembershipError } from '../../core/errors.ts'
import { str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import type { PaddleApi } from './api.ts'
import { paddleWords } from './words.ts'

// https://developer.paddle.com/api-reference/events: kept for 90 days
const keptDays = 90
const slackMs = 60_000

/** Yields every event since then, newest first, as the JSON of a notification.
 *  @throws ERR_USAGE for more than 90 days, ERR_CONFIG for a key that is not accepted, ERR_PROVIDER_ANSWER
 *  with `retryAfterSeconds` when Paddle is down or limits requests */
export async function* pullEvents(
  api: Pick<PaddleApi, 'page'>,
  since: Date,
  { now, wait }: { readonly now: () => Date; readonly wait?: Wait },
): AsyncIterable<Buffer> {
  if (now().getTime() - since.getTime() > keptDays * 86_400_000 + slackMs)
    throw new MembershipError(
      'ERR_USAGE',
      `Paddle keeps events for ${keptDays} days; ${since.toISOString()} is longer ago.`,
      { action: `Ask for less, such as --since ${keptDays}d.` },
    )
  for (let after: string | null = null; ; ) {
    const query: Record<string, string> = { order_by: 'id[DESC]', ...(after === null ? {} : { after }) }
    const ask = () => api.page('past events', '/events', query)
    const { items, next } = await patiently(paddleWords, 'events', ask, wait)
    for (const event of items) {
      if (Date.parse(str(event.occurred_at) ?? '') < since.getTime()) return
      yield Buffer.from(JSON.stringify(event))
    }
    if (next === null) return
    after = next
  }
}
