import type { ApiWords } from '../api-errors.ts'

/** What errors say of Dodo's API. */
export const dodoWords: ApiWords = {
  name: 'Dodo Payments',
  option: 'membership.providers.dodo.secret',
  keys: 'the Dodo Payments dashboard (Developer, API keys)',
  requests: 'in the Dodo Payments dashboard under Developer',
}
