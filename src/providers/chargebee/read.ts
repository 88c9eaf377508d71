import type { Delivery, ProviderEvent } from '../contract.ts'
import { isObject, type Json, str } from '../narrow.ts'
import { oldest, readJsonObject, required } from '../read.ts'
import { moment } from './facts.ts'
import type { WebhookEvent } from './payload.ts'

/**
 * Decodes an event whose sender was verified. It does not contain the mode: test and live are two sites.
 * Source: https://apidocs.chargebee.com/docs/api/events/event-object
 * @throws ERR_BODY_UNREADABLE
 */
export function readChargebee({ body }: Pick<Delivery, 'body'>): ProviderEvent[] {
  const event = readJsonObject<WebhookEvent>(body, 'Chargebee')
  const [type] = required('Chargebee', event, 'event_type')
  return [
    {
      id: str(event.id),
      type,
      occurred_at: moment(event.occurred_at) ?? oldest,
      livemode: null,
      object_id: isObject(event.content) ? subjectOf(event.content) : null,
      object: event.content,
    },
  ]
}

/** Returns the subject of the event: its first object. */
function subjectOf(content: Json): string | null {
  return (
    Object.values(content)
      .map((object) => (isObject(object) ? str(object.id) : null))
      .find((id) => id !== null) ?? null
  )
}
