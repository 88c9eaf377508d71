import type { Delivery, ProviderEvent } from '../contract.ts'
import { isObject, str } from '../narrow.ts'
import { oldest, readJsonObject, required } from '../read.ts'
import { idOf, isKind } from './facts.ts'
import type { DodoObjects, WebhookEvent } from './payload.ts'

/**
 * Decodes a verified event. Its id is only in its header. It does not contain the mode: test and live are two
 * hosts with separate endpoints. Source: https://docs.dodopayments.com/developer-resources/webhooks
 * @throws ERR_BODY_UNREADABLE
 */
export function readDodo({ body, headers }: Delivery): ProviderEvent[] {
  const event = readJsonObject<WebhookEvent>(body, 'Dodo Payments')
  const [type] = required('Dodo Payments', event, 'type')
  return [
    {
      id: str(headers['webhook-id']),
      type,
      occurred_at: str(event.timestamp) ?? oldest,
      livemode: null,
      object_id: isObject(event.data) ? subjectOf(type, event.data) : null,
      object: event.data,
    },
  ]
}

function subjectOf(type: string, raw: object): string | null {
  const [about = ''] = type.split('.')
  return isKind(about) ? idOf(about, raw as DodoObjects[typeof about]) : null
}
