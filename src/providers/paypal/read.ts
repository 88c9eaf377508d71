import type { Delivery, ProviderEvent } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { oldest, readJsonObject, required } from '../read.ts'
import type { Dispute, WebhookEvent } from './payload.ts'

/**
 * Decodes a verified event. It does not contain the mode: the sandbox is a separate host with its own
 * webhooks. Source: https://developer.paypal.com/docs/api/webhooks/v1/
 * @throws ERR_BODY_UNREADABLE
 */
export function readPayPal({ body }: Pick<Delivery, 'body'>): ProviderEvent[] {
  const event = readJsonObject<WebhookEvent>(body, 'PayPal')
  const [id, type] = required('PayPal', event, 'id', 'event_type')
  const resource: { readonly id?: unknown } & Pick<Dispute, 'dispute_id'> = obj(event.resource)
  return [
    {
      id,
      type,
      occurred_at: str(event.create_time) ?? oldest,
      livemode: null,
      object_id: str(resource.id) ?? str(resource.dispute_id),
      object: event.resource,
    },
  ]
}
