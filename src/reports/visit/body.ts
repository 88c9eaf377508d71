import { pipeline } from 'node:stream/promises'
import { createGunzip, gunzipSync } from 'node:zlib'
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

  try {
    if (!isGzip) return await firstBytes(body as AsyncIterable<Buffer>, limit.bytes)
    const packed = await readPacked(body as AsyncIterable<Buffer>)
    const whole = packed.rest === null ? unpackAtOnce(packed.bytes, limit.bytes) : null
    return whole ?? (await firstBytes(unpack(partsOf(packed), signal), limit.bytes))
  } catch (error) {
    throw isZlib(error) ? new Unreachable('bad-encoding', { cause: error }) : error
  }
}

const firstBytes = async (parts: AsyncIterable<Buffer>, limit: number): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of parts) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= limit) break
  }
  return Buffer.concat(chunks, Math.min(bytes, limit))
}

interface Packed {
  readonly bytes: Buffer
  /** What was not read yet; null where there is nothing more. */
  readonly rest: AsyncIterator<Buffer> | null
}

// Nearly every page is as short as this, packed. A stream costs four times what unpacking itself does.
const smallBytes = 65_536

const readPacked = async (body: AsyncIterable<Buffer>): Promise<Packed> => {
  const rest = body[Symbol.asyncIterator]()
  const chunks: Buffer[] = []
  for (let bytes = 0; bytes < smallBytes; bytes += chunks.at(-1)!.length) {
    const { done, value } = await rest.next()
    if (done) return { bytes: Buffer.concat(chunks), rest: null }
    chunks.push(value)
  }
  return { bytes: Buffer.concat(chunks), rest }
}

async function* partsOf({ bytes, rest }: Packed): AsyncGenerator<Buffer> {
  yield bytes
  for (let next = await rest?.next(); next && !next.done; next = await rest?.next()) yield next.value
}

// Counted after unpacking: a thousand bytes of gzip can be a million. null for what is longer than the limit.
const unpackAtOnce = (packed: Buffer, maxOutputLength: number): Buffer | null => {
  try {
    return gunzipSync(packed, { maxOutputLength })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') return null
    throw error
  }
}

// pipeline() closes each end when the other fails; what it reports, the reader of the stream is told as well.
const unpack = (body: AsyncIterable<Buffer>, signal: AbortSignal): AsyncIterable<Buffer> => {
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
