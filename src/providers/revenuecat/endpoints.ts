import { endpointOf, type ProviderEndpoint } from '../endpoints.ts'
import type { RevenueCatApi } from './api.ts'
import { kinds } from './changes.ts'
import type { Integration } from './payload.ts'

// The API writes the names of events in lower case, and leaves out those that every integration gets.
const optional = new Set(['SUBSCRIBER_ALIAS', 'TEMPORARY_ENTITLEMENT_GRANT', 'REFUND_REVERSED'])
export const needed = [...kinds].filter((type) => !optional.has(type)).map((type) => type.toLowerCase())

/**
 * Lists the webhook integrations; one without a list of events gets all.
 * https://www.revenuecat.com/docs/api-v2/integration
 */
export async function revenuecatEndpoints(
  api: Pick<RevenueCatApi, 'all' | 'project'>,
): Promise<ProviderEndpoint[]> {
  const { all } = await api.all<Integration>('webhooks', `${api.project}/integrations/webhooks`)
  return all.map(({ url, event_types }) =>
    endpointOf(needed, { url, isEnabled: true, sent: event_types ?? ['*'] }),
  )
}
