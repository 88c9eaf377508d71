import { isUrl } from '../../core/url.ts'
import { list } from '../narrow.ts'
import { pastEvents, refuseOlder } from '../pull.ts'
import { type PayPalApi, paypalWords, toMoment } from './api.ts'
import type { ListAnswer } from './payload.ts'
import { linkTo } from './read-objects.ts'

const keptDays = 30

/**
 * Yields every event since then, newest first, as PayPal shows it.
 * https://developer.paypal.com/docs/api/webhooks/v1/#webhooks-events_list
 * @throws ERR_USAGE for more than 30 days, and as `pastEvents`
 */
export async function* pullEvents(
  api: PayPalApi,
  since: Date,
  { now }: { readonly now: () => Date },
): AsyncIterable<Buffer> {
  refuseOlder(since, now(), paypalWords, keptDays)
  const first = `/v1/notifications/webhooks-events?${new URLSearchParams({
    start_time: toMoment(since),
    end_time: toMoment(new Date(now().getTime() + 1000)),
    page_size: '100',
  })}`
  const events = pastEvents({
    words: paypalWords,
    page: async (after) => {
      const { raw } = await api.ask<ListAnswer>('past events', { path: after ?? first })
      const items = list(raw.events)
      return { items, next: items.length === 0 ? null : pathOf(linkTo(raw, 'next')) }
    },
  })
  for await (const event of events) yield Buffer.from(JSON.stringify(event))
}

/** Keeps only the path of a link, so that the credentials are never sent to another host. */
function pathOf(link: string | null): string | null {
  if (link === null || !isUrl(link)) return null
  const { pathname, search } = new URL(link)
  return pathname.startsWith('/v1/notifications/webhooks-events') ? `${pathname}${search}` : null
}
