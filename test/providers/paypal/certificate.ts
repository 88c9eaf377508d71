import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { crc32 } from 'node:zlib'

// As much of X.509 as a certificate needs to be read: https://www.rfc-editor.org/rfc/rfc5280#section-4.1

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const seq = (...parts: readonly Buffer[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const sha256WithRsa = seq(oid('2a864886f70d01010b'), der(0x05))
const nameOf = (name: string) => seq(der(0x31, seq(oid('550403'), der(0x0c, Buffer.from(name)))))
const moment = (iso: string) => der(0x18, Buffer.from(`${iso.replaceAll(/[-:T]/g, '').slice(0, 14)}Z`))
const bits = (bytes: Buffer) => der(0x03, Buffer.from([0]), bytes)

interface Wanted {
  readonly name: string
  readonly issuer?: string
  readonly isAuthority?: boolean
  readonly from?: string
  readonly to?: string
}

/** One key signs everything in these tests: each RSA key takes its time. */
export const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** A certificate of our key as PEM, signed by that key. */
export const certificate = (
  {
    name,
    issuer = 'An authority',
    isAuthority = false,
    from = '2016-01-01T00:00:00',
    to = '2049-12-31T00:00:00',
  }: Wanted,
  signer: KeyObject = privateKey,
): string => {
  const basics = seq(oid('551d13'), der(0x04, isAuthority ? seq(der(0x01, Buffer.from([255]))) : seq()))
  const names = seq(oid('551d11'), der(0x04, seq(der(0x82, Buffer.from(name)))))
  const serial = createHash('sha256').update(`${name}${from}${isAuthority}`).digest().subarray(0, 8)
  serial[0] = 1
  const content = seq(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    sha256WithRsa,
    nameOf(issuer),
    seq(moment(from), moment(to)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, seq(basics, names)),
  )
  const whole = seq(content, sha256WithRsa, bits(sign('sha256', content, signer)))
  const lines = whole.toString('base64').replaceAll(/(.{64})/g, '$1\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

export const sandboxName = 'messageverificationcerts.sandbox.paypal.com'
export const liveName = 'messageverificationcerts.paypal.com'

/** What the sandbox signs with in these tests. */
export const sandboxCertificate = certificate({ name: sandboxName })

/** The same, by a key that is not its own. */
export const forgedBy = other

/** The headers with which PayPal posts these bytes to a webhook. */
export const paypalSign = (
  body: Buffer,
  webhookId: string,
  now: Date,
  { url = 'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1', key = privateKey } = {},
): Record<string, string> => {
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
