import { standardWebhooksScheme } from '../signatures.ts'

/**
 * Standard Webhooks without deviations: the key is the decoded text after `whsec_`. Source:
 * https://docs.dodopayments.com/developer-resources/webhooks
 */
export const dodoScheme = standardWebhooksScheme()
