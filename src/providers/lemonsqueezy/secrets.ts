import type { SecretShapes } from '../secret-shapes.ts'

/** An API key is a JSON web token, of test or live mode alike; a webhook's secret is a text of one's own.
 *  Source: https://docs.lemonsqueezy.com/help/webhooks/signing-requests */
export const lemonSqueezySecrets = {
  prefixes: ['eyJ0eXAiOiJKV1Qi'],
  mistaken: {
    webhook: [[/^eyJ0eXAi/, 'an API key']],
    // Those have 6 to 40 characters, which is less than any token has.
    secret: [[/^(?!eyJ0eXAi|https?:).{6,40}$/, 'a signing secret of a webhook']],
  },
} satisfies SecretShapes
