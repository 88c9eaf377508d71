import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'
import { lazy } from '../lazy.ts'

/** The content of a pass: a member, and what is open to them. Nothing in it is secret. */
export interface PassContent {
  readonly issuer: string
  readonly audience: string
  readonly memberId: string
  /** Plans, and names that were granted by hand. */
  readonly gates: readonly string[]
  readonly features: readonly string[]
  /** Tells sessions apart; null where the host site logs people in. */
  readonly sessionId: string | null
  readonly expiresAt: Date
}

/** A public key as RFC 8037 writes it. */
export interface PassKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly kid: string
  readonly alg: 'EdDSA'
  readonly use: 'sig'
}

/** Signs passes that any runtime can check with the public keys alone. */
export interface Passes {
  /** Creates a JWT of the type `membership-pass+jwt`, signed with the key of this month. */
  sign(content: PassContent): Promise<string>
  /** The keys of the last, this and the next month, so that a copy is right for a month at least. */
  keys(): Promise<readonly PassKey[]>
}

const epochMs = 30 * 86_400_000

// RFC 8410 writes an Ed25519 key as these bytes and its 32 byte seed.
const pkcs8OfEd25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

const jose = lazy(() => import('jose'))

/**
 * Keys follow from the site's secrets and the month (30 days). Every process and machine therefore signs with the same
 * key, nothing is stored, and a new secret brings new keys. The first secret signs; keys of every secret are published.
 */
export function createPasses(secrets: () => readonly string[], now: () => Date): Passes {
  const made = new Map<string, Promise<SigningKey>>()
  const keyOf = (secret: number, epoch: number): Promise<SigningKey> => {
    const name = `${secret} ${epoch}`
    const known = made.get(name)
    if (known) return known
    const key = createSigningKey(secrets()[secret]!, epoch)
    made.set(name, key)
    return key
  }
  const epochNow = () => Math.floor(now().getTime() / epochMs)

  return {
    sign: async ({ issuer, audience, memberId, gates, features, sessionId, expiresAt }) => {
      const { SignJWT } = await jose()
      const { privateKey, published } = await keyOf(0, epochNow())
      return new SignJWT({ gates, features, ...(sessionId === null ? {} : { sid: sessionId }) })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'membership-pass+jwt', kid: published.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(memberId)
        .setIssuedAt(Math.floor(now().getTime() / 1000))
        .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
        .sign(privateKey)
    },
    keys: async () => {
      const epoch = epochNow()
      const keys = secrets().flatMap((_, secret) => [0, 1, -1].map((step) => keyOf(secret, epoch + step)))
      return (await Promise.all(keys)).map(({ published }) => published)
    },
  }
}

interface SigningKey {
  readonly privateKey: KeyObject
  readonly published: PassKey
}

async function createSigningKey(secret: string, epoch: number): Promise<SigningKey> {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', `membership pass ${epoch}`, 32))
  const privateKey = createPrivateKey({
    key: Buffer.concat([pkcs8OfEd25519, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' }) as { x: string }
  const { calculateJwkThumbprint } = await jose()
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x })
  return { privateKey, published: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } }
}
