import type { SecretShapes } from '../secret-shapes.ts'

/**
 * Prefixes: `sk_live_…`, `rk_test_…` (restricted), `pk_…` (public), and `whsec_…` for an endpoint:
 * https://docs.stripe.com/keys
 */
export const stripeSecrets = {
  prefixes: ['sk_', 'rk_', 'pk_', 'whsec_'],
  mistaken: {
    webhook: [
      [/^(sk|rk|pk)_/, 'an API key'],
      [/^(we|ed|evt|acct)_/, 'the id of the endpoint'],
    ],
    secret: [
      [/^whsec_/, 'a webhook secret'],
      [/^pk_/, 'a public key, which opens nothing'],
      [/^(we|ed|evt|acct)_/, 'an id'],
    ],
  },
  livemode: (apiKey) => (/^[a-z]+_live_/.test(apiKey) ? true : /^[a-z]+_test_/.test(apiKey) ? false : null),
} satisfies SecretShapes
