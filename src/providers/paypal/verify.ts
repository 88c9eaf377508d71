import { verify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { WebhookSecret } from '../contract.ts'
import { readHeader, signatureError, type VerifyHmac } from '../signatures.ts'
import type { FindCertificates } from './certificates.ts'
import { faultOf } from './chain.ts'

/** What is verified, and by which certificates. */
export interface VerifyPayPal extends Omit<VerifyHmac, 'toleranceSeconds'> {
  readonly toleranceSeconds: number
  readonly find: FindCertificates
  /** Whose certificates count: true live, false the sandbox's, null both. */
  readonly livemode: boolean | null
}

/**
 * RSA with SHA-256 over `id|time|webhook id|checksum`: the body is bound by its CRC-32 alone, so that whoever reads the
 * headers of one delivery could sign another body until its time is too old.
 * Source: https://developer.paypal.com/api/rest/webhooks/rest/
 * @throws ERR_WEBHOOK_SIGNATURE; another error while the certificate cannot be had
 */
export const verifyPayPal = async (given: VerifyPayPal): Promise<string> => {
  const { delivery, secrets, now, find } = given
  const webhooks = secrets.filter(isWebhookId)
  if (webhooks.length === 0)
    throw signatureError(
      'No webhook id is configured',
      'Set the provider’s `webhook` to the id that PayPal shows for this webhook.',
    )
  const { id, time, signature, source } = readClaim(given)
  const chain = await find(source.address)
  const fault = faultOf(chain, source.name, now)
  const key = chain[0]?.publicKey
  if (fault !== null || key === undefined)
    throw signatureError(
      `The certificate ${fault ?? 'is missing'}`,
      'Check the server’s clock, and that nothing answers in PayPal’s place.',
    )
  const checksum = crc32(delivery.body)
  const match = webhooks.find(({ secret }) =>
    verify('sha256', Buffer.from(`${id}|${time}|${secret}|${checksum}`), key, signature),
  )
  if (match === undefined)
    throw signatureError(
      'It was not signed for any configured webhook id (wrong id, or the body was changed by a parser before it was verified)',
      'Compare the id with the one PayPal shows for this webhook; hand over the body’s raw bytes.',
    )
  // After the match, so that the reason is told about authentic requests only.
  assertFresh(time, given)
  return match.label
}

// The simulator signs `WEBHOOK_ID` for anybody. A separator would move what is signed.
const isWebhookId = ({ secret }: WebhookSecret): boolean =>
  secret !== '' && secret !== 'WEBHOOK_ID' && !secret.includes('|')

interface Claim {
  readonly id: string
  readonly time: string
  readonly signature: Buffer
  readonly source: { readonly address: string; readonly name: string }
}

const readClaim = ({ delivery: { headers }, livemode }: VerifyPayPal): Claim => {
  const id = readHeader(headers, 'paypal-transmission-id')
  const time = readHeader(headers, 'paypal-transmission-time')
  const signature = readHeader(headers, 'paypal-transmission-sig')
  const algorithm = readHeader(headers, 'paypal-auth-algo')
  const address = readHeader(headers, 'paypal-cert-url')
  if (algorithm.toUpperCase() !== 'SHA256WITHRSA') throw malformed('paypal-auth-algo')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(signature)) throw malformed('paypal-transmission-sig')
  return { id, time, signature: Buffer.from(signature, 'base64'), source: sourceOf(address, livemode) }
}

// Each mode has hosts of its own, and a name of its own in its certificates.
const modes = [
  {
    isLive: true,
    hosts: ['api.paypal.com', 'api-m.paypal.com'],
    name: 'messageverificationcerts.paypal.com',
  },
  {
    isLive: false,
    hosts: ['api.sandbox.paypal.com', 'api-m.sandbox.paypal.com'],
    name: 'messageverificationcerts.sandbox.paypal.com',
  },
]

const sourceOf = (text: string, livemode: boolean | null): Claim['source'] => {
  const url = URL.canParse(text) ? new URL(text) : null
  const mode = modes.find(({ isLive, hosts }) => {
    return (livemode === null || isLive === livemode) && url !== null && hosts.includes(url.host)
  })
  // Rebuilt below: with a name or a query in it, it would not be the same.
  if (url === null || mode === undefined || url.href !== `https://${url.host}${url.pathname}`)
    throw malformed('paypal-cert-url')
  if (!/^\/v1\/notifications\/[\w/-]{1,200}$/.test(url.pathname)) throw malformed('paypal-cert-url')
  return { address: url.href, name: mode.name }
}

const assertFresh = (time: string, { now, toleranceSeconds }: VerifyPayPal): void => {
  const ageSeconds = Math.round((now.getTime() - Date.parse(time)) / 1000)
  if (Math.abs(ageSeconds) <= toleranceSeconds) return
  throw signatureError(
    `It was sent ${ageSeconds} s ago (tolerance ${toleranceSeconds} s): check the clock or it’s a replay`,
    'Synchronise the server’s clock (NTP), then let PayPal send the event again.',
  )
}

const malformed = (header: string) =>
  signatureError(
    `Header malformed: ${header}`,
    'Check that this address belongs to PayPal’s webhook of this mode and that no proxy rewrites the header.',
  )
