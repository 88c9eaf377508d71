import type { Endpoint, Json, ServerContext } from '../engine/index.ts'
import { missing } from './errors.ts'
import { type CreemRoute, route } from './routes.ts'

/** The endpoints that receive events. https://docs.creem.io/api-reference/endpoint/list-webhooks */
export function webhookRoutes({ endpoints }: ServerContext): readonly CreemRoute[] {
  return [
    route('GET /webhooks', () => ({ list: endpoints.list().map(toEndpoint) })),
    // Only this answer shows the secret: https://docs.creem.io/api-reference/endpoint/create-webhook
    route('POST /webhooks', ({ body }) => {
      const { url, events } = body as { url: string; events?: string[] }
      const made = endpoints.make({ url, events, secret: `whsec_of_${Buffer.from(url).toString('hex')}` })
      return { data: { ...toEndpoint(made), name: body.name ?? null, secret: made.secret } }
    }),
    // https://docs.creem.io/api-reference/endpoint/update-webhook
    route('PATCH /webhooks/:id', ({ id, body }) => {
      const changed = endpoints.change(keyOf(id), {
        ...(body.status === undefined ? {} : { isEnabled: body.status === 'enabled' }),
        ...(body.events === undefined ? {} : { events: body.events as string[] }),
      })
      if (changed === undefined) throw missing('Webhook')
      return { data: toEndpoint(changed) }
    }),
    // https://docs.creem.io/api-reference/endpoint/get-webhook-secret
    route('GET /webhooks/:id/secret', ({ id }) => {
      const found = endpoints.list().find(({ key }) => key === keyOf(id))
      if (found === undefined) throw missing('Webhook')
      return { data: { secret: found.secret } }
    }),
  ]
}

function keyOf(id: string): string {
  return id.replace(/^wh_/, '')
}

function toEndpoint({ key, url, isEnabled, events }: Endpoint): Json {
  return {
    id: `wh_${key}`,
    mode: 'test',
    object: 'webhook',
    store_id: 'sto_of_the_fake',
    name: null,
    url,
    delivery_mode: 'http',
    status: isEnabled === false ? 'disabled' : 'enabled',
    events: [...(events ?? all)],
  }
}

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
