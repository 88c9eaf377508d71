import { list, str } from '../narrow.ts'
import { pastEvents, refuseOlder } from '../pull.ts'
import { type AppleApi, appleWords } from './api.ts'
import type { HistoryAnswer } from './payload.ts'

/**
 * Yields the notifications sent since then, as they were delivered. Apple keeps them for 180 days, in the
 * sandbox for 30. https://developer.apple.com/documentation/appstoreserverapi/get-notification-history
 * @throws as `pastEvents`, and ERR_USAGE for an earlier time
 */
export async function* pullEvents(
  { ask }: AppleApi,
  since: Date,
  { now, isTest }: { readonly now: () => Date; readonly isTest: boolean },
): AsyncIterable<Buffer> {
  refuseOlder(since, now(), appleWords, isTest ? 30 : 180)
  const body = { startDate: since.getTime(), endDate: now().getTime() }
  const notifications = pastEvents({
    words: appleWords,
    page: async (after) => {
      const { raw } = await ask<HistoryAnswer>('past notifications', {
        method: 'POST',
        path: '/inApps/v1/notifications/history',
        ...(after === null ? {} : { query: { paginationToken: after } }),
        // Each page has to be asked for in the same words.
        body,
        reads: true,
      })
      return {
        items: list(raw.notificationHistory),
        next: raw.hasMore === true ? str(raw.paginationToken) : null,
      }
    },
  })
  for await (const { signedPayload } of notifications)
    if (str(signedPayload) !== null) yield Buffer.from(JSON.stringify({ signedPayload }))
}
