import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { lazy } from '../../core/lazy.ts'
import type { Json } from '../../providers/narrow.ts'
import { toCertificate } from '../engine/certificate.ts'
import type { SignMessage } from '../engine/index.ts'

// Creating an RSA key takes time, so all fake servers of a process share one.
const keys = lazy(() => generateKeyPairSync('rsa', { modulusLength: 2048 }))

/** Path of the certificate, below PayPal's own address. */
export const certificatePath = '/v1/notifications/certs/CERT-360caa42-fca2a594-1d93a270'

/** Certificate that signs the webhooks here, as PEM. */
export const sandboxCertificate = lazy(() =>
  toCertificate(
    { name: 'messageverificationcerts.sandbox.paypal.com' },
    { publicKey: keys().publicKey, signer: keys().privateKey },
  ),
)

/**
 * Builds the headers with which PayPal posts an event. https://developer.paypal.com/api/rest/webhooks/rest/
 */
export const signMessage: SignMessage = ({ id, body }, webhookId, at) => {
  const time = `${at.toISOString().slice(0, 19)}Z`
  const signed = Buffer.from(`${id}|${time}|${webhookId}|${crc32(Buffer.from(body))}`)
  return {
    'paypal-transmission-id': id,
    'paypal-transmission-time': time,
    'paypal-transmission-sig': sign('sha256', signed, keys().privateKey).toString('base64'),
    'paypal-cert-url': `https://api.sandbox.paypal.com${certificatePath}`,
    'paypal-auth-algo': 'SHA256withRSA',
  }
}

/**
 * Returns true if the event was sent, as PayPal answers a verification request. The event's content counts,
 * in the form written here.
 */
export function isSigned(asked: Json): boolean {
  const { transmission_id, transmission_time, webhook_id, webhook_event, transmission_sig } = asked
  const checksum = crc32(Buffer.from(JSON.stringify(webhook_event)))
  const signed = Buffer.from(`${transmission_id}|${transmission_time}|${webhook_id}|${checksum}`)
  return verify('sha256', signed, keys().publicKey, Buffer.from(String(transmission_sig), 'base64'))
}
