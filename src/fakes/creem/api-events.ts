import { endpointsOf, type Json, type ServerContext, type Webhook } from '../engine/index.ts'
import { type CreemRoute, route } from './routes.ts'

/** The endpoint that receives events. https://docs.creem.io/api-reference/endpoint/list-webhooks */
export const webhookRoutes = (context: ServerContext): readonly CreemRoute[] => [
  route('GET /webhooks', () => ({ list: endpointsOf(context).map(toEndpoint) })),
]

const toEndpoint = ({ url, isEnabled, events }: Webhook): Json => ({
  id: 'wh_of_the_fake',
  mode: 'test',
  object: 'webhook',
  store_id: 'sto_of_the_fake',
  name: null,
  url,
  delivery_mode: 'http',
  status: isEnabled === false ? 'disabled' : 'enabled',
  events: [...(events ?? all)],
})

const all = [
  'checkout.completed',
  'dispute.created',
  'refund.created',
  'subscription.active',
  'subscription.canceled',
  'subscription.expired',
  'subscription.past_due',
  'subscription.paid',
  'subscription.paused',
  'subscription.scheduled_cancel',
  'subscription.trialing',
  'subscription.unpaid',
  'subscription.update',
]
