import type { Delivery } from '../contract.ts'
import { bodyScheme, type HmacScheme, standardWebhooksScheme } from '../signatures.ts'

/** The hash of the body, keyed with the whole secret; `sha256=` may stand before it.
 *  Source: https://docs.creem.io/code/webhooks */
export const creemScheme = bodyScheme({ header: 'creem-signature', prefix: 'sha256=' })

const ofOlderProxies = bodyScheme({ header: 'x-creem-signature', prefix: 'sha256=' })

const standard = standardWebhooksScheme()

/** Which of Creem's signatures a delivery carries: the one that signs its time goes before those that do not. What it
 *  carries has to hold; nothing is tried in its place. */
export const schemeOf = ({ headers }: Pick<Delivery, 'headers'>): HmacScheme => {
  if (headers['webhook-signature'] !== undefined) return standard
  const isOlder = headers['creem-signature'] === undefined && headers['x-creem-signature'] !== undefined
  return isOlder ? ofOlderProxies : creemScheme
}
