import { type Endpoint, type Json, readingOnce, type ServerContext } from '../engine/index.ts'
import { missing } from './errors.ts'
import { type ChargebeeRoute, route } from './routes.ts'

/** Past events, and the endpoints that receive them. */
export function eventRoutes(context: ServerContext): readonly ChargebeeRoute[] {
  return [
    route('GET /events', () => ({ list: context.messages.all().map(eventOf) })),
    // https://apidocs.chargebee.com/docs/api/webhook_endpoints/list-webhook-endpoints
    route('GET /webhook_endpoints', () => ({
      list: context.endpoints.list().map((webhook) => ({ webhook_endpoint: toEndpoint(webhook) })),
    })),
    // No answer shows the credentials: https://apidocs.chargebee.com/docs/api/webhook_endpoints/create-a-webhook-endpoint
    route('POST /webhook_endpoints', ({ body }) => ({
      webhook_endpoint: toEndpoint(
        context.endpoints.make({
          url: body.text('url') ?? '',
          secret: `${body.text('basic_auth_username')}:${body.text('basic_auth_password')}`,
          events: body.texts('enabled_events'),
        }),
      ),
    })),
    // https://apidocs.chargebee.com/docs/api/webhook_endpoints/update-a-webhook-endpoint
    route('POST /webhook_endpoints/:id', ({ id, body }) => {
      const changed = context.endpoints.change(id.replace(/^whv2_/, ''), {
        isEnabled: !body.is('disabled'),
        events: body.texts('enabled_events'),
      })
      if (changed === undefined) throw missing('The webhook endpoint', id)
      return { webhook_endpoint: toEndpoint(changed) }
    }),
  ]
}

const eventOf = readingOnce(({ body }): Json => ({ event: JSON.parse(body) as Json }))

function toEndpoint({ key, url, isEnabled, events }: Endpoint): Json {
  return {
    id: `whv2_${key}`,
    name: 'of the fake',
    api_version: 'v2',
    url,
    primary_url: key === 'of_the_fake',
    disabled: isEnabled === false,
    object: 'webhook_endpoint',
    ...(events === undefined ? {} : { enabled_events: [...events] }),
  }
}
