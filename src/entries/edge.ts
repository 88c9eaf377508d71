import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { FeatureId, GateId } from '../core/register.ts'

// This entry runs in workerd, Deno, Bun and edge functions. It imports jose alone, and nothing of Node.

/** The site whose passes are accepted. */
export interface PassOptions {
  /** `membership.url` of the site. It is fixed here and never taken from a request. */
  readonly issuer: string
  /** `membership.pass.audience` of the site. Default: the issuer. */
  readonly audience?: string
  /**
   * The address of the public keys. Default: `/membership/jwks.json` of the issuer. A worker in front of the
   * site names the address at which it reaches the site itself.
   */
  readonly jwks?: string
}

/** A member, as a pass describes them: at most five minutes old. */
export interface Pass {
  readonly memberId: string
  /** Open plans, and names granted by hand. */
  readonly gates: readonly string[]
  readonly features: readonly string[]
  /** Tells the member's sessions apart; null where the site has a login of its own. */
  readonly sessionId: string | null
  readonly expiresAt: Date
  /** True if the plan or feature is open, or one of several. */
  allows(gate: GateId | FeatureId | readonly (GateId | FeatureId)[]): boolean
}

/** A request, its headers, or the token itself. */
export type PassSource = Request | Headers | string

/**
 * Reads the pass of a request: `Authorization: Bearer …`, else the cookie `membership_pass`. Returns null for a visitor
 * without a pass, and for one that is forged, expired, or made for another site.
 * @throws when the site's keys cannot be fetched: then nobody's pass can be checked
 */
export async function readPass(source: PassSource, options: PassOptions): Promise<Pass | null> {
  const issuer = trimmed(options.issuer)
  const token = typeof source === 'string' ? source : tokenIn(headersOf(source), issuer)
  if (token === null) return null
  try {
    const { payload } = await jwtVerify(token, keysAt(options.jwks ?? `${issuer}/membership/jwks.json`), {
      issuer,
      audience: options.audience ?? issuer,
      typ: 'membership-pass+jwt',
      algorithms: ['EdDSA'],
      requiredClaims: ['sub', 'exp'],
      maxTokenAge: longestSeconds,
      clockTolerance: toleranceSeconds,
    })
    if (payload.exp! - payload.iat! > longestSeconds) return null
    // The tolerance is for clocks behind the site's. It does not make a pass last longer than its five minutes.
    if (payload.exp! <= Date.now() / 1000) return null
    return toPass(payload)
  } catch (error) {
    if (isRefusal(error)) return null
    throw error
  }
}

/** Options of `requirePass`. */
export interface RequiredPass extends PassOptions {
  /** A plan or feature, or several of which one has to be open. Without it every member passes. */
  readonly gate?: GateId | FeatureId | readonly (GateId | FeatureId)[]
}

/**
 * Returns the visitor's pass, or the answer for a visitor who may not enter. A browser is sent to the site for a pass,
 * by way of the login where needed, and comes back. A member without the gate is sent to the prices. A program gets 401
 * or 403, and everybody 503 while the site's keys cannot be fetched.
 *
 *     const pass = await requirePass(request, { issuer: 'https://example.com', gate: 'pro' })
 *     if (pass instanceof Response) return pass
 */
export async function requirePass(request: Request, options: RequiredPass): Promise<Pass | Response> {
  let pass: Pass | null
  try {
    pass = await readPass(request, options)
  } catch {
    return problem(503, 'The site’s keys could not be fetched.', { 'Retry-After': '5' })
  }
  if (pass !== null && (options.gate === undefined || pass.allows(options.gate))) return pass
  const opensPage = request.method === 'GET' && (request.headers.get('Accept') ?? '').includes('text/html')
  if (!opensPage)
    return pass === null
      ? problem(401, 'Please log in first.', { 'WWW-Authenticate': 'Bearer' })
      : problem(403, 'Your membership does not include this.')
  const { pathname, search } = new URL(request.url)
  const page = pass === null ? 'pass' : 'prices'
  const query = new URLSearchParams({ redirect: pathname + search })
  return new Response(null, {
    status: 303,
    headers: { ...unshared, Location: `${trimmed(options.issuer)}/membership/${page}?${query}` },
  })
}

const longestSeconds = 300
const toleranceSeconds = 5
const unshared = { 'Cache-Control': 'private, no-store' }

// Keys are fetched once and kept, and fetched again for a key that is unknown, at most every thirty seconds.
const keySets = new Map<string, JWTVerifyGetKey>()

function keysAt(address: string): JWTVerifyGetKey {
  const known = keySets.get(address)
  if (known) return known
  const keys = createRemoteJWKSet(new URL(address), { timeoutDuration: 5000 })
  keySets.set(address, keys)
  return keys
}

function headersOf(source: Request | Headers): Headers {
  return source instanceof Headers ? source : source.headers
}

function tokenIn(headers: Headers, issuer: string): string | null {
  const bearer = /^Bearer +([\w.-]+)$/i.exec(headers.get('Authorization') ?? '')
  if (bearer) return bearer[1]!
  // Over https the site uses a name that no other host of the domain can set.
  const names = cookiePrefixes(issuer).map((prefix) => `${prefix}membership_pass=`)
  const cookies = (headers.get('Cookie') ?? '').split(';').map((cookie) => cookie.trim())
  return (
    names.flatMap((name) =>
      cookies.filter((cookie) => cookie.startsWith(name)).map((cookie) => cookie.slice(name.length)),
    )[0] ?? null
  )
}

/** A site below a path cannot have that name, because its cookies have a path. */
function cookiePrefixes(issuer: string): readonly string[] {
  const { protocol, pathname } = new URL(issuer)
  if (protocol !== 'https:') return ['']
  return pathname === '/' ? ['__Host-'] : ['__Secure-', '__Host-']
}

function toPass(payload: Readonly<Record<string, unknown>>): Pass {
  const gates = textsOf(payload.gates)
  const features = textsOf(payload.features)
  const open = new Set([...gates, ...features])
  return {
    memberId: String(payload.sub),
    gates,
    features,
    sessionId: typeof payload.sid === 'string' ? payload.sid : null,
    expiresAt: new Date(Number(payload.exp) * 1000),
    allows: (gate) => [gate].flat().some((name) => open.has(name)),
  }
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** True for a token that is not acceptable, false for keys that could not be asked for. */
function isRefusal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^ERR_(JWT|JWS|JOSE_ALG|JOSE_NOT|JWKS_NO|JWKS_MULTIPLE)/.test(code)
}

function problem(status: number, title: string, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ type: 'about:blank', title, status }), {
    status,
    headers: { ...unshared, ...headers, 'Content-Type': 'application/problem+json' },
  })
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '')
}
