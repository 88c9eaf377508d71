import { type Json, readingOnce, type ServerContext } from '../engine/index.ts'
import { type PaddleRoute, route } from './routes.ts'

/** Past events. https://developer.paddle.com/api-reference/events/list-events */
export function eventRoutes({ messages }: ServerContext): readonly PaddleRoute[] {
  return [route('GET /events', () => ({ list: messages.all().map(eventOf) }))]
}

const eventOf = readingOnce(({ body }) => {
  const { notification_id: _, ...event } = JSON.parse(body) as Json
  return event
})
