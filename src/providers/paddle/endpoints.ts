import { type EndpointRequest, endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { list, str } from '../narrow.ts'
import { address } from '../rest.ts'
import type { PaddleApi } from './api.ts'
import type { Endpoint } from './payload.ts'

// Without these, a purchase, renewal, end or refund would be missed.
export const needed = [
  'customer.created',
  'customer.updated',
  'subscription.created',
  'subscription.updated',
  'subscription.canceled',
  'transaction.completed',
  'transaction.payment_failed',
  'adjustment.created',
  'adjustment.updated',
]

/**
 * Lists the account's notification destinations:
 * https://developer.paddle.com/api-reference/notification-settings/list-notification-settings
 */
export async function paddleEndpoints(api: Pick<PaddleApi, 'all'>): Promise<ProviderEndpoint[]> {
  const { all } = await api.all<Endpoint>('notification settings', '/notification-settings')
  return all
    .filter(({ type }) => type === undefined || type === 'url')
    .map(({ id, destination, active, subscribed_events }) =>
      endpointOf(needed, {
        id,
        url: destination,
        isEnabled: active !== false,
        sent: list(subscribed_events).map(({ name }) => name),
      }),
    )
}

/** Every event that changes something here: https://developer.paddle.com/webhooks/overview */
export const events = [
  ...needed,
  'customer.imported',
  'subscription.activated',
  'subscription.imported',
  'subscription.past_due',
  'subscription.paused',
  'subscription.resumed',
  'subscription.trialing',
  'transaction.billed',
  'transaction.canceled',
  'transaction.created',
  'transaction.paid',
  'transaction.past_due',
  'transaction.ready',
  'transaction.revised',
  'transaction.updated',
]

/**
 * Makes or changes a notification destination. Paddle has no idempotency keys: a destination of this address
 * that is there already is found by `paddleEndpoints` first.
 * https://developer.paddle.com/api-reference/notification-settings/create-notification-setting
 */
export async function connectPaddle(
  api: Pick<PaddleApi, 'ask'>,
  { url, id }: EndpointRequest,
): Promise<{ readonly secret: string | null }> {
  const { raw } = await api.ask<Endpoint>(
    `the notification destination ${url}`,
    id === null
      ? {
          method: 'POST',
          path: '/notification-settings',
          body: { type: 'url', destination: url, description: 'membership', subscribed_events: events },
        }
      : {
          method: 'PATCH',
          path: address`/notification-settings/${id}`,
          body: { subscribed_events: events, active: true },
        },
  )
  return { secret: str(raw.endpoint_secret_key) }
}
