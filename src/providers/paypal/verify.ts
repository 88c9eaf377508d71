import { verify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { isUrl } from '../../core/url.ts'
import type { WebhookSecret } from '../contract.ts'
import { readHeader, signatureError, type VerifyHmac } from '../signatures.ts'
import { type FindCertificates, Unreachable } from './certificates.ts'
import { type Chain, faultOf } from './chain.ts'
import type { PostBack } from './post-back.ts'

/** Options of the verification. */
export interface VerifyPayPal extends Omit<VerifyHmac, 'toleranceSeconds'> {
  readonly toleranceSeconds: number
  readonly find: FindCertificates
  /** Asks PayPal while its certificate is unreachable; not available without credentials. */
  readonly postBack?: PostBack | undefined
  /** Mode of the accepted certificates: true live, false the sandbox's, null both. */
  readonly livemode: boolean | null
}

/**
 * Verifies RSA with SHA-256 over `id|time|webhook id|checksum`. The signature covers the body only by its
 * CRC-32. Headers of one delivery can therefore be used with a forged body until their time is too old.
 * Source: https://developer.paypal.com/api/rest/webhooks/rest/ While the certificate is unreachable, PayPal
 * itself is asked, if possible.
 * @throws ERR_WEBHOOK_SIGNATURE; another error while verification is impossible
 */
export async function verifyPayPal(given: VerifyPayPal): Promise<string> {
  const webhooks = given.secrets.filter(isWebhookId)
  if (webhooks.length === 0)
    throw signatureError(
      'No webhook id is configured',
      'Set the provider’s `webhook` to the id that PayPal shows for this webhook.',
    )
  const claim = readClaim(given)
  // Checked after the match, so that only authentic requests learn the reason.
  const match = (await matched(webhooks, claim, given)) ?? unmatched()
  assertFresh(claim.time, given)
  return match.label
}

/** Returns the webhook that the delivery was signed for. */
async function matched(
  webhooks: readonly WebhookSecret[],
  claim: Claim,
  given: VerifyPayPal,
): Promise<WebhookSecret | undefined> {
  const { find, postBack } = given
  try {
    return signedFor(webhooks, claim, given, await find(claim.source.address))
  } catch (error) {
    if (!(error instanceof Unreachable) || postBack === undefined) throw error
    return sentFor(webhooks, claim, given, postBack)
  }
}

function signedFor(
  webhooks: readonly WebhookSecret[],
  { id, time, signature, source }: Claim,
  { delivery, now }: VerifyPayPal,
  chain: Chain,
): WebhookSecret | undefined {
  const fault = faultOf(chain, source.name, now)
  const key = chain[0]?.publicKey
  if (fault !== null || key === undefined)
    throw signatureError(
      `The certificate ${fault ?? 'is missing'}`,
      'Check the server’s clock, and that nothing answers in PayPal’s place.',
    )
  const checksum = crc32(delivery.body)
  return webhooks.find(({ secret }) =>
    verify('sha256', Buffer.from(`${id}|${time}|${secret}|${checksum}`), key, signature),
  )
}

async function sentFor(
  webhooks: readonly WebhookSecret[],
  { id, time, signature, source }: Claim,
  { delivery: { body } }: VerifyPayPal,
  postBack: PostBack,
): Promise<WebhookSecret | undefined> {
  const headers = { id, time, signature: signature.toString('base64'), address: source.address }
  for (const webhook of webhooks)
    if (await postBack({ ...headers, body, webhookId: webhook.secret })) return webhook
  return undefined
}

function unmatched(): never {
  throw signatureError(
    'It was not signed for any configured webhook id (wrong id, or the body was changed by a parser before it was verified)',
    'Compare the id with the one PayPal shows for this webhook; hand over the body’s raw bytes.',
  )
}

// The simulator signs `WEBHOOK_ID` for anybody. A separator in the id would shift the signed fields.
function isWebhookId({ secret }: WebhookSecret): boolean {
  return secret !== '' && secret !== 'WEBHOOK_ID' && !secret.includes('|')
}

interface Claim {
  readonly id: string
  readonly time: string
  readonly signature: Buffer
  readonly source: { readonly address: string; readonly name: string }
}

function readClaim({ delivery: { headers }, livemode }: VerifyPayPal): Claim {
  const id = readHeader(headers, 'paypal-transmission-id')
  const time = readHeader(headers, 'paypal-transmission-time')
  const signature = readHeader(headers, 'paypal-transmission-sig')
  const algorithm = readHeader(headers, 'paypal-auth-algo')
  const address = readHeader(headers, 'paypal-cert-url')
  if (algorithm.toUpperCase() !== 'SHA256WITHRSA') throw malformed('paypal-auth-algo')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(signature)) throw malformed('paypal-transmission-sig')
  return { id, time, signature: Buffer.from(signature, 'base64'), source: sourceOf(address, livemode) }
}

// Each mode has its own hosts, and its own name in its certificates.
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

function sourceOf(text: string, livemode: boolean | null): Claim['source'] {
  const url = isUrl(text) ? new URL(text) : null
  const mode = modes.find(({ isLive, hosts }) => {
    return (livemode === null || isLive === livemode) && url !== null && hosts.includes(url.host)
  })
  // The address is rebuilt below; a user name or a query in it would be lost.
  if (url === null || mode === undefined || url.href !== `https://${url.host}${url.pathname}`)
    throw malformed('paypal-cert-url')
  if (!/^\/v1\/notifications\/[\w/-]{1,200}$/.test(url.pathname)) throw malformed('paypal-cert-url')
  return { address: url.href, name: mode.name }
}

function assertFresh(time: string, { now, toleranceSeconds }: VerifyPayPal): void {
  const ageSeconds = Math.round((now.getTime() - Date.parse(time)) / 1000)
  if (Math.abs(ageSeconds) <= toleranceSeconds) return
  throw signatureError(
    `It was sent ${ageSeconds} s ago (tolerance ${toleranceSeconds} s): check the clock or it’s a replay`,
    'Synchronise the server’s clock (NTP), then let PayPal send the event again.',
  )
}

function malformed(header: string) {
  return signatureError(
    `Header malformed: ${header}`,
    'Check that this address belongs to PayPal’s webhook of this mode and that no proxy rewrites the header.',
  )
}
