import type { Delivery, Trust, WebhookSecret } from '../contract.ts'
import { bodyScheme, verifyHmac } from '../signatures.ts'

/**
 * `sha256=…` over the body; only next-gen webhooks are signed. Source:
 * https://docs.mollie.com/reference/webhooks-new
 */
export const mollieScheme = bodyScheme({ header: 'x-mollie-signature', prefix: 'sha256=' })

/** Classic webhooks name an object and prove nothing: https://docs.mollie.com/reference/webhooks */
export function mollieTrust({ headers }: Pick<Delivery, 'headers'>): Exclude<Trust, 'credentials'> {
  return headers['x-mollie-signature'] === undefined ? 'ping' : 'body'
}

/** Returns the label of the secret that signed; a ping has none. @throws ERR_WEBHOOK_SIGNATURE */
export function verifyMollie(delivery: Delivery, secrets: readonly WebhookSecret[], now: Date): string {
  return mollieTrust(delivery) === 'ping'
    ? ''
    : verifyHmac(mollieScheme, { delivery, secrets, now, toleranceSeconds: null })
}
