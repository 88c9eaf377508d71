import { endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { list } from '../narrow.ts'
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

/** Lists the account's notification destinations:
 *  https://developer.paddle.com/api-reference/notification-settings/list-notification-settings */
export const paddleEndpoints = async (api: Pick<PaddleApi, 'all'>): Promise<ProviderEndpoint[]> => {
  const { all } = await api.all<Endpoint>('notification settings', '/notification-settings')
  return all
    .filter(({ type }) => type === undefined || type === 'url')
    .map(({ destination, active, subscribed_events }) =>
      endpointOf(needed, {
        url: destination,
        isEnabled: active !== false,
        sent: list(subscribed_events).map(({ name }) => name),
      }),
    )
}
