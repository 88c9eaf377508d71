import { type CalledAddress, endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import { str } from '../narrow.ts'
import type { MollieApi } from './api.ts'
import { notesIn } from './facts.ts'

// Without these, a purchase, renewal or refund would be missed.
export const needed = ['payment.paid', 'payment.failed', 'refund.refunded', 'chargeback.received']

/**
 * Lists the newer webhooks. Per Mollie's page only access tokens may list them; a refused key cannot tell.
 * https://docs.mollie.com/reference/list-webhooks @throws ERR_PROVIDER_ANSWER
 */
export async function mollieEndpoints(api: Pick<MollieApi, 'all'>): Promise<ProviderEndpoint[]> {
  const { all } = await api.all('webhooks', { path: '/webhooks', name: 'webhooks' })
  return all
    .filter(({ status }) => status !== 'deleted')
    .map(({ url, status, eventTypes }) =>
      // The other statuses are `disabled` and `blocked`.
      endpointOf(needed, { url, isEnabled: status === 'enabled', sent: eventTypes }),
    )
}

/**
 * Lists the webhook addresses of coming charges. A subscription keeps its first address even if the site
 * moved. It reads the newest 250 that began here. In test mode it skips those begun on a machine that Mollie
 * cannot reach. https://docs.mollie.com/reference/get-subscription @throws ERR_PROVIDER_ANSWER
 */
export async function mollieCalled(
  api: Pick<MollieApi, 'page'>,
  isLive: boolean | null,
): Promise<CalledAddress[]> {
  const { items } = await api.page('all subscriptions', { path: '/subscriptions', name: 'subscriptions' })
  return items
    .filter(
      (endpoint) =>
        (endpoint.status === 'active' || endpoint.status === 'pending') && notesIn(endpoint).intent !== null,
    )
    .map((endpoint) => ({ url: str(endpoint.webhookUrl), id: String(endpoint.id) }))
    .filter(({ url }) => url !== null || isLive === true)
}
