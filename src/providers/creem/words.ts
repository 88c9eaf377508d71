import type { ApiWords } from '../api-errors.ts'

/** Names of Creem's API in error messages. */
export const creemWords: ApiWords = {
  name: 'Creem',
  option: 'membership.providers.creem.secret',
  keys: 'the Creem dashboard (Developers, API keys)',
  requests: 'in Creem’s support, by its `trace_id`',
}
