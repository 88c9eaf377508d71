import type { SecretShapes } from '../secret-shapes.ts'

/**
 * A webhook secret is `user:password`. An API key begins with the mode of its site and contains no colon.
 * Source: https://apidocs.chargebee.com/docs/api/auth
 */
export const chargebeeSecrets = {
  mistaken: {
    webhook: [
      [/^(live|test)_[^:]+$/, 'an API key'],
      [/^[^:]*$/, 'a user name or a password, without the other: it is user:password'],
    ],
    secret: [[/^(?!https?:)[^:]+:./, 'the user name and the password of a webhook']],
  },
  livemode: (apiKey) => (apiKey.startsWith('live_') ? true : apiKey.startsWith('test_') ? false : null),
} satisfies SecretShapes
