import { obj } from '../narrow.ts'
import { pastEvents } from '../pull.ts'
import type { ChargebeeApi } from './api.ts'
import type { Content } from './payload.ts'

/**
 * Yields every event since then, oldest first, as the JSON of a webhook. Chargebee documents no age limit.
 * https://apidocs.chargebee.com/docs/api/events/list-events
 * @throws as `pastEvents`
 */
export async function* pullEvents({ words, page }: ChargebeeApi, since: Date): AsyncIterable<Buffer> {
  const query = {
    'occurred_at[after]': String(Math.floor(since.getTime() / 1000) - 1),
    'sort_by[asc]': 'occurred_at',
  }
  const events = pastEvents({ words, page: (after) => page<Content>('past events', '/events', query, after) })
  for await (const { event } of events) yield Buffer.from(JSON.stringify(obj(event)))
}
