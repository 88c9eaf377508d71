import type { Delivery, ProviderEvent } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { oldest, readJsonObject, required } from '../read.ts'
import type { WebhookEvent } from './payload.ts'

/**
 * Decodes a verified event. Its id is only in its header. It does not contain the mode: the sandbox is a
 * separate host with its own endpoints. Source: https://polar.sh/docs/integrate/webhooks/endpoints
 * @throws ERR_BODY_UNREADABLE
 */
export function readPolar({ body, headers }: Delivery): ProviderEvent[] {
  const event = readJsonObject<WebhookEvent>(body, 'Polar')
  const [type] = required('Polar', event, 'type')
  return [
    {
      id: str(headers['webhook-id']),
      type,
      occurred_at: str(event.timestamp) ?? oldest,
      livemode: null,
      object_id: str(obj(event.data).id),
      object: event.data,
    },
  ]
}
