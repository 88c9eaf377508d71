import { endpointsOf, readingOnce, type ServerContext, toUuid, type Webhook } from '../engine/index.ts'
import { organization } from './account.ts'
import { type PolarRoute, route } from './routes.ts'

/** Deliveries of events, and the endpoint that receives them. */
export function webhookRoutes(context: ServerContext): readonly PolarRoute[] {
  return [
    // https://polar.sh/docs/api-reference/webhooks/deliveries/list
    route('GET /webhooks/deliveries', () => ({
      list: context.messages.all().map((message) => {
        const { id, type, body } = message
        const { delivery, created_at } = deliveryOf(message)
        const succeeded = context.isDelivered(id)
        const made = { created_at, modified_at: null }
        return {
          ...made,
          id: delivery,
          succeeded,
          http_code: succeeded ? 200 : null,
          response: null,
          webhook_event: {
            ...made,
            id,
            type,
            payload: body,
            api_version: apiVersion,
            is_archived: false,
            skipped: false,
          },
        }
      }),
    })),
    // https://polar.sh/docs/api-reference/webhooks/endpoints/list
    route('GET /webhooks/endpoints', () => ({
      list: endpointsOf(context).map((webhook) => toEndpoint(webhook, context.clock.now().toISOString())),
    })),
  ]
}

const deliveryOf = readingOnce(({ id, body }) => {
  const { timestamp } = JSON.parse(body) as { timestamp: string }
  return { delivery: toUuid(`delivery of ${id}`), created_at: timestamp }
})

const apiVersion = '2026-04'

function toEndpoint({ url, secret }: Webhook, created_at: string) {
  return {
    id: toUuid('endpoint'),
    created_at,
    modified_at: null,
    url,
    secret,
    api_version: apiVersion,
    organization_id: organization,
    uses_standard_webhook_signature: false,
    format: 'raw',
    enabled: true,
    events: [
      'subscription.created',
      'subscription.updated',
      'order.paid',
      'refund.created',
      'refund.updated',
    ],
  }
}
