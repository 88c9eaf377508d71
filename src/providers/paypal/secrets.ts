import type { SecretShapes } from '../secret-shapes.ts'

/** What is configured is the id of the webhook, which PayPal signs with each delivery. The text `WEBHOOK_ID` is what the
 *  simulator signs for anybody. Source: https://developer.paypal.com/api/rest/webhooks/simulator/ */
export const paypalSecrets = {
  mistaken: {
    webhook: [
      [/^WEBHOOK_ID$/, 'what PayPal’s simulator signs for anybody'],
      [/^WH-/, 'the id of an event'],
      [/^(A21|access_token)/, 'an access token'],
    ],
    secret: [
      [/^(A21|access_token)/, 'an access token'],
      [/^WH-/, 'the id of an event'],
    ],
  },
} satisfies SecretShapes
