/** Reasons why a website could not be read, as partners see them. */
export const reasons = [
  'dns',
  'refused',
  'connect-timeout',
  'tls-expired',
  'tls-name',
  'tls-untrusted',
  'headers-timeout',
  'body-timeout',
  'too-large',
  'bad-encoding',
  'bad-headers',
  'too-many-redirects',
  'redirect-not-allowed',
  'http-3xx',
  'http-4xx',
  'http-5xx',
  'not-html',
  'robots-disallowed',
  'rate-limited',
] as const
/** One of {@link reasons}. */
export type Reason = (typeof reasons)[number]

const beforeHttp: ReadonlySet<Reason> = new Set([
  'refused',
  'connect-timeout',
  'tls-expired',
  'tls-name',
  'tls-untrusted',
])

/** A website that could not be read. Callers turn it into a problem document or a state. */
export class Unreachable extends Error {
  readonly reason: Reason
  readonly httpStatus: number | undefined
  readonly retryAfterSeconds: number | undefined
  /** True if the name does not exist at all; false if a name server did not answer. */
  readonly isUnknownName: boolean

  /** True if no connection was made, so that nothing was requested. */
  get isBeforeHttp(): boolean {
    return beforeHttp.has(this.reason)
  }

  constructor(
    reason: Reason,
    details: {
      httpStatus?: number
      retryAfterSeconds?: number
      isUnknownName?: boolean
      cause?: unknown
    } = {},
  ) {
    super(`the site could not be read: ${reason}`, { cause: details.cause })
    this.name = 'Unreachable'
    this.reason = reason
    this.httpStatus = details.httpStatus
    this.retryAfterSeconds = details.retryAfterSeconds
    this.isUnknownName = details.isUnknownName ?? false
  }
}

/** Translates a network or TLS error; `phase` is how far the request got. */
export function toUnreachable(error: unknown, phase: 'connect' | 'headers' | 'body'): Unreachable {
  if (error instanceof Unreachable) return error
  const codes = codesOf(error)
  const found = codes.map((code) => byCode[code]).find((reason) => reason !== undefined)
  if (found) return new Unreachable(found, { cause: error })
  if (codes.some((code) => /^(ERR_TLS|ERR_SSL|UNABLE_TO|DEPTH_|SELF_SIGNED|CERT_|EPROTO)/.test(code)))
    return new Unreachable('tls-untrusted', { cause: error })
  if (codes.some((code) => /^(TimeoutError|AbortError|UND_ERR_ABORTED)$/.test(code)))
    return new Unreachable(phase === 'connect' ? 'connect-timeout' : `${phase}-timeout`, { cause: error })
  if (isMalformedHeader(error)) return new Unreachable('bad-headers', { cause: error })
  // The body was cut off, or the answer is not HTTP.
  if (phase === 'body' || codes.some((code) => /^(HPE_|HTTPParserError)/.test(code)))
    return new Unreachable('bad-encoding', { cause: error })
  return new Unreachable('refused', { cause: error })
}

const byCode: Readonly<Record<string, Reason>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ENODATA: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'refused',
  ENETUNREACH: 'refused',
  ETIMEDOUT: 'connect-timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect-timeout',
  UND_ERR_HEADERS_TIMEOUT: 'headers-timeout',
  UND_ERR_BODY_TIMEOUT: 'body-timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too-large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'bad-encoding',
  HPE_HEADER_OVERFLOW: 'too-large',
  CERT_HAS_EXPIRED: 'tls-expired',
  CERT_NOT_YET_VALID: 'tls-expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-name',
}

// undici has no code for it, only the words of llhttp: "Invalid header token", "Missing expected CR after header value".
function isMalformedHeader(error: unknown): boolean {
  return error instanceof Error && error.name === 'HTTPParserError' && /\bheader\b/i.test(error.message)
}

function codesOf(error: unknown): string[] {
  const codes: string[] = []
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    codes.push(String((at as { code?: unknown }).code ?? ''), at.name)
  return codes
}
