import type { Delivery, ProviderEvent } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { oldest, readJsonObject, required, unreadable } from '../read.ts'
import { modeIn } from './facts.ts'
import type { WebhookEvent } from './payload.ts'

/**
 * Decodes a ping (`id=tr_…`, as a form) or an event of the newer webhooks.
 * @throws ERR_BODY_UNREADABLE
 */
export function readMollie({ body }: Pick<Delivery, 'body'>): ProviderEvent[] {
  return body.subarray(0, 1).toString() === '{' ? readEvent(body) : readPing(body)
}

function readPing(body: Buffer): ProviderEvent[] {
  const id = str(new URLSearchParams(body.toString('utf8')).get('id'))
  if (id === null) throw unreadable('Mollie', 'it names no object')
  // Without a time, it counts as the oldest event; the object that it names is fetched.
  const occurred_at = oldest
  return [{ id: null, type: 'ping', occurred_at, livemode: null, object_id: id, object: { id } }]
}

// Source: https://docs.mollie.com/reference/get-webhook-event
function readEvent(body: Buffer): ProviderEvent[] {
  const event = readJsonObject<WebhookEvent>(body, 'Mollie')
  const [type, id] = required('Mollie', event, 'type', 'entityId')
  const entity = obj(obj(event._embedded).entity)
  return [
    {
      id: str(event.id),
      type,
      occurred_at: str(event.createdAt) ?? oldest,
      livemode: modeIn(entity).livemode ?? null,
      object_id: id,
      object: { ...entity, id },
    },
  ]
}
