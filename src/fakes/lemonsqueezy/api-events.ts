import type { Endpoint, ServerContext } from '../engine/index.ts'
import type { Resource } from './account.ts'
import { missing } from './errors.ts'
import { type LemonSqueezyRoute, route } from './routes.ts'
import { linked, storeId } from './shapes-goods.ts'

/** The store's webhooks. No answer shows a secret. https://docs.lemonsqueezy.com/api/webhooks/list-all-webhooks */
export function webhookRoutes({ endpoints, clock }: ServerContext): readonly LemonSqueezyRoute[] {
  const toEndpoint = (endpoint: Endpoint) => toWebhook(endpoint, clock.now())
  return [
    route('GET /webhooks', () => ({ list: endpoints.list().map(toEndpoint) })),
    // https://docs.lemonsqueezy.com/api/webhooks/create-webhook
    route('POST /webhooks', ({ body: { fields } }) => ({
      data: toEndpoint(
        endpoints.make({
          url: String(fields.url),
          secret: String(fields.secret),
          events: fields.events as string[],
        }),
      ),
      status: 201,
    })),
    // https://docs.lemonsqueezy.com/api/webhooks/update-webhook
    route('PATCH /webhooks/:id', ({ id, body: { fields } }) => {
      const changed = endpoints.change(id === own ? 'of_the_fake' : id, { events: fields.events as string[] })
      if (changed === undefined) throw missing(id)
      return { data: toEndpoint(changed) }
    }),
  ]
}

const own = '1'

function toWebhook({ key, url, events }: Endpoint, now: Date): Resource {
  return linked({
    type: 'webhooks',
    id: key === 'of_the_fake' ? own : key,
    attributes: {
      store_id: storeId,
      url,
      events: [...(events ?? all)],
      last_sent_at: null,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
      test_mode: true,
    },
  })
}

// https://docs.lemonsqueezy.com/help/webhooks/event-types
const all = [
  'order_created',
  'order_refunded',
  'subscription_created',
  'subscription_updated',
  'subscription_cancelled',
  'subscription_resumed',
  'subscription_expired',
  'subscription_paused',
  'subscription_unpaused',
  'subscription_payment_success',
  'subscription_payment_failed',
  'subscription_payment_recovered',
  'subscription_payment_refunded',
]
