import { isMembershipError } from '../../core/errors.ts'
import type { Delivery, Provider, WebhookSecret } from '../contract.ts'
import {
  isEqual,
  readHeader,
  signatureError,
  signHmac,
  timestampedScheme,
  verifyHmac,
} from '../signatures.ts'

const signatureHeader = 'x-revenuecat-webhook-signature'

/**
 * Signs the time and the body with the integration's signing secret: `t=1712345678,v1=…` over `{t}.{body}`.
 * Source: https://www.revenuecat.com/docs/integrations/webhooks (Security)
 */
export const revenuecatScheme = timestampedScheme({
  header: signatureHeader,
  separator: ',',
  timeKey: 't',
  signatureKey: 'v1',
  joiner: '.',
})

/**
 * Accepts a signature, or the `Authorization` header that the integration was given in RevenueCat's
 * dashboard. An integration may send both while the site knows only one.
 */
export function revenuecatMethods(toleranceSeconds: number): Required<Pick<Provider, 'verify' | 'sign'>> {
  return {
    verify: (delivery, secrets, now) => {
      if (delivery.headers[signatureHeader] === undefined) return authorized(delivery, secrets)
      try {
        return verifyHmac(revenuecatScheme, { delivery, secrets, now, toleranceSeconds })
      } catch (error) {
        if (!isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE')) throw error
        if (delivery.headers.authorization === undefined) throw error
        return authorized(delivery, secrets)
      }
    },
    sign: (body, secret, now) => signHmac(revenuecatScheme, body, secret, now),
  }
}

/** Compares the header with every secret, as it stands and as a bearer token, in constant time. */
function authorized({ headers }: Delivery, secrets: readonly WebhookSecret[]): string {
  const known = secrets.filter(({ secret }) => secret !== '')
  if (known.length === 0)
    throw signatureError(
      'No webhook secret is configured',
      'Set membership.providers.revenuecat.webhook to the Authorization header or the signing secret of the integration.',
    )
  const sent = Buffer.from(readHeader(headers, 'authorization'), 'utf8')
  const match = known.find(({ secret }) => {
    const forms = [secret, `Bearer ${secret}`].map((form) => isEqual(sent, Buffer.from(form, 'utf8')))
    return forms.includes(true)
  })
  if (match !== undefined) return match.label
  throw signatureError(
    'The Authorization header is none of the configured secrets',
    'Compare it with the Authorization header of the integration in RevenueCat’s dashboard (Integrations, Webhooks).',
  )
}
