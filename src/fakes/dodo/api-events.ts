import { endpointsOf, type Json, type ServerContext, type Webhook } from '../engine/index.ts'
import { type DodoRoute, route } from './routes.ts'

/** The endpoint that receives events. https://docs.dodopayments.com/api-reference/webhooks/list-webhooks */
export const webhookRoutes = (context: ServerContext): readonly DodoRoute[] => [
  route('GET /webhooks', () => ({
    data: {
      data: endpointsOf(context).map((webhook) => toEndpoint(webhook, context.clock.now())),
      done: true,
      iterator: '',
    },
  })),
]

const toEndpoint = ({ url, isEnabled, events }: Webhook, now: Date): Json => ({
  id: 'ep_of_the_fake',
  url,
  description: '',
  metadata: {},
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
  disabled: isEnabled === false,
  filter_types: events === undefined ? null : [...events],
})
