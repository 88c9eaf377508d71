import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { lazy } from '../../core/lazy.ts'
import { toCertificate, type WantedCertificate } from '../engine/certificate.ts'

/** Marks of Apple's certificates, as DER: https://www.apple.com/certificateauthority/ */
export const marks = { leaf: '2a864886f76364060b01', intermediate: '2a864886f76364060201' }

/** Differences from a sound chain, to make signatures that must be refused. */
export interface ChainOptions {
  readonly root?: Partial<WantedCertificate>
  readonly intermediate?: Partial<WantedCertificate>
  readonly leaf?: Partial<WantedCertificate>
  /** Signs the intermediate certificate in the root's place. */
  readonly rootSigner?: KeyObject
  /** Signs the leaf in the intermediate certificate's place. */
  readonly intermediateSigner?: KeyObject
  /** Changes the header's list of certificates, each DER in base64. */
  x5c?(chain: readonly string[]): unknown
}

/** A root of one's own, with all that is needed to sign as the App Store does. */
export interface StoreSigner {
  /** Root certificate as PEM. */
  readonly root: string
  /** Signs a payload as a compact JWS. */
  sign(payload: object, options?: SignOptions): string
}

/** Differences from a sound signature. */
export interface SignOptions {
  readonly header?: Readonly<Record<string, unknown>>
  readonly key?: KeyObject
}

const keys = lazy(() => ({ root: newKey(), intermediate: newKey(), leaf: newKey() }))

function newKey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/**
 * Creates a chain of three certificates under a root of its own. Every chain of a process uses the same keys,
 * so that a changed certificate is the only difference between two.
 */
export function createSigner(options: ChainOptions = {}): StoreSigner {
  const { root, intermediate, leaf } = keys()
  const certificates = {
    root: toCertificate(
      { name: 'Root of the tests', issuer: 'Root of the tests', isAuthority: true, ...options.root },
      { publicKey: root.publicKey, signer: root.privateKey },
    ),
    intermediate: toCertificate(
      {
        name: 'Intermediate of the tests',
        issuer: 'Root of the tests',
        isAuthority: true,
        marks: [marks.intermediate],
        ...options.intermediate,
      },
      { publicKey: intermediate.publicKey, signer: options.rootSigner ?? root.privateKey },
    ),
    leaf: toCertificate(
      {
        name: 'App Store of the tests',
        issuer: 'Intermediate of the tests',
        marks: [marks.leaf],
        ...options.leaf,
      },
      { publicKey: leaf.publicKey, signer: options.intermediateSigner ?? intermediate.privateKey },
    ),
  }
  const chain = [certificates.leaf, certificates.intermediate, certificates.root].map((pem) =>
    new X509Certificate(pem).raw.toString('base64'),
  )
  const x5c = options.x5c?.(chain) ?? chain
  return {
    root: certificates.root,
    sign: (payload, { header, key = leaf.privateKey } = {}) =>
      signJws(payload, { alg: 'ES256', x5c, ...header }, key),
  }
}

/** Signs a compact JWS. https://www.rfc-editor.org/rfc/rfc7518#section-3.4 */
function signJws(payload: object, header: object, key: KeyObject): string {
  const signed = [header, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

/** Creates an in-app purchase key, as the .p8 file has it. */
export const newApiKey = lazy(() => newKey().privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
