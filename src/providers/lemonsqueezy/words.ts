import type { ApiWords } from '../api-errors.ts'

/** Names of Lemon Squeezy's API in error messages. */
export const lemonSqueezyWords: ApiWords = {
  name: 'Lemon Squeezy',
  option: 'membership.providers.lemonsqueezy.secret',
  keys: 'Lemon Squeezy (Settings, API)',
  requests: 'in Lemon Squeezy’s documentation of errors, by its status',
}
