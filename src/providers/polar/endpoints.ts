import { type EndpointRequest, endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { str } from '../narrow.ts'
import { address } from '../rest.ts'
import type { PolarApi } from './api.ts'
import type { Endpoint } from './payload.ts'

// Without these, a purchase, renewal, end or refund would be missed.
export const needed = [
  'subscription.created',
  'subscription.updated',
  'order.paid',
  'refund.created',
  'refund.updated',
]

/**
 * Lists the organization's webhook endpoints. Polar disables one that failed ten times in a row.
 * https://polar.sh/docs/api-reference/webhooks/endpoints/list
 */
export async function polarEndpoints(api: Pick<PolarApi, 'all'>): Promise<ProviderEndpoint[]> {
  const { all } = await api.all<Endpoint>('webhook endpoints', '/webhooks/endpoints')
  return all.map(({ id, url, enabled, events }) =>
    endpointOf(needed, { id, url, isEnabled: enabled !== false, sent: events }),
  )
}

/** Every event that changes something here: https://polar.sh/docs/integrate/webhooks/events */
export const events = [
  ...needed,
  'checkout.created',
  'checkout.updated',
  'checkout.expired',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'customer.state_changed',
  'order.created',
  'order.refunded',
  'order.updated',
  'subscription.active',
  'subscription.canceled',
  'subscription.past_due',
  'subscription.paused',
  'subscription.resumed',
  'subscription.revoked',
  'subscription.uncanceled',
]

/**
 * Makes or changes a webhook endpoint. Polar has no idempotency keys: an endpoint of this address that is
 * there already is found by `polarEndpoints` first.
 * https://polar.sh/docs/api-reference/webhooks/endpoints/create
 */
export async function connectPolar(
  api: Pick<PolarApi, 'ask'>,
  { url, id }: EndpointRequest,
): Promise<{ readonly secret: string | null }> {
  const { raw } = await api.ask<Endpoint>(
    `the webhook endpoint ${url}`,
    id === null
      ? { method: 'POST', path: '/webhooks/endpoints', body: { url, format: 'raw', events } }
      : { method: 'PATCH', path: address`/webhooks/endpoints/${id}`, body: { events, enabled: true } },
  )
  return { secret: str(raw.secret) }
}
