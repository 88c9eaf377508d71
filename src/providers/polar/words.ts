import type { ApiWords } from '../api-errors.ts'

/** What errors say of Polar's API. */
export const polarWords: ApiWords = {
  name: 'Polar',
  option: 'membership.providers.polar.secret',
  keys: 'the Polar dashboard (organization Settings, General, Developers)',
  requests: 'in Polar’s API reference, by its error',
}
