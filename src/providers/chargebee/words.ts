import type { ApiWords } from '../api-errors.ts'

/** Names of Chargebee's API in error messages. */
export const chargebeeWords: ApiWords = {
  name: 'Chargebee',
  option: 'membership.providers.chargebee.secret',
  keys: 'Chargebee (Settings, Configure Chargebee, API Keys)',
  requests: 'in Chargebee under Logs, API Logs',
}
