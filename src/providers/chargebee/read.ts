import type { Delivery, ProviderEvent } from '../contract.ts'
import { readJsonObject, unreadable } from '../json-body.ts'
import { isObject, type Json, str } from '../narrow.ts'
import { moment } from './facts.ts'

/** Decodes an event whose sender was verified. It does not contain the mode: test and live are two sites.
 *  Source: https://apidocs.chargebee.com/docs/api/events/event-object
 *  @throws ERR_BODY_UNREADABLE */
export const readChargebee = ({ body }: Pick<Delivery, 'body'>): ProviderEvent[] => {
  const event = readJsonObject(body, 'Chargebee')
  const type = str(event.event_type)
  if (type === null) throw unreadable('Chargebee', 'it has no event_type')
  return [
    {
      id: str(event.id),
      type,
      // Without a time, it counts as the oldest event, so that it overrides nothing.
      occurred_at: moment(event.occurred_at) ?? new Date(0).toISOString(),
      livemode: null,
      object_id: isObject(event.content) ? subjectOf(event.content) : null,
      object: event.content,
    },
  ]
}

/** Returns the subject of the event: its first object. */
const subjectOf = (content: Json): string | null =>
  Object.values(content)
    .map((object) => (isObject(object) ? str(object.id) : null))
    .find((id) => id !== null) ?? null
