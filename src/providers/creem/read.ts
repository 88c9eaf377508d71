import type { Delivery, ProviderEvent } from '../contract.ts'
import { readJsonObject, unreadable } from '../json-body.ts'
import { obj, str } from '../narrow.ts'
import { livemodeOf, moment } from './facts.ts'

/** Decodes a verified event. Source: https://docs.creem.io/code/webhooks
 *  @throws ERR_BODY_UNREADABLE */
export const readCreem = ({ body }: Pick<Delivery, 'body'>): ProviderEvent[] => {
  const event = readJsonObject(body, 'Creem')
  const [id, type] = [str(event.id), str(event.eventType)]
  if (id === null || type === null) throw unreadable('Creem', 'it has no id or no eventType')
  const object = obj(event.object)
  return [
    {
      id,
      type,
      // Without a time, it counts as the oldest event, so that it overrides nothing.
      occurred_at: moment(event.created_at) ?? new Date(0).toISOString(),
      livemode: livemodeOf(object),
      object_id: str(object.id),
      object: event.object,
    },
  ]
}
