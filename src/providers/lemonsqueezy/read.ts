import type { Delivery, ProviderEvent } from '../contract.ts'
import { readJsonObject, unreadable } from '../json-body.ts'
import { type Json, obj, str } from '../narrow.ts'
import { idText, revisedAt } from './facts.ts'

/** Decodes a verified event. It has neither id nor time of its own, so the object's last change is its
 *  time. Source: https://docs.lemonsqueezy.com/help/webhooks/webhook-requests
 *  @throws ERR_BODY_UNREADABLE */
export const readLemonSqueezy = ({ body }: Pick<Delivery, 'body'>): ProviderEvent[] => {
  const event = readJsonObject(body, 'Lemon Squeezy')
  const [meta, data] = [obj(event.meta), obj(event.data)]
  const type = str(meta.event_name)
  if (type === null) throw unreadable('Lemon Squeezy', 'it has no event_name')
  return [
    {
      id: null,
      type,
      // Without a time, it counts as the oldest event, so that it overrides nothing.
      occurred_at: revisedAt(obj(data.attributes)) ?? new Date(0).toISOString(),
      livemode: livemodeOf([meta, obj(data.attributes)]),
      object_id: idText(data.id),
      // The checkout's custom data is beside the object.
      object: event,
    },
  ]
}

/** Returns the mode of an event. If the event and its object disagree, test mode counts, because it opens
 *  less. */
const livemodeOf = (said: readonly Json[]): boolean | null => {
  const words = said.map(({ test_mode }) => test_mode)
  if (words.includes(true)) return false
  return words.includes(false) ? true : null
}
