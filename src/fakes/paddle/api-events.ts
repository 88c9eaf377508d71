import type { ServerContext } from '../engine/index.ts'
import { type PaddleRoute, route } from './routes.ts'

/** Past events. https://developer.paddle.com/api-reference/events/list-events */
export const eventRoutes = ({ messages }: ServerContext): readonly PaddleRoute[] => [
  route('GET /events', () => ({
    list: messages.all().map(({ body }) => {
      const { notification_id: _, ...event } = JSON.parse(body) as Record<string, unknown>
      return event
    }),
  })),
]
