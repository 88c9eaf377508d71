import { pipeline } from 'node:stream/promises'
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from 'node:zlib'
// @ts-expect-error: the package brings no types
import sniff from 'html-encoding-sniffer'
import { Unreachable } from './reasons.ts'

const sniffEncoding = sniff as (
  bytes: Uint8Array,
  options: { transportLayerEncodingLabel: string | undefined; defaultEncoding: string },
) => string

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Limits of reading an answer; the rest is not read. */
export interface BodyLimit {
  readonly bytes: number
  /** Reads on if the limit falls into the page's head, and keeps the end of the head. Default: false. */
  readonly readsHeadTail?: boolean
}

/** Decompressed bytes of an answer. */
export interface ReadBody {
  readonly bytes: Buffer
  /** True if more may follow. */
  readonly isCut: boolean
  /** End of a head that continues beyond the limit; empty if there is none. */
  readonly headTail: Buffer
}

/** Bytes kept of the end of a head, and most bytes searched for it. */
const headTailBytes = 65_536
const mostHeadBytes = 8 * 1_048_576

/** Reads and decompresses an answer, up to the limit. @throws Unreachable `bad-encoding` */
export async function readBody(input: {
  body: NodeJS.ReadableStream
  headers: Headers
  limit: BodyLimit
  signal: AbortSignal
}): Promise<ReadBody> {
  const { body, headers, limit, signal } = input
  const encoding = encodingOf(headers)
  try {
    if (encoding === null) return await firstBytes(body as AsyncIterable<Buffer>, limit)
    const packed = await readPacked(body as AsyncIterable<Buffer>)
    const unpacker = unpackers[encoding](packed.bytes)
    const whole = packed.rest === null ? unpackAtOnce(packed.bytes, unpacker, limit.bytes) : null
    return whole
      ? { bytes: whole, isCut: false, headTail: nothing }
      : await firstBytes(unpack(partsOf(packed), unpacker, signal), limit)
  } catch (error) {
    throw isZlib(error) ? new Unreachable('bad-encoding', { cause: error }) : error
  }
}

const nothing = Buffer.alloc(0)

interface Unpacker {
  readonly atOnce: (packed: Buffer, options: { maxOutputLength: number }) => Buffer
  readonly stream: () => NodeJS.ReadWriteStream
}

// Only gzip is asked for. Servers that send the others anyway work in browsers.
const gzip: Unpacker = { atOnce: gunzipSync, stream: createGunzip }
const unpackers: Readonly<Record<'gzip' | 'br' | 'deflate', (begin: Buffer) => Unpacker>> = {
  gzip: () => gzip,
  br: () => ({ atOnce: brotliDecompressSync, stream: createBrotliDecompress }),
  // Some servers leave out the zlib header. Source: RFC 9110, section 8.4.1.2; RFC 1950, section 2.2.
  deflate: (begin) =>
    (begin[0]! & 0x0f) === 8 && begin.readUInt16BE(0) % 31 === 0
      ? { atOnce: inflateSync, stream: createInflate }
      : { atOnce: inflateRawSync, stream: createInflateRaw },
}

/** @throws Unreachable `bad-encoding` for several encodings, or one that Node 20 cannot read */
function encodingOf(headers: Headers): keyof typeof unpackers | null {
  const named = String(headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().replace(/^x-/, ''))
    // Other words, such as `none` or `utf-8`, are mistakes that browsers ignore.
    .filter((part) => part in unpackers || unreadable.has(part))
  const [first] = named
  if (first === undefined) return null
  if (named.length > 1 || unreadable.has(first)) throw new Unreachable('bad-encoding')
  return first as keyof typeof unpackers
}
const unreadable: ReadonlySet<string> = new Set(['compress', 'zstd', 'dcb', 'dcz'])

async function firstBytes(stream: AsyncIterable<Buffer>, limit: BodyLimit): Promise<ReadBody> {
  const parts = stream[Symbol.asyncIterator]()
  const chunks: Buffer[] = []
  let length = 0
  try {
    while (length < limit.bytes) {
      const { done, value } = await parts.next()
      if (done) return { bytes: Buffer.concat(chunks), isCut: false, headTail: nothing }
      chunks.push(value)
      length += value.length
    }
    const all = Buffer.concat(chunks)
    const bytes = all.subarray(0, limit.bytes)
    const readsOn = limit.readsHeadTail === true && findHeadEnd(bytes) < 0
    return {
      bytes,
      isCut: true,
      headTail: readsOn ? await endOfHead(all.subarray(limit.bytes), parts) : nothing,
    }
  } finally {
    await parts.return?.()
  }
}

/** Reads on until the head ends. A failure here leaves the part read before unchanged. */
async function endOfHead(rest: Buffer, parts: AsyncIterator<Buffer>): Promise<Buffer> {
  let recent = rest
  try {
    for (let length = rest.length; length < mostHeadBytes; ) {
      const end = findHeadEnd(recent)
      if (end >= 0) return recent.subarray(Math.max(0, end - headTailBytes), end)
      const { done, value } = await parts.next()
      if (done) break
      length += value.length
      recent = Buffer.concat([recent.subarray(-headTailBytes), value])
    }
  } catch {
    return nothing
  }
  return recent.subarray(-headTailBytes)
}

function findHeadEnd(bytes: Buffer): number {
  return bytes.toString('latin1').search(/<\/head\b|<body\b/i)
}

interface Packed {
  readonly bytes: Buffer
  /** Unread rest; null if there is nothing more. */
  readonly rest: AsyncIterator<Buffer> | null
}

// Nearly every page is shorter than this when compressed. A stream costs four times as much as the
// decompression itself.
const smallBytes = 65_536

async function readPacked(body: AsyncIterable<Buffer>): Promise<Packed> {
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

// The limit counts decompressed bytes, because a thousand bytes of gzip can expand to a million. Returns null
// above it.
function unpackAtOnce(packed: Buffer, { atOnce }: Unpacker, maxOutputLength: number): Buffer | null {
  try {
    return atOnce(packed, { maxOutputLength })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') return null
    throw error
  }
}

// pipeline() closes each end if the other fails. The reader of the stream gets its errors as well.
function unpack(
  body: AsyncIterable<Buffer>,
  { stream }: Unpacker,
  signal: AbortSignal,
): AsyncIterable<Buffer> {
  const unpacked = stream()
  pipeline(body, unpacked, { signal }).catch(() => undefined)
  return unpacked as AsyncIterable<unknown> as AsyncIterable<Buffer>
}

function isZlib(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(?:Z_|ERR_.*BROTLI|ERR__ERROR)/.test(String((error as { code?: unknown }).code ?? ''))
  )
}

/**
 * Decodes a page by its declared encoding: header, byte order mark or `<meta charset>`. For a part of a page,
 * `begin` contains the declaration.
 * @throws Unreachable `bad-encoding` for an unknown encoding
 */
export function decodeHtml(bytes: Buffer, contentType: string, begin = bytes): string {
  const label = /charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]
  const encoding = sniffEncoding(begin, { transportLayerEncodingLabel: label, defaultEncoding: 'UTF-8' })
  // Pages with the web's private use encoding are nearly always windows-1252.
  if (encoding === 'windows-1252' || encoding === 'x-user-defined') return decodeWindows1252(bytes)
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch (error) {
    throw new Unreachable('bad-encoding', { cause: error })
  }
}

// Some versions of Node's TextDecoder read windows-1252 as ISO-8859-1, which turns quotation marks into
// control characters. Source: https://encoding.spec.whatwg.org/index-windows-1252.txt
function decodeWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\u0080-\u009f]/g, (sign) => c1[sign.charCodeAt(0) - 0x80]!)
}
const c1 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

/**
 * Returns the content type that counts: the last one of several, which keeps the charset of an equal one
 * before it. Source: Fetch Standard, "extract a MIME type".
 */
export function contentTypeOf(headers: Headers): string {
  const types = String(headers['content-type'] ?? '')
    .split(',')
    .map((type) => type.trim())
    .filter((type) => /^[^\s/;]+\/[^\s/;]+/.test(type))
  const essence = (type: string) => type.split(';')[0]!.trim().toLowerCase()
  const last = types.at(-1) ?? ''
  return types.findLast((type) => essence(type) === essence(last) && /charset\s*=/i.test(type)) ?? last
}

/** Returns true for what may be a page, by its type or, without one, by its first character. */
export function isHtml(headers: Headers, bytes?: Buffer): boolean {
  const type = contentTypeOf(headers).split(';')[0]!.trim().toLowerCase()
  if (type !== '') return type === 'text/html' || type === 'application/xhtml+xml'
  return bytes === undefined || /^[\s\uFEFF]*</.test(bytes.subarray(0, 200).toString('utf8'))
}
