import type { Endpoint, Json, ServerContext } from '../engine/index.ts'
import { missing } from './errors.ts'
import { type DodoRoute, route } from './routes.ts'

/** The endpoints that receive events. https://docs.dodopayments.com/api-reference/webhooks/list-webhooks */
export function webhookRoutes({ endpoints, clock }: ServerContext): readonly DodoRoute[] {
  const shown = (endpoint: Endpoint | undefined): { data: Json } => {
    if (endpoint === undefined) throw missing('Webhook')
    return { data: toEndpoint(endpoint, clock.now()) }
  }
  return [
    route('GET /webhooks', () => ({
      data: {
        data: endpoints.list().map((webhook) => toEndpoint(webhook, clock.now())),
        done: true,
        iterator: '',
      },
    })),
    // https://docs.dodopayments.com/api-reference/webhooks/create-webhook
    route('POST /webhooks', ({ body }) =>
      shown(
        endpoints.make({
          url: String(body.url),
          secret: `whsec_${Buffer.from(`secret of ${body.url}`).toString('base64')}`,
          isEnabled: body.disabled !== true,
          events: body.filter_types as string[] | undefined,
        }),
      ),
    ),
    // https://docs.dodopayments.com/api-reference/webhooks/update-webhook
    route('PATCH /webhooks/:id', ({ id, body }) =>
      shown(
        endpoints.change(keyOf(id), {
          ...(body.disabled === undefined ? {} : { isEnabled: body.disabled !== true }),
          ...(body.filter_types === undefined ? {} : { events: body.filter_types as string[] }),
        }),
      ),
    ),
    // https://docs.dodopayments.com/api-reference/webhooks/get-webhook-signing-secret
    route('GET /webhooks/:id/secret', ({ id }) => {
      const found = endpoints.list().find(({ key }) => key === keyOf(id))
      if (found === undefined) throw missing('Webhook')
      return { data: { secret: found.secret } }
    }),
  ]
}

function keyOf(id: string): string {
  return id.replace(/^ep_/, '')
}

function toEndpoint({ key, url, isEnabled, events }: Endpoint, now: Date): Json {
  return {
    id: `ep_${key}`,
    url,
    description: '',
    metadata: {},
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    disabled: isEnabled === false,
    filter_types: events === undefined ? null : [...events],
  }
}
