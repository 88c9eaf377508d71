import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { lazy } from '../lazy.ts'

export { createMarker, type Marker } from './marker.ts'

/** Signs what leaves for a browser and comes back. */
export interface Tokens {
  /** A compact JWS for one purpose; `claims` must not be secret. */
  sign(purpose: string, claims: Record<string, string>, ttlSeconds: number): Promise<string>
  /** The claims, or null when the token is not ours, of another purpose, or too old. */
  verify(purpose: string, token: string): Promise<Record<string, unknown> | null>
  /** The form token of one browser: the same for its whole life, worthless in another. */
  formToken(browserId: string): string
  isFormToken(browserId: string, token: unknown): boolean
  /** The id of a purchase with a signature that stays good as long as the secret. */
  signIntent(id: string): string
  isSignedIntent(text: string): boolean
}

// Forty files that a site needs with its first session, not to start.
const jose = lazy(() => import('jose'))

/** The first secret signs; what any of them signed is still good, so that secrets can be replaced. */
export const createTokens = (secrets: readonly string[], now: () => Date): Tokens => {
  // Keys for different uses never meet.
  const keysFor = (use: string) => secrets.map((secret) => createHmac('sha256', secret).update(use).digest())
  const signing = keysFor('tokens')
  const forms = keysFor('forms')
  const intents = keysFor('intents')
  const signedIntents = (id: string) => intents.map((key) => `${id}.${tagOf(key, id)}`)
  const formTokens = (browserId: string) =>
    forms.map((key) => createHmac('sha256', key).update(browserId).digest('base64url'))
  return {
    sign: async (purpose, claims, ttlSeconds) => {
      const { SignJWT } = await jose()
      const issued = Math.floor(now().getTime() / 1000)
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(purpose)
        .setIssuedAt(issued)
        .setExpirationTime(issued + ttlSeconds)
        .sign(signing[0]!)
    },
    verify: async (purpose, token) => {
      const { jwtVerify } = await jose()
      for (const key of signing)
        try {
          const { payload } = await jwtVerify(token, key, {
            audience: purpose,
            algorithms: ['HS256'],
            currentDate: now(),
          })
          return payload
        } catch {
          // Another key's, perhaps.
        }
      return null
    },
    formToken: (browserId) => formTokens(browserId)[0]!,
    isFormToken: (browserId, token) =>
      typeof token === 'string' &&
      formTokens(browserId).some((knownFormToken) => equal(token, knownFormToken)),
    signIntent: (id) => signedIntents(id)[0]!,
    isSignedIntent: (text) =>
      signedIntents(text.split('.')[0]!).some((signedIntent) => equal(text, signedIntent)),
  }
}

/** The part of an unguessable value that may be stored. */
export const fingerprint = (value: string): string => createHash('sha256').update(value).digest('base64url')

// Half of it is enough against guessing, and short enough for every provider's field.
const tagOf = (key: Buffer, id: string): string =>
  createHmac('sha256', key).update(id).digest().subarray(0, 16).toString('base64url')

const equal = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
