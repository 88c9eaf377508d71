import type { Json, ServerContext, Webhook } from '../engine/index.ts'
import { type DodoRoute, route } from './routes.ts'

/** The endpoint that receives events. https://docs.dodopayments.com/api-reference/webhooks/list-webhooks */
export const webhookRoutes = ({ endpoints, clock }: ServerContext): readonly DodoRoute[] => [
  route('GET /webhooks', () => ({
    data: {
      data: endpoints().map((webhook) => toEndpoint(webhook, clock.now())),
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
