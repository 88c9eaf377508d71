import { allPages } from '../api.ts'
import { endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { list, str } from '../narrow.ts'
import type { DodoApi } from './api.ts'
import type { EndpointsAnswer } from './payload.ts'

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

/** Lists the account's webhooks. One without a choice of events receives all.
 *  https://docs.dodopayments.com/api-reference/webhooks/list-webhooks */
export const dodoEndpoints = async (api: Pick<DodoApi, 'ask'>): Promise<ProviderEndpoint[]> => {
  const { all } = await allPages(async (iterator) => {
    const place = { limit: '100', ...(iterator === null ? {} : { iterator }) }
    const { raw, at } = await api.ask<EndpointsAnswer>('webhooks', { path: '/webhooks', query: place })
    return { items: list(raw.data), at, next: raw.done === false ? str(raw.iterator) : null }
  })
  return all.map(({ url, disabled, filter_types }) => {
    const chosen = Array.isArray(filter_types) ? filter_types : []
    return endpointOf(needed, {
      url,
      isEnabled: disabled !== true,
      sent: chosen.length === 0 ? ['*'] : chosen,
    })
  })
}
