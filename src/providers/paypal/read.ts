import type { Delivery, ProviderEvent } from '../contract.ts'
import { readJsonObject, unreadable } from '../json-body.ts'
import { obj, str } from '../narrow.ts'

/** Decodes a verified event. It does not contain the mode: the sandbox is a separate host with its own
 *  webhooks. Source: https://developer.paypal.com/docs/api/webhooks/v1/
 *  @throws ERR_BODY_UNREADABLE */
export const readPayPal = ({ body }: Pick<Delivery, 'body'>): ProviderEvent[] => {
  const event = readJsonObject(body, 'PayPal')
  const [id, type] = [str(event.id), str(event.event_type)]
  if (id === null || type === null) throw unreadable('PayPal', 'it has no id or no event_type')
  const resource = obj(event.resource)
  return [
    {
      id,
      type,
      // Without a time, it counts as the oldest event, so that it overrides nothing.
      occurred_at: str(event.create_time) ?? new Date(0).toISOString(),
      livemode: null,
      object_id: str(resource.id) ?? str(resource.dispute_id),
      object: event.resource,
    },
  ]
}
