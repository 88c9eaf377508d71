import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
// @ts-expect-error: the package brings no types
import sniff from 'html-encoding-sniffer'
import { Unreachable } from './reasons.ts'

const sniffEncoding = sniff as (
  bytes: Uint8Array,
  options: { transportLayerEncodingLabel: string | undefined; defaultEncoding: string },
) => string

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** How much of an answer is read; the rest is left. */
export interface BodyLimit {
  readonly bytes: number
}

/** The bytes of an answer, unpacked, up to the limit. @throws Unreachable `bad-encoding` */
export const readBody = async (input: {
  body: NodeJS.ReadableStream
  headers: Headers
  limit: BodyLimit
  signal: AbortSignal
}): Promise<Buffer> => {
  const { body, headers, limit, signal } = input
  const encodings = String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== 'identity')
  const isGzip = encodings.length === 1 && ['gzip', 'x-gzip'].includes(encodings[0]!)
  if (encodings.length > 0 && !isGzip) throw new Unreachable('bad-encoding')

  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of isGzip ? unpack(body, signal) : body) {
      const chunk = Buffer.isBuffer(part) ? part : Buffer.from(part)
      bytes += chunk.length
      // Counted after unpacking: a thousand bytes of gzip can be a million.
      chunks.push(chunk)
      if (bytes >= limit.bytes) break
    }
  } catch (error) {
    throw isZlib(error) ? new Unreachable('bad-encoding', { cause: error }) : error
  }
  return Buffer.concat(chunks, Math.min(bytes, limit.bytes))
}

// pipeline() closes each end when the other fails; what it reports, the reader of the stream is told as well.
const unpack = (body: NodeJS.ReadableStream, signal: AbortSignal): AsyncIterable<Buffer> => {
  const unpacked = createGunzip()
  pipeline(body, unpacked, { signal }).catch(() => undefined)
  return unpacked
}

const isZlib = (error: unknown): boolean =>
  error instanceof Error && /^Z_/.test(String((error as { code?: unknown }).code ?? ''))

/** The text of a page in whatever encoding it says to have: header, byte order mark, or `<meta charset>`.
 *  @throws Unreachable `bad-encoding` where there is no such encoding */
export const decodeHtml = (bytes: Buffer, contentType: string): string => {
  const label = /charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]
  const encoding = sniffEncoding(bytes, { transportLayerEncodingLabel: label, defaultEncoding: 'UTF-8' })
  // The web's private use encoding is read as what its pages nearly always are.
  if (encoding === 'windows-1252' || encoding === 'x-user-defined') return decodeWindows1252(bytes)
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch (error) {
    throw new Unreachable('bad-encoding', { cause: error })
  }
}

// Versions of Node's TextDecoder read windows-1252 as ISO-8859-1: quotation marks become control characters.
// Source: https://encoding.spec.whatwg.org/index-windows-1252.txt
const decodeWindows1252 = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[\u0080-\u009f]/g, (one) => c1[one.charCodeAt(0) - 0x80]!)
const c1 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

/** True for what may be a page: by its type, or without one by its first character. */
export const isHtml = (headers: Headers, bytes?: Buffer): boolean => {
  const type = String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim()
    .toLowerCase()
  if (type !== '') return type === 'text/html' || type === 'application/xhtml+xml'
  return bytes === undefined || /^[\s\uFEFF]*</.test(bytes.subarray(0, 200).toString('utf8'))
}
