import { list, obj, str, whole } from '../narrow.ts'
import { pastEvents, refuseOlder } from '../pull.ts'
import { type GoogleApi, googleWords } from './api.ts'
import type { VoidedAnswer } from './payload.ts'

/**
 * Yields the purchases that were refunded or revoked since then, as notifications. Google keeps no other past
 * events, and these for 30 days.
 * https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.voidedpurchases/list
 * @throws as `pastEvents`, and ERR_USAGE for an earlier time
 */
export async function* pullVoided(
  { ask, app }: GoogleApi,
  since: Date,
  { now, packageName }: { readonly now: () => Date; readonly packageName: string },
): AsyncIterable<Buffer> {
  refuseOlder(since, now(), googleWords, 30)
  const voided = pastEvents({
    words: googleWords,
    page: async (after) => {
      const { raw } = await ask<VoidedAnswer>('voided purchases', {
        path: `${app}/purchases/voidedpurchases`,
        query: {
          startTime: since.getTime(),
          // Subscriptions, too.
          type: 1,
          ...(after === null ? {} : { token: after }),
        },
      })
      return { items: list(raw.voidedPurchases), next: str(obj(raw.tokenPagination).nextPageToken) }
    },
  })
  for await (const { orderId, voidedTimeMillis } of voided) {
    const order = str(orderId)
    if (order === null) continue
    const notification = {
      version: '1.0',
      packageName,
      eventTimeMillis: String(whole(voidedTimeMillis) ?? 0),
      // A list of both kinds does not say which one this is; the order does.
      voidedPurchaseNotification: { orderId: order },
    }
    const data = Buffer.from(JSON.stringify(notification)).toString('base64')
    yield Buffer.from(JSON.stringify({ message: { data } }))
  }
}
