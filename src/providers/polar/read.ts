import type { Delivery, ProviderEvent } from '../contract.ts'
import { readJsonObject, unreadable } from '../json-body.ts'
import { obj, str } from '../narrow.ts'

/** Decodes a verified event. Its id is only in its header. It does not contain the mode: the sandbox is a
 *  separate host with its own endpoints. Source: https://polar.sh/docs/integrate/webhooks/endpoints
 *  @throws ERR_BODY_UNREADABLE */
export const readPolar = ({ body, headers }: Delivery): ProviderEvent[] => {
  const event = readJsonObject(body, 'Polar')
  const type = str(event.type)
  if (type === null) throw unreadable('Polar', 'it has no type')
  return [
    {
      id: str(headers['webhook-id']),
      type,
      // Without a time, it counts as the oldest event, so that it overrides nothing.
      occurred_at: str(event.timestamp) ?? new Date(0).toISOString(),
      livemode: null,
      object_id: str(obj(event.data).id),
      object: event.data,
    },
  ]
}
