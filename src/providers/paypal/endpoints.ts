import { endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { list } from '../narrow.ts'
import type { PayPalApi } from './api.ts'
import type { ListAnswer } from './payload.ts'

// Without these, a purchase, renewal, end or refund would be missed.
export const needed = [
  'BILLING.SUBSCRIPTION.ACTIVATED',
  'BILLING.SUBSCRIPTION.UPDATED',
  'BILLING.SUBSCRIPTION.SUSPENDED',
  'BILLING.SUBSCRIPTION.CANCELLED',
  'BILLING.SUBSCRIPTION.EXPIRED',
  'PAYMENT.SALE.COMPLETED',
  'PAYMENT.SALE.REFUNDED',
  'PAYMENT.CAPTURE.COMPLETED',
  'PAYMENT.CAPTURE.REFUNDED',
]

/** Lists the app's webhooks. A webhook cannot be disabled as a whole, but single events can.
 *  https://developer.paypal.com/docs/api/webhooks/v1/#webhooks_list */
export const paypalEndpoints = async (api: Pick<PayPalApi, 'ask'>): Promise<ProviderEndpoint[]> => {
  const { raw } = await api.ask<ListAnswer>('webhooks', { path: '/v1/notifications/webhooks' })
  return list(raw.webhooks).map((webhook) => {
    const sent = list(webhook.event_types).filter(({ status }) => status !== 'DISABLED')
    return endpointOf(needed, { url: webhook.url, isEnabled: true, sent: sent.map(({ name }) => name) })
  })
}
