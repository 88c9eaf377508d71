import type { SecretShapes } from '../secret-shapes.ts'

/**
 * The configured secret is the id of the webhook, which PayPal includes in each signature. For the text
 * `WEBHOOK_ID`, the simulator signs for anybody. Source:
 * https://developer.paypal.com/api/rest/webhooks/simulator/
 */
export const paypalSecrets = {
  mistaken: {
    webhook: [
      [/^WEBHOOK_ID$/, 'what PayPal’s simulator signs for anybody'],
      [/^WH-/, 'the id of an event'],
      [/^(A21|access_token)/, 'an access token'],
      // An id has at most 50 characters:
      // https://developer.paypal.com/docs/api/webhooks/v1/#verify-webhook-signature_post
      [/^[\w-]{51,}$/, 'the Client ID or the Secret of an app'],
    ],
    secret: [
      [/^(A21|access_token)/, 'an access token'],
      [/^WH-/, 'the id of an event'],
      [/^[A-Z0-9]{15,30}$/, 'the id of a webhook'],
    ],
  },
} satisfies SecretShapes
