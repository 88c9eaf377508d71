import { type HmacScheme, standardWebhooksScheme } from '../signatures.ts'

/**
 * Standard Webhooks with the bytes of the whole secret as the key, as Polar's server does, or with the
 * decoded text, as the standard says. Source: https://polar.sh/docs/integrate/webhooks/delivery
 */
export const polarScheme: HmacScheme = {
  ...standardWebhooksScheme({ toKey: (secret) => (textOf(secret) === '' ? none : Buffer.from(secret)) }),
  otherKeys: (secret) => {
    const text = textOf(secret)
    return text !== secret && isKey.test(text) ? [Buffer.from(text, 'base64')] : []
  },
}

const none = Buffer.alloc(0)
function textOf(secret: string): string {
  return secret.replace(/^(?:whsec_|polar_whs_)/, '')
}
// Matches an encoded key: at least 24 bytes, the standard's minimum.
const isKey = /^[A-Za-z0-9+/]{32,}={0,2}$/
