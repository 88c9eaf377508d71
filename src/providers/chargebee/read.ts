import type { Delivery, ProviderEvent } from '../contract.ts'
import { readJsonObject, unreadable } from '../json-body.ts'
import { isObject, type Json, str } from '../narrow.ts'
import { moment } from './facts.ts'

/** Decodes a message whose sender is known. It does not say its mode: test and live are two sites.
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
      // Without a moment, the oldest: it overrides nothing.
      occurred_at: moment(event.occurred_at) ?? new Date(0).toISOString(),
      livemode: null,
      object_id: isObject(event.content) ? subjectOf(event.content) : null,
      object: event.content,
    },
  ]
}

/** The first object of the message is what it is about. */
const subjectOf = (content: Json): string | null =>
  Object.values(content)
    .map((object) => (isObject(object) ? str(object.id) : null))
    .find((id) => id !== null) ?? null
