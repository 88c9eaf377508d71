import type { ApiWords } from '../api-errors.ts'

/** What errors say of Lemon Squeezy's API. */
export const lemonSqueezyWords: ApiWords = {
  name: 'Lemon Squeezy',
  option: 'membership.providers.lemonsqueezy.secret',
  keys: 'Lemon Squeezy (Settings, API)',
  requests: 'in Lemon Squeezy’s documentation of errors, by its status',
}
