import type { SecretShapes } from '../secret-shapes.ts'

/**
 * Only an endpoint's secret, `whsec_…`, has a known prefix; test and live are two hosts with separate keys.
 * Source: https://docs.dodopayments.com/api-reference/introduction
 */
export const dodoSecrets = {
  prefixes: ['whsec_'],
  mistaken: {
    webhook: [[/^(ep|whk|bus|pdt|cus|sub|pay)_/, 'an id']],
    secret: [
      [/^whsec_/, 'a webhook secret'],
      [/^(ep|whk|bus|pdt|cus|sub|pay)_/, 'an id'],
    ],
  },
} satisfies SecretShapes
