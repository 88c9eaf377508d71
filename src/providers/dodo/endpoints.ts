import { allPages } from '../api.ts'
import { type EndpointRequest, endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { list, str } from '../narrow.ts'
import { address } from '../rest.ts'
import type { DodoApi } from './api.ts'
import { kinds } from './changes.ts'
import type { Endpoint, EndpointSecret, EndpointsAnswer } from './payload.ts'

// Without these, a purchase, renewal, end or refund would be missed.
export const needed = [
  'subscription.active',
  'subscription.renewed',
  'subscription.on_hold',
  'subscription.cancelled',
  'subscription.expired',
  'subscription.plan_changed',
  'payment.succeeded',
  'refund.succeeded',
  'dispute.opened',
]

/**
 * Lists the account's webhooks. One without a choice of events receives all.
 * https://docs.dodopayments.com/api-reference/webhooks/list-webhooks
 */
export async function dodoEndpoints(api: Pick<DodoApi, 'ask'>): Promise<ProviderEndpoint[]> {
  const { all } = await allPages(async (iterator) => {
    const place = { limit: '100', ...(iterator === null ? {} : { iterator }) }
    const { raw, at } = await api.ask<EndpointsAnswer>('webhooks', { path: '/webhooks', query: place })
    return { items: list(raw.data), at, next: raw.done === false ? str(raw.iterator) : null }
  })
  return all.map(({ id, url, disabled, filter_types }) => {
    const chosen = Array.isArray(filter_types) ? filter_types : []
    return endpointOf(needed, {
      id,
      url,
      isEnabled: disabled !== true,
      sent: chosen.length === 0 ? ['*'] : chosen,
    })
  })
}

/** Every event that changes something here. */
export const events: readonly string[] = [...kinds.keys()]

/**
 * Makes or changes a webhook, and reads its secret:
 * https://docs.dodopayments.com/api-reference/webhooks/create-webhook, …/update-webhook,
 * …/get-webhook-signing-secret
 */
export async function connectDodo(
  api: Pick<DodoApi, 'ask'>,
  { url, id, idempotencyKey }: EndpointRequest,
): Promise<{ readonly secret: string | null }> {
  const { raw } = await api.ask<Endpoint>(
    `the webhook ${url}`,
    id === null
      ? {
          method: 'POST',
          path: '/webhooks',
          body: { url, description: 'membership', filter_types: events, idempotency_key: idempotencyKey },
        }
      : { method: 'PATCH', path: address`/webhooks/${id}`, body: { filter_types: events, disabled: false } },
  )
  const made = str(raw.id) ?? id
  return { secret: made === null ? null : await secretOf(api, made) }
}

/** Reads the secret of a webhook. The webhook stands, so a refusal only leaves the secret in the dashboard. */
function secretOf(api: Pick<DodoApi, 'ask'>, id: string): Promise<string | null> {
  return api.ask<EndpointSecret>(`the secret of ${id}`, { path: address`/webhooks/${id}/secret` }).then(
    ({ raw }) => str(raw.secret),
    () => null,
  )
}
