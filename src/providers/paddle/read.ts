import type { Delivery, ProviderEvent } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { oldest, readJsonObject, required } from '../read.ts'
import type { WebhookEvent } from './payload.ts'

/**
 * Decodes a verified notification. It does not contain the mode: test and live are two hosts with separate
 * secrets. Source: https://developer.paddle.com/webhooks/overview
 * @throws ERR_BODY_UNREADABLE
 */
export function readPaddle({ body }: Pick<Delivery, 'body'>): ProviderEvent[] {
  const event = readJsonObject<WebhookEvent>(body, 'Paddle')
  const [id, type] = required('Paddle', event, 'event_id', 'event_type')
  return [
    {
      id,
      type,
      occurred_at: str(event.occurred_at) ?? oldest,
      livemode: null,
      object_id: str(obj(event.data).id),
      object: event.data,
    },
  ]
}
