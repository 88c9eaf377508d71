import { type HmacScheme, standardWebhooksScheme } from '../signatures.ts'

/** Standard Webhooks, keyed with the bytes of the whole secret as Polar's server does; or, as the standard is written, with
 *  what its text encodes. Source: https://polar.sh/docs/integrate/webhooks/delivery */
export const polarScheme: HmacScheme = {
  ...standardWebhooksScheme({ toKey: (secret) => (textOf(secret) === '' ? none : Buffer.from(secret)) }),
  otherKeys: (secret) => {
    const text = textOf(secret)
    return text !== secret && isKey.test(text) ? [Buffer.from(text, 'base64')] : []
  },
}

const none = Buffer.alloc(0)
const textOf = (secret: string): string => secret.replace(/^(?:whsec_|polar_whs_)/, '')
// A text that encodes less than the 24 bytes of the standard's shortest key is none.
const isKey = /^[A-Za-z0-9+/]{32,}={0,2}$/
