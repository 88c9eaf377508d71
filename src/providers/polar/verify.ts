import type { WebhookSecret } from '../contract.ts'
import { standardWebhooksScheme, type VerifyHmac, verifyHmac } from '../signatures.ts'

/** Standard Webhooks, keyed with the bytes of the whole secret as Polar's server does; the first of {@link keysOf}.
 *  Source: https://polar.sh/docs/integrate/webhooks/delivery */
export const polarScheme = standardWebhooksScheme({
  toKey: (secret) => keysOf(secret)[0] ?? Buffer.alloc(0),
})

/** Verifies against every key of every secret. @throws ERR_WEBHOOK_SIGNATURE */
export const verifyPolar = ({ secrets, ...rest }: VerifyHmac): string =>
  verifyHmac(byKey, { ...rest, secrets: secrets.flatMap(withKeys) })

const byKey = standardWebhooksScheme({ toKey: (key) => Buffer.from(key, 'base64') })

const withKeys = ({ label, secret }: WebhookSecret): WebhookSecret[] =>
  keysOf(secret).map((key) => ({ label, secret: key.toString('base64') }))

/** The keys that a secret stands for: its own bytes, and, as the standard is written, what its text encodes. A text that
 *  encodes less than the 24 bytes of the standard's shortest key is none. */
const keysOf = (secret: string): Buffer[] => {
  const [, prefix, text = ''] = /^(whsec_|polar_whs_)?(.*)$/s.exec(secret) ?? []
  if (text === '') return []
  const own = Buffer.from(secret, 'utf8')
  const isEncoded = prefix !== undefined && /^[A-Za-z0-9+/]{32,}={0,2}$/.test(text)
  return isEncoded ? [own, Buffer.from(text, 'base64')] : [own]
}
