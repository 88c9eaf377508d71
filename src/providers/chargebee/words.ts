import type { ApiWords } from '../api-errors.ts'

/** What errors say of Chargebee's API. */
export const chargebeeWords: ApiWords = {
  name: 'Chargebee',
  option: 'membership.providers.chargebee.secret',
  keys: 'Chargebee (Settings, Configure Chargebee, API Keys)',
  requests: 'in Chargebee under Logs, API Logs',
}
