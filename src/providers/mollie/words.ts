import type { ApiWords } from '../api-errors.ts'

/** Names of Mollie's API in error messages. */
export const mollieWords: ApiWords = {
  name: 'Mollie',
  option: 'membership.providers.mollie.secret',
  keys: 'the Mollie dashboard (Developers, API keys)',
  requests: 'in the Mollie dashboard under Developers, Logs',
}
