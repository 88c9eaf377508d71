import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { lazy } from '../../core/lazy.ts'

/** The signing certificate, then each issuer. */
export type Chain = readonly X509Certificate[]

// PayPal serves two or three.
const mostCertificates = 6

/** Parses PEM certificates. @throws Error when there is none, there are too many, or one cannot be parsed */
export function readChain(pem: string): Chain {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (texts.length === 0 || texts.length > mostCertificates) throw new Error('no chain of certificates')
  return texts.map((text) => new X509Certificate(text))
}

/**
 * Returns why the chain is not valid for `host` now; null if it is. It checks the name, the dates, and that
 * the first certificate is no authority. Each must be issued and signed by the next, and the last by a root
 * that Node knows, if Node knows one of that name. It does not check revocation, key usage, or name and
 * length constraints, which node:crypto cannot. An issuer that is neither served nor a known root is accepted
 * by its name. TLS protects this case: the chain came from PayPal's own host.
 */
export function faultOf(chain: Chain, host: string, now: Date): string | null {
  const [leaf] = chain
  if (leaf?.checkHost(host, { subject: 'never', wildcards: false }) === undefined)
    return 'is for another name'
  if (leaf.ca) return 'is an authority’s'
  if (leaf.publicKey.asymmetricKeyType !== 'rsa') return 'holds another kind of key'
  if (!chain.every((x509Certificate) => isCurrent(x509Certificate, now))) return 'is not valid at this time'
  return isJoined(chain) ? null : 'is not issued by its named issuer'
}

// The result never changes, and searching the roots costs ten times as much as verifying an event's
// signature.
const judged = new WeakMap<Chain, boolean>()

function isJoined(chain: Chain): boolean {
  const known = judged.get(chain)
  if (known !== undefined) return known
  const found = chain.every((x509Certificate, n) => {
    const issuer = chain[n + 1]
    return issuer === undefined ? endsWell(x509Certificate) : isIssuedBy(x509Certificate, issuer)
  })
  judged.set(chain, found)
  return found
}

function isCurrent({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo)
}

function isIssuedBy(x509Certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && x509Certificate.checkIssued(issuer) && x509Certificate.verify(issuer.publicKey)
}

/**
 * Checks the end of a chain. A known root with the issuer's name must have signed it; a self-issued
 * certificate must be a known root.
 */
function endsWell(last: X509Certificate): boolean {
  const named = roots().filter((root) => last.checkIssued(root))
  return named.length > 0 ? named.some((root) => last.verify(root.publicKey)) : !last.checkIssued(last)
}

// Parsed with the first delivery: most sites never need them.
const roots = lazy(() => rootCertificates.map((pem) => new X509Certificate(pem)))
