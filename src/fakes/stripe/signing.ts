import { signHmac } from '../../providers/signatures.ts'
import { stripeScheme } from '../../providers/stripe/verify.ts'
import type { SignMessage } from '../engine/index.ts'

/** Builds the headers of a delivery. https://docs.stripe.com/webhooks#verify-manually */
export const signEvent: SignMessage = ({ body }, secret, at) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
  ...signHmac(stripeScheme, Buffer.from(body), secret, at),
})
