import type { Json, Message, ServerContext } from '../engine/index.ts'
import { type PaddleRoute, route } from './routes.ts'

/** Past events. https://developer.paddle.com/api-reference/events/list-events */
export const eventRoutes = ({ messages }: ServerContext): readonly PaddleRoute[] => [
  route('GET /events', () => ({ list: messages.all().map(eventOf) })),
]

/** Each page of a long list begins with all messages, so a body is read once. */
const eventOf = (message: Message): Json => {
  const known = events.get(message)
  if (known !== undefined) return known
  const { notification_id: _, ...event } = JSON.parse(message.body) as Json
  events.set(message, event)
  return event
}

const events = new WeakMap<Message, Json>()
