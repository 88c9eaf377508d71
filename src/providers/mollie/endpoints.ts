import { type CalledAddress, missingOf, type ProviderEndpoint } from '../endpoints.ts'
import { str } from '../narrow.ts'
import type { MollieApi } from './api.ts'
import { notesIn } from './facts.ts'

// Without these a purchase, a renewal or money that went back is not told.
export const needed = ['payment.paid', 'payment.failed', 'refund.refunded', 'chargeback.received']

/** The newer webhooks; Mollie's page opens their list to access tokens, and whoever is refused cannot tell.
 *  https://docs.mollie.com/reference/list-webhooks @throws ERR_PROVIDER_ANSWER */
export const mollieEndpoints = async (api: Pick<MollieApi, 'all'>): Promise<ProviderEndpoint[]> => {
  const { all } = await api.all('webhooks', { path: '/webhooks', name: 'webhooks' })
  return all
    .filter(({ status }) => status !== 'deleted')
    .map((endpoint) => ({
      url: str(endpoint.url) ?? '',
      // The other words are `disabled` and `blocked`.
      isEnabled: endpoint.status === 'enabled',
      missing: missingOf(needed, Array.isArray(endpoint.eventTypes) ? endpoint.eventTypes : []),
    }))
}

/** Webhook addresses of the charges to come: a subscription keeps the address that it was begun with, also where the site
 *  has moved since. The newest 250 of those begun here; of test mode without those begun on a machine that Mollie does not
 *  reach. https://docs.mollie.com/reference/get-subscription @throws ERR_PROVIDER_ANSWER */
export const mollieCalled = async (
  api: Pick<MollieApi, 'page'>,
  isLive: boolean | null,
): Promise<CalledAddress[]> => {
  const { items } = await api.page('all subscriptions', { path: '/subscriptions', name: 'subscriptions' })
  return items
    .filter(
      (endpoint) =>
        (endpoint.status === 'active' || endpoint.status === 'pending') && notesIn(endpoint).intent !== null,
    )
    .map((endpoint) => ({ url: str(endpoint.webhookUrl), id: String(endpoint.id) }))
    .filter(({ url }) => url !== null || isLive === true)
}
