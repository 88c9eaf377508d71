import type { SecretShapes } from '../secret-shapes.ts'

/**
 * `live_…` and `test_…` are API keys, and all text with these prefixes is masked anyway. `access_…` are
 * tokens of an organisation and have no mode. Source: https://docs.mollie.com/reference/authentication
 */
export const mollieSecrets = {
  mistaken: {
    webhook: [
      [/^(live|test)_\w{20,}$/, 'an API key'],
      [/^access_/, 'an access token'],
      [/^hook_/, 'the id of the webhook'],
    ],
    secret: [
      [/^pfl_/, 'the id of a profile'],
      [/^access_/, 'an access token of an organisation, which belongs to no website'],
      [/^(?!live_|test_|https?:)/, 'something else: it begins with live_ or test_'],
    ],
  },
  livemode: (apiKey) => (apiKey.startsWith('live_') ? true : apiKey.startsWith('test_') ? false : null),
} satisfies SecretShapes
