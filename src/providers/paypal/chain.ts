import { X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { lazy } from '../../core/lazy.ts'

/** The certificate that signs, then who issued each. */
export type Chain = readonly X509Certificate[]

// PayPal serves two or three.
const mostCertificates = 6

/** Reads certificates written as PEM. @throws Error when there is none, too many, or one cannot be read */
export const readChain = (pem: string): Chain => {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (texts.length === 0 || texts.length > mostCertificates) throw new Error('no chain of certificates')
  return texts.map((text) => new X509Certificate(text))
}

/**
 * Why this chain does not speak for `host` now; null when it does. Looked at: the name, the dates, that the first is no
 * authority, that each is issued and signed by the next, and the last by a root that Node knows, where it knows one of
 * that name. Not looked at, because node:crypto has no words for it: revocation, key usages, constraints of names and
 * lengths; and an issuer that is neither served nor a known root is taken by its name. What vouches then is TLS: the
 * chain came from PayPal's own host.
 */
export const faultOf = (chain: Chain, host: string, now: Date): string | null => {
  const [leaf] = chain
  if (leaf?.checkHost(host, { subject: 'never', wildcards: false }) === undefined)
    return 'is for another name'
  if (leaf.ca) return 'is an authority’s'
  if (leaf.publicKey.asymmetricKeyType !== 'rsa') return 'holds another kind of key'
  if (!chain.every((x509Certificate) => isCurrent(x509Certificate, now))) return 'is not valid at this time'
  return isJoined(chain) ? null : 'is not issued by its named issuer'
}

// Whoever issued what does not change, and the search through the roots costs ten times the signature of a message.
const judged = new WeakMap<Chain, boolean>()

const isJoined = (chain: Chain): boolean => {
  const known = judged.get(chain)
  if (known !== undefined) return known
  const found = chain.every((x509Certificate, n) => {
    const issuer = chain[n + 1]
    return issuer === undefined ? endsWell(x509Certificate) : isIssuedBy(x509Certificate, issuer)
  })
  judged.set(chain, found)
  return found
}

const isCurrent = ({ validFrom, validTo }: X509Certificate, now: Date): boolean =>
  Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo)

const isIssuedBy = (x509Certificate: X509Certificate, issuer: X509Certificate): boolean =>
  issuer.ca && x509Certificate.checkIssued(issuer) && x509Certificate.verify(issuer.publicKey)

/** The last of a chain is signed by a known root, if one has its issuer's name; one that issued itself must be known. */
const endsWell = (last: X509Certificate): boolean => {
  const named = roots().filter((root) => last.checkIssued(root))
  return named.length > 0 ? named.some((root) => last.verify(root.publicKey)) : !last.checkIssued(last)
}

// Parsed with the first delivery: most sites never need them.
const roots = lazy(() => rootCertificates.map((pem) => new X509Certificate(pem)))
