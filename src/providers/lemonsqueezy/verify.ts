import { bodyScheme } from '../signatures.ts'

/** The body alone is signed, and no moment: what is sent again is known by its bytes.
 *  Source: https://docs.lemonsqueezy.com/help/webhooks/signing-requests */
export const lemonSqueezyScheme = bodyScheme({ header: 'x-signature' })
