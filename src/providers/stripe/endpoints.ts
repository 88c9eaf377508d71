import { endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { list } from '../narrow.ts'
import type { StripeApi } from './api.ts'
import type { Endpoint, ListAnswer } from './payload.ts'

// Without these, a purchase, renewal, end or refund would be missed.
export const needed = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.paid',
  'invoice.payment_failed',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.closed',
]

/** Lists the account's webhook endpoints: https://docs.stripe.com/api/webhook_endpoints/list */
export const stripeEndpoints = async (api: Pick<StripeApi, 'ask'>): Promise<ProviderEndpoint[]> => {
  const { raw } = await api.ask<ListAnswer<Endpoint>>('webhook endpoints', (it) =>
    it.webhookEndpoints.list({ limit: 100 }),
  )
  return list(raw.data).map(({ url, status, enabled_events }) =>
    endpointOf(needed, { url, isEnabled: status !== 'disabled', sent: enabled_events }),
  )
}
