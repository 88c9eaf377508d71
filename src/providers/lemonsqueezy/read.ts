import type { Delivery, ProviderEvent } from '../contract.ts'
import { obj } from '../narrow.ts'
import { oldest, readJsonObject, required } from '../read.ts'
import { idText, revisedAt } from './facts.ts'
import type { WebhookEvent } from './payload.ts'

/**
 * Decodes a verified event. It has neither id nor time of its own, so the object's last change is its time.
 * Source: https://docs.lemonsqueezy.com/help/webhooks/webhook-requests
 * @throws ERR_BODY_UNREADABLE
 */
export function readLemonSqueezy({ body }: Pick<Delivery, 'body'>): ProviderEvent[] {
  const event = readJsonObject<WebhookEvent>(body, 'Lemon Squeezy')
  const [meta, data] = [obj(event.meta), obj(event.data)]
  const [type] = required('Lemon Squeezy', meta, 'event_name')
  return [
    {
      id: null,
      type,
      occurred_at: revisedAt(obj(data.attributes)) ?? oldest,
      livemode: livemodeOf([meta, obj(data.attributes)]),
      object_id: idText(data.id),
      // The checkout's custom data is beside the object.
      object: event,
    },
  ]
}

/**
 * Returns the mode of an event. If the event and its object disagree, test mode counts, because it opens
 * less.
 */
function livemodeOf(said: readonly { readonly test_mode?: unknown }[]): boolean | null {
  const words = said.map(({ test_mode }) => test_mode)
  if (words.includes(true)) return false
  return words.includes(false) ? true : null
}
