import { missingOf, type ProviderEndpoint } from '../endpoints.ts'
import { list, str } from '../narrow.ts'
import type { PayPalApi } from './api.ts'

// Without these a purchase, a renewal, an end or money that went back is not told.
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

/** The app's webhooks; none of them can be switched off as a whole, and single messages can.
 *  https://developer.paypal.com/docs/api/webhooks/v1/#webhooks_list */
export const paypalEndpoints = async (api: Pick<PayPalApi, 'ask'>): Promise<ProviderEndpoint[]> => {
  const { raw } = await api.ask('webhooks', { path: '/v1/notifications/webhooks' })
  return list(raw.webhooks).map((webhook) => {
    const sent = list(webhook.event_types).filter(({ status }) => status !== 'DISABLED')
    return {
      url: str(webhook.url) ?? '',
      isEnabled: true,
      missing: missingOf(
        needed,
        sent.map(({ name }) => name),
      ),
    }
  })
}
