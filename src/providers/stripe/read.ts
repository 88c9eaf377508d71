import type { Delivery, ProviderEvent } from '../contract.ts'
import { isObject, obj, str, time } from '../narrow.ts'
import { oldest, readJsonObject, required } from '../read.ts'
import type { Envelope, StripeEvent } from './payload.ts'

/**
 * Decodes a verified body: an event, a thin event (`v2.core.event`), or an EventBridge envelope around
 * either.
 * @throws ERR_BODY_UNREADABLE
 */
export function readStripe({ body }: Pick<Delivery, 'body'>): ProviderEvent[] {
  const event = unwrap(readJsonObject<Envelope>(body, 'Stripe'))
  const [id, type] = required('Stripe', event, 'id', 'type')
  const subject = obj(obj(event.data).object)
  return [
    {
      id,
      type,
      occurred_at: occurredAt(event.created),
      livemode: typeof event.livemode === 'boolean' ? event.livemode : null,
      object_id: str(subject.id) ?? str(obj(event.related_object).id),
      object: event,
    },
  ]
}

// EventBridge puts the event into `detail`: https://docs.stripe.com/event-destinations/eventbridge
function unwrap(value: Envelope): StripeEvent {
  return value.type === undefined && isObject(value.detail) ? obj(value.detail) : value
}

// Thin events contain ISO text, others Unix seconds. Without a time, it counts as the oldest event, so that
// it overrides nothing.
function occurredAt(created: unknown): string {
  const parsed = typeof created === 'string' ? Date.parse(created) / 1000 : created
  return time(parsed) ?? oldest
}
