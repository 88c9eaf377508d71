import type { Delivery } from '../contract.ts'
import { bodyScheme, type HmacScheme, standardWebhooksScheme } from '../signatures.ts'

/**
 * Signs the body with the whole secret as the key; `sha256=` may precede the hash. Source:
 * https://docs.creem.io/code/webhooks
 */
export const creemScheme = bodyScheme({ header: 'creem-signature', prefix: 'sha256=' })

const ofOlderProxies = bodyScheme({ header: 'x-creem-signature', prefix: 'sha256=' })

const standard = standardWebhooksScheme()

/**
 * Chooses the signature of a delivery. The one that includes the time has priority, and it must be valid; no
 * other is tried instead.
 */
export function schemeOf({ headers }: Pick<Delivery, 'headers'>): HmacScheme {
  if (headers['webhook-signature'] !== undefined) return standard
  const isOlder = headers['creem-signature'] === undefined && headers['x-creem-signature'] !== undefined
  return isOlder ? ofOlderProxies : creemScheme
}
