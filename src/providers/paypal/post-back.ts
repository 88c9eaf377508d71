import { obj, str } from '../narrow.ts'
import { signatureError } from '../signatures.ts'
import type { PayPalApi } from './api.ts'

/** Delivery that PayPal is asked about: the headers of a delivery as they came, its bytes, and for which webhook they shall be. */
export interface Doubted {
  readonly id: string
  readonly time: string
  readonly signature: string
  readonly address: string
  readonly body: Uint8Array
  readonly webhookId: string
}

/** True if PayPal sent it. @throws ERR_WEBHOOK_SIGNATURE for bytes that are no JSON; another error without an answer */
export type PostBack = (doubted: Doubted) => Promise<boolean>

// Anybody can make us ask: never more than this at once.
const mostAtOnce = 2

/** Asks PayPal itself, where its certificate cannot be had.
 *  https://developer.paypal.com/docs/api/webhooks/v1/#verify-webhook-signature_post */
export const createPostBack = (api: PayPalApi): PostBack => {
  let asking = 0
  return async (doubted) => {
    const body = asked(doubted)
    if (asking >= mostAtOnce) throw new Error('PayPal is being asked about other deliveries')
    asking++
    try {
      const path = '/v1/notifications/verify-webhook-signature'
      const { raw } = await api.ask('whether it sent a webhook', { method: 'POST', path, body, reads: true })
      return str(raw.verification_status) === 'SUCCESS'
    } finally {
      asking--
    }
  }
}

/** The question with the message's bytes as they came: written anew, its checksum would be another. */
const asked = ({ id, time, signature, address, body, webhookId }: Doubted): string => {
  const text = Buffer.from(body).toString('utf8')
  // What is no object by itself could end the message and say something about another.
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

const isObject = (text: string): boolean => {
  try {
    return Object.keys(obj(JSON.parse(text))).length > 0
  } catch {
    return false
  }
}
