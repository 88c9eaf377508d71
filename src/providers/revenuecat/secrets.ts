import type { SecretShapes } from '../secret-shapes.ts'

/**
 * Secret keys of the API are `sk_…`; apps hold public ones, `appl_…`, `goog_…` and others. Source:
 * https://www.revenuecat.com/docs/projects/authentication
 */
export const revenuecatSecrets = {
  prefixes: ['sk_'],
  mistaken: {
    webhook: [
      [/^sk_/, 'an API key'],
      [/^(?:appl|goog|amzn|strp|rcb)_/, 'a public key of an app'],
    ],
    secret: [[/^(?:appl|goog|amzn|strp|rcb)_/, 'a public key of an app']],
  },
} satisfies SecretShapes
