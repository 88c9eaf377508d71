import { bodyScheme } from '../signatures.ts'

/**
 * The signature covers only the body, without a time; repeated deliveries are recognised by their bytes.
 * Source: https://docs.lemonsqueezy.com/help/webhooks/signing-requests
 */
export const lemonSqueezyScheme = bodyScheme({ header: 'x-signature' })
