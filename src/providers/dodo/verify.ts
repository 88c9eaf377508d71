import { standardWebhooksScheme } from '../signatures.ts'

/** Standard Webhooks as written: the key is what the text after `whsec_` encodes.
 *  Source: https://docs.dodopayments.com/developer-resources/webhooks */
export const dodoScheme = standardWebhooksScheme()
