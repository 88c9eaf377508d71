import { type EndpointRequest, endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { str } from '../narrow.ts'
import { address } from '../rest.ts'
import type { CreemApi } from './api.ts'
import { kinds } from './changes.ts'
import type { Endpoint } from './payload.ts'

// Without these, a purchase, renewal, end or refund would be missed.
export const needed = [
  'checkout.completed',
  'subscription.active',
  'subscription.paid',
  'subscription.update',
  'subscription.canceled',
  'subscription.expired',
  'refund.created',
  'dispute.created',
]

/**
 * Lists the store's webhooks. One created by the CLI on somebody's machine is left out.
 * https://docs.creem.io/api-reference/endpoint/list-webhooks
 */
export async function creemEndpoints(api: Pick<CreemApi, 'all'>): Promise<ProviderEndpoint[]> {
  const { all } = await api.all<Endpoint>('webhooks', '/v1/webhooks')
  return all
    .filter(({ delivery_mode }) => delivery_mode !== 'cli')
    .map(({ id, url, status, events }) =>
      endpointOf(needed, { id, url, isEnabled: status !== 'disabled', sent: events }),
    )
}

/** Every event that changes something here. */
export const events: readonly string[] = [...kinds.keys()]

/**
 * Makes or changes a webhook. Creem has no idempotency keys: a webhook of this address that is there already
 * is found by `creemEndpoints` first. The creation shows the secret; after a change it is read.
 * https://docs.creem.io/api-reference/endpoint/create-webhook, …/update-webhook, …/get-webhook-secret
 */
export async function connectCreem(
  api: Pick<CreemApi, 'ask'>,
  { url, id }: EndpointRequest,
): Promise<{ readonly secret: string | null }> {
  if (id === null) {
    const { raw } = await api.ask<Endpoint>(`the webhook ${url}`, {
      method: 'POST',
      path: '/v1/webhooks',
      body: { url, name: 'membership', events },
    })
    return { secret: str(raw.secret) }
  }
  const path = address`/v1/webhooks/${id}`
  await api.ask(`the webhook ${url}`, { method: 'PATCH', path, body: { events, status: 'enabled' } })
  // The webhook stands, so a refusal only leaves the secret in the dashboard.
  const shown = await api.ask<Endpoint>(`the secret of ${id}`, { path: `${path}/secret` }).catch(() => null)
  return { secret: str(shown?.raw.secret) }
}
