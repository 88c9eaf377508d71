import type { Message, World } from '../engine/index.ts'
import { missing } from './errors.ts'
import { pageParams, toPage } from './listing.ts'
import { type Call, type Route, route } from './routes.ts'

const keptSeconds = 30 * 86_400

/** Events of the last 30 days. https://docs.stripe.com/api/events */
export function eventRoutes(isDelivered: (id: string) => boolean): Route[] {
  return [
    route('GET /v1/events/:id', [], ({ account, world, ids }) => {
      const event = account.events.find(ids[0] ?? '')
      if (event === undefined || !isKept(world)(event)) throw missing('event', ids[0] ?? '')
      return { plain: JSON.parse(event.body) as Record<string, unknown> }
    }),
    route('GET /v1/events', [...pageParams, 'type', 'types', 'delivery_success'], (call) => {
      const page = toPage(wanted(call, isDelivered), call.params, 'event')
      const data = page.data.map(({ body }) => JSON.parse(body) as unknown)
      return { plain: { object: 'list', data, has_more: page.has_more, url: '/v1/events' } }
    }),
  ]
}

function isKept(world: World) {
  const oldest = world.clock.seconds() - keptSeconds
  return ({ created }: Message): boolean => created >= oldest
}

function wanted({ account, world, params }: Call, isDelivered: (id: string) => boolean): Message[] {
  const [type, types] = [params.text('type'), params.texts('types')]
  const delivered = params.bool('delivery_success')
  return account.events
    .all()
    .filter(isKept(world))
    .filter((message) => type === undefined || fits(type, message.type))
    .filter((message) => types === undefined || types.includes(message.type))
    .filter((message) => delivered === undefined || isDelivered(message.id) === delivered)
}

// `charge.*` stands for all types with that prefix.
function fits(wildcard: string, type: string): boolean {
  return wildcard.endsWith('*') ? type.startsWith(wildcard.slice(0, -1)) : wildcard === type
}
