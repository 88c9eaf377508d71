import { MembershipError } from '../../core/errors.ts'
import { isUrl } from '../../core/url.ts'
import { list } from '../narrow.ts'
import { patiently, type Wait } from '../patience.ts'
import type { PayPalApi } from './api.ts'
import { linkTo } from './read-objects.ts'
import { paypalWords } from './words.ts'

/** Yields every event since then, newest first, as PayPal shows it.
 *  https://developer.paypal.com/docs/api/webhooks/v1/#webhooks-events_list
 *  @throws ERR_USAGE for more than 30 days, and as `patiently` */
export async function* pullEvents(
  api: PayPalApi,
  since: Date,
  { now, wait }: { readonly now: () => Date; readonly wait?: Wait },
): AsyncIterable<Buffer> {
  refuseTooOld(since, now())
  let path: string | null = `/v1/notifications/webhooks-events?${new URLSearchParams({
    start_time: toMoment(since),
    end_time: toMoment(new Date(now().getTime() + 1000)),
    page_size: '100',
  })}`
  while (path !== null) {
    const asked: string = path
    const { raw } = await patiently(
      paypalWords,
      'past events',
      () => api.ask('past events', { path: asked }),
      wait,
    )
    const events = list(raw.events)
    for (const event of events) yield Buffer.from(JSON.stringify(event))
    path = events.length === 0 ? null : pathOf(linkTo(raw, 'next'))
  }
}

const keptDays = 30
const slackMs = 60_000

const refuseTooOld = (since: Date, now: Date): void => {
  if (now.getTime() - since.getTime() <= keptDays * 86_400_000 + slackMs) return
  throw new MembershipError(
    'ERR_USAGE',
    `PayPal keeps events for ${keptDays} days; ${since.toISOString()} is longer ago.`,
    { action: `Ask for less, such as --since ${keptDays}d.` },
  )
}

/** Keeps only the path of a link, so that the credentials are never sent to another host. */
const pathOf = (link: string | null): string | null => {
  if (link === null || !isUrl(link)) return null
  const { pathname, search } = new URL(link)
  return pathname.startsWith('/v1/notifications/webhooks-events') ? `${pathname}${search}` : null
}

const toMoment = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`
