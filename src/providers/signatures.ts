import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { MembershipError } from '../core/errors.ts'
import type { Delivery, Provider, WebhookSecret } from './contract.ts'

/** Headers of a delivery, as the host received them. */
export type Headers = Delivery['headers']

/** Claim of a signed request: the text signed before the body, the signatures, and the time. */
export interface Claim {
  readonly prefix: string
  readonly signatures: readonly Buffer[]
  /** null if the provider signs no time. */
  readonly timestampSeconds: number | null
}

/** The signed text of a provider, and its headers. {@link verifyHmac} does everything else. */
export interface HmacScheme {
  readonly algorithm: 'sha256' | 'sha1'
  /** Returns the key bytes of a configured secret; an empty key counts as no secret. */
  toKey(secret: string): Buffer
  /** Returns other possible keys of a configured secret, tried afterwards. */
  otherKeys?(secret: string): readonly Buffer[]
  /** @throws ERR_WEBHOOK_SIGNATURE when a header is missing or malformed */
  claim(headers: Headers): Claim
  /** Returns the headers that carry `hash(prefix)`; the counterpart of `claim`. */
  write(hash: (prefix: string) => Buffer, body: Buffer, timestampSeconds: number): Record<string, string>
}

/** Delivery to verify, its secrets, and the current time. */
export interface VerifyHmac {
  readonly delivery: Delivery
  readonly secrets: readonly WebhookSecret[]
  readonly now: Date
  /** Largest difference between the signed time and `now`; null disables the check. */
  readonly toleranceSeconds: number | null
}

/**
 * Verifies the raw bytes against every secret, and returns the label of the matching one.
 * @throws ERR_WEBHOOK_SIGNATURE with a reason that contains neither secret nor signature
 */
export function verifyHmac(
  scheme: HmacScheme,
  { delivery, secrets, now, toleranceSeconds }: VerifyHmac,
): string {
  const keys = secrets
    .flatMap(({ label, secret }) =>
      [scheme.toKey(secret), ...(scheme.otherKeys?.(secret) ?? [])].map((key) => ({ label, key })),
    )
    .filter(({ key }) => key.length > 0)
  if (keys.length === 0) {
    throw signatureError(
      'No webhook secret is configured',
      'Set the provider’s `webhook` to its signing secret.',
    )
  }
  const claim = scheme.claim(delivery.headers)
  const match = keys.find(({ key }) => {
    const hash = hashBody(scheme, key, claim.prefix, delivery.body)
    return claim.signatures.some((signature) => isEqual(signature, hash))
  })
  if (match === undefined) {
    throw signatureError(
      'No configured secret made this signature (wrong secret, or the body was changed by a parser before it was verified)',
      'Compare the secret with the one the provider shows for this endpoint; hand over the body’s raw bytes.',
    )
  }
  // Checked after the match, so that only authentic requests learn the reason.
  assertFresh(claim.timestampSeconds, now, toleranceSeconds)
  return match.label
}

/** Returns the headers that make `body` pass {@link verifyHmac}. */
export function signHmac(
  scheme: HmacScheme,
  body: Buffer,
  secret: string,
  now: Date,
): Record<string, string> {
  const key = scheme.toKey(secret)
  return scheme.write((prefix) => hashBody(scheme, key, prefix, body), body, Math.floor(now.getTime() / 1000))
}

/** Verifies and signs deliveries by one scheme; a tolerance of null ignores their time. */
export function hmacMethods(
  scheme: HmacScheme | ((delivery: Delivery) => HmacScheme),
  toleranceSeconds: number | null,
): Required<Pick<Provider, 'verify' | 'sign'>> {
  const schemeOf = typeof scheme === 'function' ? scheme : () => scheme
  return {
    verify: (delivery, secrets, now) =>
      verifyHmac(schemeOf(delivery), { delivery, secrets, now, toleranceSeconds }),
    sign: (body, secret, now) => signHmac(schemeOf({ body, headers: {} }), body, secret, now),
  }
}

/** One header of `key=value` pairs with a time and one or more hex signatures: Stripe, Paddle. */
export function timestampedScheme(options: {
  readonly header: string
  /** Separator of the pairs. */
  readonly separator: string
  readonly timeKey: string
  readonly signatureKey: string
  /** Separator of time and body in the signed text. */
  readonly joiner: string
}): HmacScheme {
  return {
    algorithm: 'sha256',
    toKey: (secret) => Buffer.from(secret, 'utf8'),
    claim(headers) {
      const times: string[] = []
      const signatures: Buffer[] = []
      for (const pair of readHeader(headers, options.header).split(options.separator)) {
        const at = pair.indexOf('=')
        const key = pair.slice(0, Math.max(at, 0)).trim()
        const value = pair.slice(at + 1).trim()
        if (key === options.timeKey) times.push(value)
        const signature = key === options.signatureKey ? decodeHex(value) : null
        if (signature !== null) signatures.push(signature)
      }
      const [time, ...otherTimes] = times
      if (time === undefined || otherTimes.length > 0 || signatures.length === 0)
        throw malformed(options.header)
      return {
        // The original text is used: a reformatted number could differ from what was signed.
        prefix: `${time}${options.joiner}`,
        signatures,
        timestampSeconds: readSeconds(time, options.header),
      }
    },
    write: (hash, _body, seconds) => ({
      [options.header]: [
        `${options.timeKey}=${seconds}`,
        `${options.signatureKey}=${hash(`${seconds}${options.joiner}`).toString('hex')}`,
      ].join(options.separator),
    }),
  }
}

/**
 * Three headers and a base64 signature over `id.timestamp.body`: Standard Webhooks, Svix. Source:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function standardWebhooksScheme(
  options: { readonly prefix?: string; readonly toKey?: (secret: string) => Buffer } = {},
): HmacScheme {
  const prefix = options.prefix ?? 'webhook'
  const [idHeader, timeHeader, signatureHeader] = [
    `${prefix}-id`,
    `${prefix}-timestamp`,
    `${prefix}-signature`,
  ]
  return {
    algorithm: 'sha256',
    toKey: options.toKey ?? ((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')),
    claim(headers) {
      const id = readHeader(headers, idHeader)
      const time = readHeader(headers, timeHeader)
      const signatures = readHeader(headers, signatureHeader)
        .split(' ')
        .flatMap((part) => (part.startsWith('v1,') ? (decodeBase64(part.slice(3)) ?? []) : []))
      if (signatures.length === 0) throw malformed(signatureHeader)
      return { prefix: `${id}.${time}.`, signatures, timestampSeconds: readSeconds(time, timeHeader) }
    },
    write(hash, body, seconds) {
      const id = `msg_${createHash('sha256').update(body).digest('hex').slice(0, 24)}`
      return {
        [idHeader]: id,
        [timeHeader]: String(seconds),
        [signatureHeader]: `v1,${hash(`${id}.${seconds}.`).toString('base64')}`,
      }
    },
  }
}

/** One header with a signature of the body alone: Lemon Squeezy, Creem, Mollie, GitHub, FastSpring. */
export function bodyScheme(options: {
  readonly header: string
  readonly encoding?: 'hex' | 'base64'
  /** Written before the signature; optional when reading. */
  readonly prefix?: string
}): HmacScheme {
  const { header, encoding = 'hex', prefix = '' } = options
  return {
    algorithm: 'sha256',
    toKey: (secret) => Buffer.from(secret, 'utf8'),
    claim(headers) {
      const text = readHeader(headers, header).trim()
      const bare = text.startsWith(prefix) ? text.slice(prefix.length) : text
      const signature = encoding === 'hex' ? decodeHex(bare) : decodeBase64(bare)
      if (signature === null) throw malformed(header)
      return { prefix: '', signatures: [signature], timestampSeconds: null }
    },
    write: (hash) => ({ [header]: `${prefix}${hash('').toString(encoding)}` }),
  }
}

/** Builds the error of every failed verification. Keep secrets and signatures out of `message`. */
export function signatureError(message: string, action: string): MembershipError {
  return new MembershipError('ERR_WEBHOOK_SIGNATURE', message, { action })
}

/** Returns a header that the signature needs. @throws ERR_WEBHOOK_SIGNATURE when it is missing */
export function readHeader(headers: Headers, name: string): string {
  const value = headers[name]
  const text = Array.isArray(value) ? value.join(',') : value
  if (!text) {
    throw signatureError(
      `Header missing: ${name}`,
      'Only the provider’s own deliveries belong here; check that a proxy lets the header through.',
    )
  }
  return text
}

/** Compares in constant time, so that timing does not reveal where two values differ. */
export function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

function malformed(header: string): MembershipError {
  return signatureError(
    `Header malformed: ${header}`,
    'Check that this address belongs to this provider and that no proxy rewrites the header.',
  )
}

function hashBody(scheme: HmacScheme, key: Buffer, prefix: string, body: Buffer): Buffer {
  return createHmac(scheme.algorithm, key).update(prefix, 'utf8').update(body).digest()
}

function readSeconds(text: string, header: string): number {
  if (!/^\d{1,12}$/.test(text)) throw malformed(header)
  return Number(text)
}

function decodeHex(text: string): Buffer | null {
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : null
}

function decodeBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null
}

function assertFresh(timestampSeconds: number | null, now: Date, toleranceSeconds: number | null): void {
  if (timestampSeconds === null || toleranceSeconds === null) return
  const ageSeconds = Math.floor(now.getTime() / 1000) - timestampSeconds
  if (Math.abs(ageSeconds) <= toleranceSeconds) return
  const age = ageSeconds > 0 ? `${ageSeconds} s old` : `${-ageSeconds} s in the future`
  throw signatureError(
    `The timestamp is ${age} (tolerance ${toleranceSeconds} s): check the clock or it’s a replay`,
    'Synchronise the server’s clock (NTP), then let the provider send the event again.',
  )
}

/**
 * Returns the headers of a delivery.
 * @throws ERR_PROVIDER_UNSUPPORTED when a secret is not enough to make one
 */
export function signDelivery(
  provider: Pick<Provider, 'key' | 'sign'>,
  body: Buffer,
  secret: string,
  now: Date,
): Record<string, string> {
  if (provider.sign) return provider.sign(body, secret, now)
  throw new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    `Only ${provider.key} itself can make deliveries that verify.`,
    { action: `Let ${provider.key} send a test event from its dashboard.` },
  )
}
