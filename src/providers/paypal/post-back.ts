import { obj, str } from '../narrow.ts'
import { signatureError } from '../signatures.ts'
import type { PayPalApi } from './api.ts'
import type { Verification } from './payload.ts'

/**
 * A delivery that PayPal is asked about: its headers as received, its bytes, and the webhook that it claims.
 */
export interface Doubted {
  readonly id: string
  readonly time: string
  readonly signature: string
  readonly address: string
  readonly body: Uint8Array
  readonly webhookId: string
}

/**
 * Returns true if PayPal sent the delivery.
 * @throws ERR_WEBHOOK_SIGNATURE for bytes that are not JSON; another error without an answer
 */
export type PostBack = (doubted: Doubted) => Promise<boolean>

// Limits simultaneous requests, because anybody can trigger them.
const mostAtOnce = 2

/**
 * Asks PayPal itself while its certificate is unavailable.
 * https://developer.paypal.com/docs/api/webhooks/v1/#verify-webhook-signature_post
 */
export function createPostBack(api: PayPalApi): PostBack {
  let asking = 0
  return async (doubted) => {
    const body = asked(doubted)
    if (asking >= mostAtOnce) throw new Error('PayPal is being asked about other deliveries')
    asking++
    try {
      const path = '/v1/notifications/verify-webhook-signature'
      const { raw } = await api.ask<Verification>('whether it sent a webhook', {
        method: 'POST',
        path,
        body,
        reads: true,
      })
      return str(raw.verification_status) === 'SUCCESS'
    } finally {
      asking--
    }
  }
}

/** Builds the request around the event's original bytes; reformatting them would change the checksum. */
function asked({ id, time, signature, address, body, webhookId }: Doubted): string {
  const text = Buffer.from(body).toString('utf8')
  // Without this check, a body that is not an object could close the event and add fields to the request.
  if (!isObject(text)) throw signatureError('The body is no JSON', 'Hand over the body’s raw bytes.')
  const question = JSON.stringify({
    auth_algo: 'SHA256withRSA',
    cert_url: address,
    transmission_id: id,
    transmission_sig: signature,
    transmission_time: time,
    webhook_id: webhookId,
  })
  return `${question.slice(0, -1)},"webhook_event":${text}}`
}

function isObject(text: string): boolean {
  try {
    return Object.keys(obj(JSON.parse(text))).length > 0
  } catch {
    return false
  }
}
