import type { SecretShapes } from '../secret-shapes.ts'

/**
 * Prefixes: `pdl_live_apikey_…`, `pdl_sdbx_apikey_…`, and `pdl_ntfset_…` for an endpoint. Browser tokens
 * begin with their mode. Source: https://developer.paddle.com/api-reference/about/api-keys
 */
export const paddleSecrets = {
  prefixes: ['pdl_'],
  mistaken: {
    webhook: [
      [/^pdl_(live|sdbx)_apikey_/, 'an API key'],
      [/^(live|test)_/, 'a token for browsers, which opens nothing'],
    ],
    secret: [
      [/^pdl_ntfset_/, 'a webhook secret'],
      [/^(live|test)_/, 'a token for browsers, which opens nothing'],
    ],
  },
  livemode: (apiKey) =>
    apiKey.startsWith('pdl_live_') ? true : apiKey.startsWith('pdl_sdbx_') ? false : null,
} satisfies SecretShapes
