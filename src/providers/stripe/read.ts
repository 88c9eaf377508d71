import { isUtf8 } from 'node:buffer'
import { MembershipError } from '../../core/errors.ts'
import type { Delivery, ProviderEvent } from '../contract.ts'
import { isObject, type Json, obj, str, time } from '../narrow.ts'

const maxDepth = 100

/** Decodes a verified body: an event, a thin event (`v2.core.event`) or an EventBridge envelope around either.
 *  @throws ERR_BODY_UNREADABLE */
export const readStripe = ({ body }: Pick<Delivery, 'body'>): ProviderEvent[] => {
  const event = unwrap(parse(body))
  const [id, type] = [str(event.id), str(event.type)]
  if (id === null || type === null) throw unreadable('it has no id or no type')
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

const parse = (body: Buffer): Json => {
  let value: unknown
  try {
    if (!isUtf8(body)) throw new TypeError('no UTF-8')
    value = JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw unreadable('it is not JSON in UTF-8', cause)
  }
  if (!isObject(value)) throw unreadable('it is not a JSON object')
  if (isTooDeep(value)) throw unreadable(`it is nested deeper than ${maxDepth} levels`)
  return value
}

// EventBridge puts the event into `detail`: https://docs.stripe.com/event-destinations/eventbridge
const unwrap = (value: Json): Json =>
  value.type === undefined && isObject(value.detail) ? value.detail : value

/** Goes no deeper than the limit, so that the guard itself cannot overflow the stack. */
const isTooDeep = (value: unknown, depth = 0): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (depth > maxDepth) return true
  if (Array.isArray(value)) return value.some((inner) => isTooDeep(inner, depth + 1))
  // Without a list of the values: this looks at every object of every message.
  for (const key in value) if (isTooDeep((value as Json)[key], depth + 1)) return true
  return false
}

// Thin events carry ISO text, the others Unix seconds. Without either, the oldest moment: it overrides nothing.
const occurredAt = (created: unknown): string => {
  const parsed = typeof created === 'string' ? Date.parse(created) / 1000 : created
  return time(parsed) ?? new Date(0).toISOString()
}

const unreadable = (reason: string, cause?: unknown): MembershipError =>
  new MembershipError('ERR_BODY_UNREADABLE', `The body is no Stripe event: ${reason}`, {
    action: 'Compare the delivery in Stripe’s dashboard with what arrived here.',
    cause,
  })
