import { obj, str } from '../narrow.ts'
import { pastEvents } from '../pull.ts'
import type { PolarApi } from './api.ts'
import type { WebhookDelivery } from './payload.ts'

/**
 * Yields the events sent since then, each once, with their original bytes. Polar keeps them for 90 days, and
 * lists every delivery attempt. https://polar.sh/docs/api-reference/webhooks/deliveries/list
 * @throws as `pastEvents`
 */
export async function* pullEvents({ words, page }: PolarApi, since: Date): AsyncIterable<Buffer> {
  const query = { start_timestamp: since.toISOString() }
  const deliveries = pastEvents({
    words,
    page: (after) => page<WebhookDelivery>('past events', '/webhooks/deliveries', query, after),
  })
  const seen = new Set<string>()
  for await (const { webhook_event } of deliveries) {
    const { id, payload } = obj(webhook_event)
    const text = str(payload)
    // An archived event has no bytes any more.
    if (text === null || seen.has(String(id))) continue
    seen.add(String(id))
    yield Buffer.from(text)
  }
}
