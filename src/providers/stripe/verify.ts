import { timestampedScheme } from '../signatures.ts'

/**
 * `t=…,v1=…[,v1=…]` over `t.body`, with the whole secret as the key, `whsec_` included. Source:
 * https://docs.stripe.com/webhooks#verify-manually
 */
export const stripeScheme = timestampedScheme({
  header: 'stripe-signature',
  separator: ',',
  timeKey: 't',
  signatureKey: 'v1',
  joiner: '.',
})
