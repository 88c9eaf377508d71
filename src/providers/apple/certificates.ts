import { X509Certificate } from 'node:crypto'

/** Verifies the certificates of a signature, and returns the key that signed. */
export type VerifyChain = (x5c: unknown, signedAt: Date) => X509Certificate

/**
 * Checks the certificates of the App Store's signatures as Apple's own library does: exactly three, the
 * second signed by the root that is configured here, the first signed by the second, each valid when the data
 * was signed, and both marked by Apple as certificates of the App Store. The third one of the header is not
 * used: only a root of our own proves anything. Source:
 * https://developer.apple.com/documentation/appstoreservernotifications/x5c and
 * https://github.com/apple/app-store-server-library-node, `jws_verification.ts`
 * @throws Error with the reason
 */
export function chainVerifier(rootPem: string): VerifyChain {
  const root = new X509Certificate(rootPem)
  return (x5c, signedAt) => {
    const [leaf, intermediate] = parsedChain(x5c)
    if (!isIssuedBy(intermediate, root)) throw new Error('the certificates do not lead to Apple’s root')
    if (!isIssuedBy(leaf, intermediate)) throw new Error('the first certificate has another issuer')
    if (!hasExtension(leaf, leafMark))
      throw new Error('the first certificate does not sign for the App Store')
    if (!hasExtension(intermediate, intermediateMark))
      throw new Error('the second certificate is no authority of Apple’s developer services')
    for (const certificate of [leaf, intermediate, root])
      if (!wasValid(certificate, signedAt)) throw new Error('a certificate was not valid when it was signed')
    return leaf
  }
}

// 1.2.840.113635.100.6.11.1 and 1.2.840.113635.100.6.2.1, as DER writes them:
// https://images.apple.com/certificateauthority/pdf/Apple_WWDR_CPS_v1.31.pdf
const leafMark = Buffer.from('2a864886f76364060b01', 'hex')
const intermediateMark = Buffer.from('2a864886f76364060201', 'hex')

function parsedChain(x5c: unknown): readonly [leaf: X509Certificate, intermediate: X509Certificate] {
  if (!Array.isArray(x5c) || x5c.length !== 3) throw new Error('it has no chain of three certificates')
  const [leaf, intermediate] = x5c.slice(0, 2).map(toCertificate)
  return [leaf!, intermediate!]
}

function toCertificate(text: unknown): X509Certificate {
  if (typeof text !== 'string') throw new Error('a certificate is no text')
  return new X509Certificate(Buffer.from(text, 'base64'))
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.issuer === issuer.subject && certificate.verify(issuer.publicKey)
}

// Apple's library allows for clocks that differ by a minute.
const skewMs = 60_000

function wasValid({ validFrom, validTo }: X509Certificate, at: Date): boolean {
  return Date.parse(validFrom) <= at.getTime() + skewMs && Date.parse(validTo) >= at.getTime() - skewMs
}

/**
 * Looks for an extension by its identifier. Node does not show the extensions of a certificate, so the DER is
 * walked: https://www.rfc-editor.org/rfc/rfc5280#section-4.1
 */
function hasExtension({ raw }: X509Certificate, id: Buffer): boolean {
  const [whole] = elementsOf(raw)
  const [content] = elementsOf(whole?.content)
  const wrapped = elementsOf(content?.content).find(({ tag }) => tag === extensionsTag)
  const [extensions] = elementsOf(wrapped?.content)
  return elementsOf(extensions?.content).some(({ content }) => elementsOf(content)[0]?.content.equals(id))
}

const extensionsTag = 0xa3

interface Element {
  readonly tag: number
  readonly content: Buffer
}

function elementsOf(der: Buffer = Buffer.alloc(0)): Element[] {
  const elements: Element[] = []
  for (let at = 0; at + 2 <= der.length; ) {
    const tag = der[at]!
    const short = der[at + 1]!
    const more = short < 0x80 ? 0 : short & 0x7f
    const length = more === 0 ? short : der.readUIntBE(at + 2, more)
    const begin = at + 2 + more
    elements.push({ tag, content: der.subarray(begin, begin + length) })
    at = begin + length
  }
  return elements
}

/**
 * Apple Root CA - G3, which signs the App Store's certificates, valid until 30 April 2039. Source:
 * https://www.apple.com/certificateauthority/AppleRootCA-G3.cer. SHA-256 fingerprint:
 * 63:34:3A:BF:B8:9A:6A:03:EB:B5:7E:9B:3F:5F:A7:BE:7C:4F:5C:75:6F:30:17:B3:A8:C4:88:C3:65:3E:91:79
 */
export const appleRoot = `-----BEGIN CERTIFICATE-----
MIICQzCCAcmgAwIBAgIILcX8iNLFS5UwCgYIKoZIzj0EAwMwZzEbMBkGA1UEAwwSQXBwbGUgUm9v
dCBDQSAtIEczMSYwJAYDVQQLDB1BcHBsZSBDZXJ0aWZpY2F0aW9uIEF1dGhvcml0eTETMBEGA1UE
CgwKQXBwbGUgSW5jLjELMAkGA1UEBhMCVVMwHhcNMTQwNDMwMTgxOTA2WhcNMzkwNDMwMTgxOTA2
WjBnMRswGQYDVQQDDBJBcHBsZSBSb290IENBIC0gRzMxJjAkBgNVBAsMHUFwcGxlIENlcnRpZmlj
YXRpb24gQXV0aG9yaXR5MRMwEQYDVQQKDApBcHBsZSBJbmMuMQswCQYDVQQGEwJVUzB2MBAGByqG
SM49AgEGBSuBBAAiA2IABJjpLz1AcqTtkyJygRMc3RCV8cWjTnHcFBbZDuWmBSp3ZHtfTjjTuxxE
tX/1H7YyYl3J6YRbTzBPEVoA/VhYDKX1DyxNB0cTddqXl5dvMVztK517IDvYuVTZXpmkOlEKMaNC
MEAwHQYDVR0OBBYEFLuw3qFYM4iapIqZ3r6966/ayySrMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0P
AQH/BAQDAgEGMAoGCCqGSM49BAMDA2gAMGUCMQCD6cHEFl4aXTQY2e3v9GwOAEZLuN+yRhHFD/3m
eoyhpmvOwgPUnPWTxnS4at+qIxUCMG1mihDK1A3UT82NQz60imOlM27jbdoXt2QfyFMm+YhidDkL
F1vLUagM6BgD56KyKA==
-----END CERTIFICATE-----
`
