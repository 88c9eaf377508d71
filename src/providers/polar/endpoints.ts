import { endpointOf, type ProviderEndpoint } from '../endpoints.ts'
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

/** Lists the organization's webhook endpoints. Polar disables one that failed ten times in a row.
 *  https://polar.sh/docs/api-reference/webhooks/endpoints/list */
export const polarEndpoints = async (api: Pick<PolarApi, 'all'>): Promise<ProviderEndpoint[]> => {
  const { all } = await api.all<Endpoint>('webhook endpoints', '/webhooks/endpoints')
  return all.map(({ url, enabled, events }) =>
    endpointOf(needed, { url, isEnabled: enabled !== false, sent: events }),
  )
}
