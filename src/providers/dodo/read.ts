import type { Delivery, ProviderEvent } from '../contract.ts'
import { readJsonObject, unreadable } from '../json-body.ts'
import { obj, str } from '../narrow.ts'
import { idIn } from './facts.ts'

/** Decodes a verified event. Its id is only in its header. It does not contain the mode: test and live are
 *  two hosts with separate endpoints. Source: https://docs.dodopayments.com/developer-resources/webhooks
 *  @throws ERR_BODY_UNREADABLE */
export const readDodo = ({ body, headers }: Delivery): ProviderEvent[] => {
  const event = readJsonObject(body, 'Dodo Payments')
  const type = str(event.type)
  if (type === null) throw unreadable('Dodo Payments', 'it has no type')
  return [
    {
      id: str(headers['webhook-id']),
      type,
      // Without a time, it counts as the oldest event, so that it overrides nothing.
      occurred_at: str(event.timestamp) ?? new Date(0).toISOString(),
      livemode: null,
      object_id: idIn(type, obj(event.data)),
      object: event.data,
    },
  ]
}
