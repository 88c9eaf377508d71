import type { SecretShapes } from '../secret-shapes.ts'

/**
 * `creem_test_…` and `creem_…` keys call the API of their mode; an endpoint's secret is `whsec_…`. Source:
 * https://docs.creem.io/getting-started/test-mode
 */
export const creemSecrets = {
  prefixes: ['creem_', 'whsec_'],
  mistaken: {
    webhook: [[/^creem_/, 'an API key']],
    secret: [[/^whsec_/, 'a webhook secret']],
  },
  livemode: (apiKey) =>
    apiKey.startsWith('creem_test_') ? false : apiKey.startsWith('creem_') ? true : null,
} satisfies SecretShapes
