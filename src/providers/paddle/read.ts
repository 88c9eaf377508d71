import type { Delivery, ProviderEvent } from '../contract.ts'
import { readJsonObject, unreadable } from '../json-body.ts'
import { obj, str } from '../narrow.ts'

/** Decodes a verified notification. It does not contain the mode: test and live are two hosts with
 *  separate secrets. Source: https://developer.paddle.com/webhooks/overview
 *  @throws ERR_BODY_UNREADABLE */
export const readPaddle = ({ body }: Pick<Delivery, 'body'>): ProviderEvent[] => {
  const event = readJsonObject(body, 'Paddle')
  const [id, type] = [str(event.event_id), str(event.event_type)]
  if (id === null || type === null) throw unreadable('Paddle', 'it has no event_id or no event_type')
  return [
    {
      id,
      type,
      // Without a time, it counts as the oldest event, so that it overrides nothing.
      occurred_at: str(event.occurred_at) ?? new Date(0).toISOString(),
      livemode: null,
      object_id: str(obj(event.data).id),
      object: event.data,
    },
  ]
}
