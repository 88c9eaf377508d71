import type { ApiWords } from '../api-errors.ts'

/** Names of PayPal's API in error messages. */
export const paypalWords: ApiWords = {
  name: 'PayPal',
  option: 'membership.providers.paypal.client_id and .secret',
  keys: 'the PayPal Developer Dashboard (Apps & Credentials)',
  requests: 'in the PayPal Developer Dashboard under Event Logs, API calls',
}
