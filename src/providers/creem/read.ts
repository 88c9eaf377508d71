import type { Delivery, ProviderEvent } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { oldest, readJsonObject, required } from '../read.ts'
import { livemodeOf, moment } from './facts.ts'
import type { Common, WebhookEvent } from './payload.ts'

/**
 * Decodes a verified event. Source: https://docs.creem.io/code/webhooks
 * @throws ERR_BODY_UNREADABLE
 */
export function readCreem({ body }: Pick<Delivery, 'body'>): ProviderEvent[] {
  const event = readJsonObject<WebhookEvent>(body, 'Creem')
  const [id, type] = required('Creem', event, 'id', 'eventType')
  const object: Common & { readonly id?: unknown } = obj(event.object)
  return [
    {
      id,
      type,
      occurred_at: moment(event.created_at) ?? oldest,
      livemode: livemodeOf(object),
      object_id: str(object.id),
      object: event.object,
    },
  ]
}
