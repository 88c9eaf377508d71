import { createHash, type KeyObject, sign } from 'node:crypto'

// The part of X.509 that a parser needs: https://www.rfc-editor.org/rfc/rfc5280#section-4.1

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
function seq(...parts: readonly Buffer[]) {
  return der(0x30, ...parts)
}
function oid(hex: string) {
  return der(0x06, Buffer.from(hex, 'hex'))
}
const sha256WithRsa = seq(oid('2a864886f70d01010b'), der(0x05))
const sha256WithEcdsa = seq(oid('2a8648ce3d040302'))
function nameOf(name: string) {
  return seq(der(0x31, seq(oid('550403'), der(0x0c, Buffer.from(name)))))
}
function moment(iso: string) {
  return der(0x18, Buffer.from(`${iso.replaceAll(/[-:T]/g, '').slice(0, 14)}Z`))
}
function bits(bytes: Buffer) {
  return der(0x03, Buffer.from([0]), bytes)
}

/** Subject, issuer and validity of a certificate. */
export interface WantedCertificate {
  readonly name: string
  readonly issuer?: string
  readonly isAuthority?: boolean
  readonly from?: string
  readonly to?: string
  /** Further extensions by their identifier as DER, in hexadecimal; each is empty. */
  readonly marks?: readonly string[]
}

/** Builds the PEM certificate of a key. */
export function toCertificate(
  {
    name,
    issuer = 'An authority',
    isAuthority = false,
    from = '2016-01-01T00:00:00',
    to = '2049-12-31T00:00:00',
    marks = [],
  }: WantedCertificate,
  { publicKey, signer }: { readonly publicKey: KeyObject; readonly signer: KeyObject },
): string {
  const basics = seq(oid('551d13'), der(0x04, isAuthority ? seq(der(0x01, Buffer.from([255]))) : seq()))
  const names = seq(oid('551d11'), der(0x04, seq(der(0x82, Buffer.from(name)))))
  const marked = marks.map((mark) => seq(oid(mark), der(0x04, der(0x05))))
  const algorithm = signer.asymmetricKeyType === 'ec' ? sha256WithEcdsa : sha256WithRsa
  const serial = createHash('sha256').update(`${name}${from}${isAuthority}`).digest().subarray(0, 8)
  serial[0] = 1
  const content = seq(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    nameOf(issuer),
    seq(moment(from), moment(to)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, seq(basics, names, ...marked)),
  )
  const whole = seq(content, algorithm, bits(sign('sha256', content, signer)))
  const lines = whole
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}
