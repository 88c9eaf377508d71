import type { Delivery, ProviderEvent } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { oldest, readJsonObject, required } from '../read.ts'
import { livemodeOf, moment, temporaryGrant } from './facts.ts'
import type { WebhookBody } from './payload.ts'

/**
 * Decodes a verified event. A temporary grant names no environment, so it counts for the mode of this site.
 * Source: https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields
 * @throws ERR_BODY_UNREADABLE
 */
export function readRevenueCat(livemode: boolean | null) {
  return ({ body }: Pick<Delivery, 'body'>): ProviderEvent[] => {
    const event = obj(readJsonObject<WebhookBody>(body, 'RevenueCat').event)
    const [id, type] = required('RevenueCat', event, 'id', 'type')
    return [
      {
        id,
        type,
        occurred_at: moment(event.event_timestamp_ms) ?? oldest,
        livemode: livemodeOf(event) ?? (type === temporaryGrant ? livemode : null),
        object_id: str(event.app_user_id) ?? str(event.transaction_id),
        object: event,
      },
    ]
  }
}
