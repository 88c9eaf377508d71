import { type EndpointRequest, endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { list, str } from '../narrow.ts'
import { address } from '../rest.ts'
import type { PayPalApi } from './api.ts'
import type { Endpoint, ListAnswer } from './payload.ts'

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

/**
 * Lists the app's webhooks. A webhook cannot be disabled as a whole, but single events can.
 * https://developer.paypal.com/docs/api/webhooks/v1/#webhooks_list
 */
export async function paypalEndpoints(api: Pick<PayPalApi, 'ask'>): Promise<ProviderEndpoint[]> {
  const { raw } = await api.ask<ListAnswer>('webhooks', { path: '/v1/notifications/webhooks' })
  return list(raw.webhooks).map((webhook) => {
    const sent = list(webhook.event_types).filter(({ status }) => status !== 'DISABLED')
    return endpointOf(needed, {
      id: webhook.id,
      url: webhook.url,
      isEnabled: true,
      sent: sent.map(({ name }) => name),
    })
  })
}

/** Every event that changes something here: https://developer.paypal.com/api/rest/webhooks/event-names/ */
export const events = [
  ...needed,
  'BILLING.SUBSCRIPTION.CREATED',
  'BILLING.SUBSCRIPTION.RE-ACTIVATED',
  'BILLING.SUBSCRIPTION.PAYMENT.FAILED',
  'PAYMENT.SALE.DENIED',
  'PAYMENT.SALE.PENDING',
  'PAYMENT.SALE.REVERSED',
  'PAYMENT.CAPTURE.DENIED',
  'PAYMENT.CAPTURE.DECLINED',
  'PAYMENT.CAPTURE.PENDING',
  'PAYMENT.CAPTURE.REVERSED',
  'CHECKOUT.ORDER.APPROVED',
  'CHECKOUT.ORDER.COMPLETED',
  'CUSTOMER.DISPUTE.CREATED',
  'CUSTOMER.DISPUTE.UPDATED',
  'CUSTOMER.DISPUTE.RESOLVED',
]

/**
 * Makes or changes a webhook. PayPal signs with a certificate, and the webhook's id is what a site verifies
 * with. https://developer.paypal.com/docs/api/webhooks/v1/#webhooks_post, …/#webhooks_update
 */
export async function connectPayPal(
  api: Pick<PayPalApi, 'ask'>,
  { url, id }: EndpointRequest,
): Promise<{ readonly secret: string | null }> {
  const named = events.map((name) => ({ name }))
  const { raw } = await api.ask<Endpoint>(
    `the webhook ${url}`,
    id === null
      ? { method: 'POST', path: '/v1/notifications/webhooks', body: { url, event_types: named } }
      : {
          method: 'PATCH',
          path: address`/v1/notifications/webhooks/${id}`,
          body: [{ op: 'replace', path: '/event_types', value: named }],
        },
  )
  return { secret: str(raw.id) }
}
