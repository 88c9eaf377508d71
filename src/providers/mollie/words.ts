import type { ApiWords } from '../api-errors.ts'

/** What errors say of Mollie's API. */
export const mollieWords: ApiWords = {
  name: 'Mollie',
  option: 'membership.providers.mollie.secret',
  keys: 'the Mollie dashboard (Developers, API keys)',
  requests: 'in the Mollie dashboard under Developers, Logs',
}
