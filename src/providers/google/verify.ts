import type { JWTVerifyGetKey } from 'jose'
import { lazy } from '../../core/lazy.ts'
import type { Delivery, WebhookSecret } from '../contract.ts'
import { readHeader, signatureError } from '../signatures.ts'

/** Settings of the verification. */
export interface GoogleVerification {
  /** Address of Google's public keys. */
  readonly keys: string
  /** Service account that the push subscription signs as. */
  readonly account: string | undefined
}

const jose = lazy(() => import('jose'))

/** Google's public keys: https://developers.google.com/identity/openid-connect/openid-connect#discovery */
export const googleKeys = 'https://www.googleapis.com/oauth2/v3/certs'

const issuers = ['https://accounts.google.com', 'accounts.google.com']

/**
 * Verifies the token that Pub/Sub sends with each push: signed by Google, for one of our audiences, by the
 * service account that is configured. Anybody can have a token signed for our audience, so the account
 * decides. Google's keys are kept, and fetched again for an unknown one. Source:
 * https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 * @throws ERR_WEBHOOK_SIGNATURE; another error while Google's keys cannot be fetched
 */
export function createGoogleVerify({ keys, account }: GoogleVerification) {
  const keySet = lazy(async () => (await jose()).createRemoteJWKSet(new URL(keys), { timeoutDuration: 5000 }))
  return async (
    { headers }: Pick<Delivery, 'headers'>,
    secrets: readonly WebhookSecret[],
    now: Date,
  ): Promise<string> => {
    if (secrets.length === 0)
      throw signatureError(
        'No audience is configured',
        'Set the provider’s `webhook` to the audience of the push subscription.',
      )
    if (account === undefined)
      throw signatureError(
        'No service account is configured',
        'Set the provider’s `push_account` to the address of the service account that the push subscription uses.',
      )
    const token = /^Bearer (\S+)$/i.exec(readHeader(headers, 'authorization'))?.[1]
    if (token === undefined) throw refused('the header is no bearer token')
    const claims = await claimsOf(token, await keySet(), secrets, now)
    if (claims.email !== account || claims.email_verified !== true)
      throw refused('it is signed for another account')
    const audiences = [claims.aud].flat()
    // jose accepted one of them.
    return secrets.find(({ secret }) => audiences.includes(secret))?.label ?? ''
  }
}

async function claimsOf(
  token: string,
  keySet: JWTVerifyGetKey,
  secrets: readonly WebhookSecret[],
  now: Date,
) {
  const { errors, jwtVerify } = await jose()
  try {
    const { payload } = await jwtVerify(token, keySet, {
      algorithms: ['RS256'],
      issuer: issuers,
      audience: secrets.map(({ secret }) => secret),
      requiredClaims: ['exp', 'email'],
      clockTolerance: 60,
      currentDate: now,
    })
    return payload
  } catch (cause) {
    // Of these, Google's keys are to blame, or the way to them; the sender is not.
    const isOurs = !(cause instanceof errors.JOSEError) || unavailable.has(cause.code)
    if (isOurs) throw cause
    throw refused(cause.message)
  }
}

const unavailable: ReadonlySet<string> = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID'])

function refused(reason: string) {
  return signatureError(
    `It is no push of this Pub/Sub subscription: ${reason}`,
    'Compare the audience and the service account of the push subscription with `webhook` and `push_account`.',
  )
}
