import { obj, str } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import type { PolarApi } from './api.ts'
import { polarWords } from './words.ts'

/** Yields the events sent since then, each once, with their original bytes. Polar keeps them for 90 days,
 *  and lists every delivery attempt. https://polar.sh/docs/api-reference/webhooks/deliveries/list */
export async function* pullEvents(
  api: Pick<PolarApi, 'page'>,
  since: Date,
  { wait }: { readonly wait?: Wait } = {},
): AsyncIterable<Buffer> {
  const seen = new Set<string>()
  for (let after: string | null = '1'; after !== null; ) {
    const query: Record<string, string> = { start_timestamp: since.toISOString(), page: after }
    const ask = () => api.page('past events', '/webhooks/deliveries', query)
    const { items, next } = await patiently(polarWords, 'past events', ask, wait)
    for (const { webhook_event } of items) {
      const { id, payload } = obj(webhook_event)
      const text = str(payload)
      // An archived event has no bytes any more.
      if (text === null || seen.has(String(id))) continue
      seen.add(String(id))
      yield Buffer.from(text)
    }
    after = next
  }
}
