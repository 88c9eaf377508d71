import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { lazy } from '../lazy.ts'

/** A new id with 144 random bits. It never begins with `-`, so that no command takes it for an option. */
export function randomId(): string {
  const id = randomBytes(18).toString('base64url')
  return id.startsWith('-') ? randomId() : id
}

/** Signs values that a browser stores and returns. */
export interface Tokens {
  /** Creates a compact JWS for one purpose. `claims` must not be secret. */
  sign(purpose: string, claims: Record<string, string>, ttlSeconds: number): Promise<string>
  /** Returns the claims; null when the token is not ours, has another purpose, or has expired. */
  verify(purpose: string, token: string): Promise<Record<string, unknown> | null>
  /** The form token of one browser. It never changes, and is worthless in another browser. */
  formToken(browserId: string): string
  isFormToken(browserId: string, token: unknown): boolean
  /** Signs a purchase's id. The signature is valid as long as the secret. */
  signIntent(id: string): string
  isSignedIntent(text: string): boolean
  /** Signs the random id of a browser that counts free pages. */
  signVisitor(id: string): string
  /** Returns the id; null when the text is not signed by us. */
  visitorOf(text: string): string | null
  /** Signs the content of a link to a file. */
  signFile(content: object): string
  /** Returns the content; null when the text is not signed by us. */
  fileOf(text: string): unknown
  /** The unguessable tokens that follow from a stored seed: one for each secret, the newest first. */
  feedTokens(seed: string): readonly string[]
  /** A keyed hash: nobody without the secret can find the value by trying. */
  mark(value: string): string
}

// These forty files are needed for a site's first session, not for its start.
const jose = lazy(() => import('jose'))

/** The first secret signs. Signatures of any listed secret are valid, so that secrets can be replaced. */
export function createTokens(secrets: readonly string[], now: () => Date): Tokens {
  // Each use has keys of its own.
  const keysFor = (use: string) => secrets.map((secret) => createHmac('sha256', secret).update(use).digest())
  const signing = keysFor('tokens')
  const forms = keysFor('forms')
  const intents = keysFor('intents')
  const visitors = keysFor('visitors')
  const files = keysFor('files')
  const feeds = keysFor('feeds')
  const hashed = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('base64url')
  const signedVisitors = (id: string) => visitors.map((key) => `${id}.${tagOf(key, id)}`)
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
          // It may be signed with another key.
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
    signVisitor: (id) => signedVisitors(id)[0]!,
    visitorOf: (text) => {
      const id = text.split('.')[0]!
      return signedVisitors(id).some((signed) => equal(text, signed)) ? id : null
    },
    signFile: (content) => {
      const text = Buffer.from(JSON.stringify(content)).toString('base64url')
      return `${text}.${hashed(files[0]!, text)}`
    },
    fileOf: (signed) => {
      const [text = '', tag = ''] = signed.split('.')
      if (!files.some((key) => equal(tag, hashed(key, text)))) return null
      return JSON.parse(Buffer.from(text, 'base64url').toString())
    },
    feedTokens: (seed) => feeds.map((key) => hashed(key, seed)),
    mark: (value) => hashed(feeds[0]!, value),
  }
}

/** A hash that may be stored in place of an unguessable value. */
export function fingerprint(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}

// Half the hash is enough against guessing, and short enough for every provider's field.
function tagOf(key: Buffer, id: string): string {
  return createHmac('sha256', key).update(id).digest().subarray(0, 16).toString('base64url')
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * Hashes parts under our own keys, so that nobody can read them back. The newest secret's hash comes first. Equal parts
 * have equal hashes.
 */
export type Marker = (...parts: readonly string[]) => readonly string[]

/**
 * Creates a marker for one use. `secrets` are read with the first mark. Marks of an older secret are found while it is
 * listed.
 */
export function createMarker(secrets: () => readonly string[], use: string): Marker {
  let keys: readonly Buffer[] | null = null
  return (...parts) => {
    keys ??= secrets().map((secret) => createHmac('sha256', secret).update(use).digest())
    const text = JSON.stringify(parts)
    return keys.map((key) => createHmac('sha256', key).update(text).digest('base64url'))
  }
}
