import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { toCertificate, type WantedCertificate } from '../../../src/fakes/engine/certificate.ts'

/** One key signs everything in these tests: each RSA key takes its time. */
export const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** A certificate of our key as PEM, signed by that key. */
export function certificate(wanted: WantedCertificate, signer: KeyObject = privateKey): string {
  return toCertificate(wanted, { publicKey, signer })
}

export const sandboxName = 'messageverificationcerts.sandbox.paypal.com'
export const liveName = 'messageverificationcerts.paypal.com'

/** What the sandbox signs with in these tests. */
export const sandboxCertificate = certificate({ name: sandboxName })

/** The same, by a key that is not its own. */
export const forgedBy = other

/** The headers with which PayPal posts these bytes to a webhook. */
export function paypalSign(
  body: Buffer,
  webhookId: string,
  now: Date,
  { url = 'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1', key = privateKey } = {},
): Record<string, string> {
  const id = 'b02ef980-9fce-11eb-b0ec-5bc241fbaaf3'
  const time = `${now.toISOString().slice(0, 19)}Z`
  const signed = Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`)
  return {
    'paypal-transmission-id': id,
    'paypal-transmission-time': time,
    'paypal-transmission-sig': sign('sha256', signed, key).toString('base64'),
    'paypal-cert-url': url,
    'paypal-auth-algo': 'SHA256withRSA',
  }
}
