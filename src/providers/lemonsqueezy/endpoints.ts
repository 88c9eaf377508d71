import { type EndpointRequest, endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { obj } from '../narrow.ts'
import { address } from '../rest.ts'
import type { LemonSqueezyApi } from './api.ts'
import { subjects } from './changes.ts'
import type { Endpoint, Resource } from './payload.ts'
import { onlyStore } from './sessions.ts'

// Without these, a purchase, renewal, end or refund would be missed.
export const needed = [
  'order_created',
  'order_refunded',
  'subscription_created',
  'subscription_updated',
  'subscription_payment_success',
  'subscription_payment_refunded',
]

/**
 * Lists the webhooks of the selling store, or of all where none is configured. They cannot be switched off,
 * and each mode has its own. https://docs.lemonsqueezy.com/api/webhooks/list-all-webhooks
 */
export async function lemonSqueezyEndpoints(
  api: Pick<LemonSqueezyApi, 'all'>,
  store: string | null,
): Promise<ProviderEndpoint[]> {
  const query = store === null ? {} : { 'filter[store_id]': store }
  const { all } = await api.all<Resource<Endpoint>>('webhooks', '/v1/webhooks', query)
  return all.map(({ id, attributes }) => {
    const { url, events } = obj(attributes)
    return endpointOf(needed, { id, url, isEnabled: true, sent: events })
  })
}

/** Every event that changes something here. */
export const events: readonly string[] = [...subjects.keys()]

/**
 * Makes or changes a webhook. Its secret is chosen here, because no answer shows it. A change leaves the
 * secret that is set. https://docs.lemonsqueezy.com/api/webhooks/create-webhook, …/update-webhook
 * @throws ERR_CONFIG where the account has several stores and none is configured
 */
export async function connectLemonSqueezy(
  api: LemonSqueezyApi,
  { url, id }: EndpointRequest,
  { store, isTest, randomId }: { store: string | null; isTest: boolean | null; randomId: () => string },
): Promise<{ readonly secret: string | null }> {
  if (id !== null) {
    const data = { type: 'webhooks', id, attributes: { events } }
    await api.ask(`the webhook ${url}`, {
      method: 'PATCH',
      path: address`/v1/webhooks/${id}`,
      body: { data },
    })
    return { secret: null }
  }
  const secret = randomId()
  const attributes = { url, events, secret, ...(isTest === null ? {} : { test_mode: isTest }) }
  const relationships = { store: { data: { type: 'stores', id: store ?? (await onlyStore(api)) } } }
  await api.ask(`the webhook ${url}`, {
    method: 'POST',
    path: '/v1/webhooks',
    body: { data: { type: 'webhooks', attributes, relationships } },
  })
  return { secret }
}
