import { type EndpointRequest, endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { obj } from '../narrow.ts'
import { address } from '../rest.ts'
import type { ChargebeeApi } from './api.ts'
import { known } from './changes.ts'
import type { Content } from './payload.ts'

// Without these, a purchase, renewal, end or refund would be missed.
export const needed = [
  'subscription_created',
  'subscription_changed',
  'subscription_renewed',
  'subscription_cancelled',
  'subscription_reactivated',
  'payment_succeeded',
  'payment_failed',
  'payment_refunded',
]

/**
 * Lists the site's webhooks. A webhook without a choice of events receives all.
 * https://apidocs.chargebee.com/docs/api/webhook_endpoints/list-webhook-endpoints
 */
export async function chargebeeEndpoints(api: Pick<ChargebeeApi, 'all'>): Promise<ProviderEndpoint[]> {
  const { all } = await api.all<Content>('webhook endpoints', '/webhook_endpoints')
  return all.map((listed) => {
    const endpoint = obj(listed.webhook_endpoint)
    const chosen = Array.isArray(endpoint.enabled_events) ? endpoint.enabled_events : []
    return endpointOf(needed, {
      id: endpoint.id,
      url: endpoint.url,
      isEnabled: endpoint.disabled !== true,
      sent: chosen.length === 0 ? ['*'] : chosen,
    })
  })
}

/** Every event that changes something here. */
export const events: readonly string[] = [...known]

/**
 * Makes or changes a webhook. The user name and the password are chosen here, because no answer shows them. A
 * change leaves those that are set.
 * https://apidocs.chargebee.com/docs/api/webhook_endpoints/create-a-webhook-endpoint,
 * …/update-a-webhook-endpoint
 */
export async function connectChargebee(
  api: Pick<ChargebeeApi, 'write'>,
  { url, id, idempotencyKey: key }: EndpointRequest,
  randomId: () => string,
): Promise<{ readonly secret: string | null }> {
  const what = `the webhook ${url}`
  if (id !== null) {
    const body = { enabled_events: events, disabled: false }
    await api.write(what, { path: address`/webhook_endpoints/${id}`, body, key })
    return { secret: null }
  }
  const [user, password] = ['membership', randomId()]
  const credentials = { basic_auth_username: user, basic_auth_password: password }
  await api.write(what, {
    path: '/webhook_endpoints',
    body: { name: 'membership', url, api_version: 'v2', ...credentials, enabled_events: events },
    key,
  })
  return { secret: `${user}:${password}` }
}
