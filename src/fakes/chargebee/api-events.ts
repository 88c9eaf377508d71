import { endpointsOf, type Json, type ServerContext, type Webhook } from '../engine/index.ts'
import { type ChargebeeRoute, route } from './routes.ts'

/** Past events, and the endpoint that receives them. */
export const eventRoutes = (context: ServerContext): readonly ChargebeeRoute[] => [
  route('GET /events', () => ({
    list: context.messages.all().map(({ body }) => ({ event: JSON.parse(body) as Json })),
  })),
  // https://apidocs.chargebee.com/docs/api/webhook_endpoints/list-webhook-endpoints
  route('GET /webhook_endpoints', () => ({
    list: endpointsOf(context).map((webhook) => ({ webhook_endpoint: toEndpoint(webhook) })),
  })),
]

const toEndpoint = ({ url, isEnabled, events }: Webhook): Json => ({
  id: 'whv2_of_the_fake',
  name: 'of the fake',
  api_version: 'v2',
  url,
  primary_url: true,
  disabled: isEnabled === false,
  object: 'webhook_endpoint',
  ...(events === undefined ? {} : { enabled_events: [...events] }),
})
