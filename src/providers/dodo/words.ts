import type { ApiWords } from '../api-errors.ts'

/** Names of Dodo's API in error messages. */
export const dodoWords: ApiWords = {
  name: 'Dodo Payments',
  option: 'membership.providers.dodo.secret',
  keys: 'the Dodo Payments dashboard (Developer, API keys)',
  requests: 'in the Dodo Payments dashboard under Developer',
}
