import { endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { obj } from '../narrow.ts'
import type { ChargebeeApi } from './api.ts'
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

/** Lists the site's webhooks. A webhook without a choice of events receives all.
 *  https://apidocs.chargebee.com/docs/api/webhook_endpoints/list-webhook-endpoints */
export const chargebeeEndpoints = async (api: Pick<ChargebeeApi, 'all'>): Promise<ProviderEndpoint[]> => {
  const { all } = await api.all<Content>('webhook endpoints', '/webhook_endpoints')
  return all.map((listed) => {
    const endpoint = obj(listed.webhook_endpoint)
    const chosen = Array.isArray(endpoint.enabled_events) ? endpoint.enabled_events : []
    return endpointOf(needed, {
      url: endpoint.url,
      isEnabled: endpoint.disabled !== true,
      sent: chosen.length === 0 ? ['*'] : chosen,
    })
  })
}
