import { str } from '../narrow.ts'
import { pastEvents, refuseOlder } from '../pull.ts'
import type { PaddleApi } from './api.ts'
import type { WebhookEvent } from './payload.ts'

// https://developer.paddle.com/api-reference/events: kept for 90 days
const keptDays = 90

/**
 * Yields every event since then, newest first, as the JSON of a notification.
 * @throws ERR_USAGE for more than 90 days, and as `pastEvents`
 */
export async function* pullEvents(
  { words, page }: PaddleApi,
  since: Date,
  { now }: { readonly now: () => Date },
): AsyncIterable<Buffer> {
  refuseOlder(since, now(), words, keptDays)
  const events = pastEvents({
    words,
    page: (after) => page<WebhookEvent>('past events', '/events', { order_by: 'id[DESC]' }, after),
  })
  for await (const event of events) {
    if (Date.parse(str(event.occurred_at) ?? '') < since.getTime()) return
    yield Buffer.from(JSON.stringify(event))
  }
}
