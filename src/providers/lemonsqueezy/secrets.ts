import type { SecretShapes } from '../secret-shapes.ts'

/**
 * An API key is a JSON Web Token, in both modes alike; the site chooses a webhook's secret. Source:
 * https://docs.lemonsqueezy.com/help/webhooks/signing-requests
 */
export const lemonSqueezySecrets = {
  prefixes: ['eyJ0eXAiOiJKV1Qi'],
  mistaken: {
    webhook: [[/^eyJ0eXAi/, 'an API key']],
    // Webhook secrets have 6 to 40 characters, fewer than any token.
    secret: [[/^(?!eyJ0eXAi|https?:).{6,40}$/, 'a signing secret of a webhook']],
  },
} satisfies SecretShapes
