import type Stripe from 'stripe'
import { type EndpointRequest, endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { list, str } from '../narrow.ts'
import type { StripeApi } from './api.ts'
import type { Endpoint, ListAnswer } from './payload.ts'

// Without these, a purchase, renewal, end or refund would be missed.
export const needed: Stripe.WebhookEndpointCreateParams.EnabledEvent[] = [
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
export async function stripeEndpoints(api: Pick<StripeApi, 'ask'>): Promise<ProviderEndpoint[]> {
  const { raw } = await api.ask<ListAnswer<Endpoint>>('webhook endpoints', (it) =>
    it.webhookEndpoints.list({ limit: 100 }),
  )
  return list(raw.data).map(({ id, url, status, enabled_events }) =>
    endpointOf(needed, { id, url, isEnabled: status !== 'disabled', sent: enabled_events }),
  )
}

/** Every event that changes something here. A family's other events repeat what these say. */
export const events: Stripe.WebhookEndpointCreateParams.EnabledEvent[] = [
  ...needed,
  'checkout.session.expired',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.subscription.pending_update_applied',
  'customer.subscription.pending_update_expired',
  'invoice.finalized',
  'invoice.updated',
  'invoice.voided',
  'invoice.marked_uncollectible',
  'invoice.payment_action_required',
  'invoice_payment.paid',
  'payment_intent.processing',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.pending',
  'charge.succeeded',
  'charge.failed',
  'charge.dispute.updated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'subscription_schedule.created',
  'subscription_schedule.updated',
  'subscription_schedule.released',
  'subscription_schedule.canceled',
  'subscription_schedule.completed',
  'subscription_schedule.aborted',
]

/**
 * Makes or changes an endpoint: https://docs.stripe.com/api/webhook_endpoints/create. Its secret is in the
 * answer to the creation alone.
 */
export async function connectStripe(
  api: Pick<StripeApi, 'ask'>,
  { url, id, idempotencyKey }: EndpointRequest,
): Promise<{ readonly secret: string | null }> {
  const { raw } = await api.ask<Endpoint>(`the webhook endpoint ${url}`, ({ webhookEndpoints }) =>
    id === null
      ? webhookEndpoints.create(
          { url, enabled_events: events, description: 'membership' },
          { idempotencyKey },
        )
      : webhookEndpoints.update(id, { enabled_events: events, disabled: false }, { idempotencyKey }),
  )
  return { secret: str(raw.secret) }
}
