import { damaged } from './segments.ts'

/** One segment of a JPEG. */
export interface Segment {
  /** Second byte of its marker. */
  readonly code: number
  /** Payload including the two length bytes. */
  readonly segment: Buffer
  /** Compressed data that follows; empty unless this is a scan header. */
  readonly scan: Buffer
}

/** Marker that ends a picture. */
export const EOI = 0xd9
/** Marker of a scan header. */
export const SOS = 0xda

/**
 * Yields the segments of a JPEG from SOI to EOI; the compressed data is not decoded.
 * @throws ERR_IMAGE for bytes that are no segment
 */
export function* walk(bytes: Buffer): Generator<Segment> {
  for (let at = 2; ; ) {
    const { code, end } = markerAt(bytes, at)
    if (code === EOI) return
    const segment = segmentAt(bytes, end)
    at = end + segment.length
    const next = code === SOS ? endOfScan(bytes, at) : at
    yield { code, segment, scan: bytes.subarray(at, next) }
    at = next
  }
}

/** Reads the marker at that place. Any number of 0xFF bytes may precede its code (B.1.1.2). */
function markerAt(bytes: Buffer, start: number): { code: number; end: number } {
  if (bytes[start] !== 0xff) throw damaged('something stands between its segments, or it ends early')
  let at = start
  while (bytes[at] === 0xff) at += 1
  const code = bytes[at]
  if (code === undefined) throw damaged('it ends early')
  return { code, end: at + 1 }
}

function segmentAt(bytes: Buffer, at: number): Buffer {
  if (at + 2 > bytes.length) throw damaged('it ends early')
  const length = bytes.readUInt16BE(at)
  if (length < 2 || at + length > bytes.length) throw damaged('a segment is longer than the file')
  return bytes.subarray(at, at + length)
}

/** Finds the end of the compressed data: the first marker that is neither a stuffed zero nor a restart. */
function endOfScan(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(0xff, start)
  while (at !== -1) {
    let next = at + 1
    while (bytes[next] === 0xff) next += 1
    const code = bytes[next]
    if (code === undefined) break
    if (code !== 0 && (code < 0xd0 || code > 0xd7)) {
      if (at === start) throw damaged('a scan is empty')
      return at
    }
    at = bytes.indexOf(0xff, next + 1)
  }
  throw damaged('it ends early')
}
