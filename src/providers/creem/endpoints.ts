import { endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import type { CreemApi } from './api.ts'
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

/** Lists the store's webhooks. One created by the CLI on somebody's machine is left out.
 *  https://docs.creem.io/api-reference/endpoint/list-webhooks */
export const creemEndpoints = async (api: Pick<CreemApi, 'all'>): Promise<ProviderEndpoint[]> => {
  const { all } = await api.all<Endpoint>('webhooks', '/v1/webhooks')
  return all
    .filter(({ delivery_mode }) => delivery_mode !== 'cli')
    .map(({ url, status, events }) =>
      endpointOf(needed, { url, isEnabled: status !== 'disabled', sent: events }),
    )
}
