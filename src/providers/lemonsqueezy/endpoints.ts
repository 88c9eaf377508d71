import { endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { obj } from '../narrow.ts'
import type { LemonSqueezyApi } from './api.ts'
import type { Endpoint, Resource } from './payload.ts'

// Without these, a purchase, renewal, end or refund would be missed.
export const needed = [
  'order_created',
  'order_refunded',
  'subscription_created',
  'subscription_updated',
  'subscription_payment_success',
  'subscription_payment_refunded',
]

/** Lists the store's webhooks. They cannot be switched off, and each mode has its own.
 *  https://docs.lemonsqueezy.com/api/webhooks/list-all-webhooks */
export const lemonSqueezyEndpoints = async (
  api: Pick<LemonSqueezyApi, 'all'>,
): Promise<ProviderEndpoint[]> => {
  const { all } = await api.all<Resource<Endpoint>>('webhooks', '/v1/webhooks')
  return all.map((endpoint) => {
    const { url, events } = obj(endpoint.attributes)
    return endpointOf(needed, { url, isEnabled: true, sent: events })
  })
}
