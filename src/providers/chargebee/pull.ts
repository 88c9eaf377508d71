import { obj } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import type { ChargebeeApi } from './api.ts'
import { chargebeeWords } from './words.ts'

/** Yields every event since then, oldest first, as the JSON of a webhook. Chargebee documents no age
 *  limit. https://apidocs.chargebee.com/docs/api/events/list-events
 *  @throws ERR_CONFIG for a key that is not accepted, ERR_PROVIDER_ANSWER with `retryAfterSeconds` when
 *  Chargebee is down or limits requests */
export async function* pullEvents(
  api: Pick<ChargebeeApi, 'page'>,
  since: Date,
  { wait }: { readonly wait?: Wait } = {},
): AsyncIterable<Buffer> {
  const after = String(Math.floor(since.getTime() / 1000) - 1)
  for (let offset: string | null = null; ; ) {
    const query: Record<string, string> = {
      'occurred_at[after]': after,
      'sort_by[asc]': 'occurred_at',
      ...(offset === null ? {} : { offset }),
    }
    const ask = () => api.page('past events', '/events', query)
    const { items, next } = await patiently(chargebeeWords, 'events', ask, wait)
    for (const { event } of items) yield Buffer.from(JSON.stringify(obj(event)))
    if (next === null) return
    offset = next
  }
}
