import type { ApiWords } from '../api-errors.ts'

/** Names of Polar's API in error messages. */
export const polarWords: ApiWords = {
  name: 'Polar',
  option: 'membership.providers.polar.secret',
  keys: 'the Polar dashboard (organization Settings, General, Developers)',
  requests: 'in Polar’s API reference, by its error',
}
