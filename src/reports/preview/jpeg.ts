import { maxScans } from './limits.ts'
import { orientationOf, orientationSegment } from './orientation.ts'
import { badImage } from './refusals.ts'
import { checkHuffman, checkQuantisation, checkScan, damaged, type Frame, frameOf } from './segments.ts'

/** The JPEG without anything but its picture, for when it cannot be decoded here: one walk over its markers, from SOI
 *  to EOI. Out go all APPn (profiles, too), comments and what trails; what says how to read the colours (JFIF, Adobe)
 *  and which side is up (EXIF orientation) is written anew. The compressed data itself is not looked into.
 *  @throws ERR_IMAGE */
export const stripJpeg = (bytes: Buffer): { bytes: Buffer; width: number; height: number } => {
  const found: Findings = {
    frame: null,
    scans: 0,
    hasQuantisation: false,
    hasHuffman: false,
    isJfif: false,
    adobe: null,
    orientation: null,
    kept: [],
  }
  let at = 2
  for (;;) {
    const marker = markerAt(bytes, at)
    if (marker.code === EOI) break
    const segment = segmentAt(bytes, marker.end)
    const payload = segment.subarray(2)
    if (isKept(marker.code)) {
      check(found, marker.code, payload)
      found.kept.push(Buffer.from([0xff, marker.code]), segment)
    } else note(found, marker.code, payload)
    at = marker.end + segment.length
    if (marker.code !== SOS) continue
    const end = endOfScan(bytes, at)
    found.kept.push(bytes.subarray(at, end))
    at = end
  }
  return assemble(found)
}

interface Findings {
  frame: Frame | null
  scans: number
  hasQuantisation: boolean
  hasHuffman: boolean
  isJfif: boolean
  adobe: Buffer | null
  orientation: number | null
  kept: Buffer[]
}

const EOI = 0xd9
const SOS = 0xda

/** The marker at that place; any number of 0xFF may fill the room before its code (B.1.1.2). */
const markerAt = (bytes: Buffer, start: number): { code: number; end: number } => {
  if (bytes[start] !== 0xff) throw damaged('something stands between its segments, or it ends early')
  let at = start
  while (bytes[at] === 0xff) at += 1
  const code = bytes[at]
  if (code === undefined) throw damaged('it ends early')
  return { code, end: at + 1 }
}

/** A segment with its two bytes of length. */
const segmentAt = (bytes: Buffer, at: number): Buffer => {
  if (at + 2 > bytes.length) throw damaged('it ends early')
  const length = bytes.readUInt16BE(at)
  if (length < 2 || at + length > bytes.length) throw damaged('a segment is longer than the file')
  return bytes.subarray(at, at + length)
}

/** Where the compressed data ends: before the first marker that is neither a stuffed zero nor a restart. */
const endOfScan = (bytes: Buffer, start: number): number => {
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

// All but APP0 to APP15 and comments.
const isKept = (code: number): boolean => (code < 0xe0 || code > 0xef) && code !== 0xfe

const check = (found: Findings, code: number, payload: Buffer): void => {
  if (code === 0xdb) {
    checkQuantisation(payload)
    found.hasQuantisation = true
  } else if (code === 0xc4) {
    checkHuffman(payload)
    found.hasHuffman = true
  } else if (code === SOS) countScan(found, payload)
  else if (code >= 0xc0 && code <= 0xcf) addFrame(found, code, payload)
  else if (code !== 0xdd || payload.length !== 2)
    throw damaged(`there is an unexpected segment ${code.toString(16)}`)
}

/** What the dropped segments say about colours and the upper side; only before the first scan, as decoders read it. */
const note = (found: Findings, code: number, payload: Buffer): void => {
  if (found.scans > 0) return
  if (code === 0xe0 && payload.toString('latin1', 0, 5) === 'JFIF\0') found.isJfif = true
  if (code === 0xe1) found.orientation ??= orientationOf(payload)
  if (code === 0xee && payload.length >= 12 && payload.toString('latin1', 0, 5) === 'Adobe')
    found.adobe = payload
}

const countScan = (found: Findings, payload: Buffer): void => {
  if (!found.frame) throw damaged('a scan comes before the frame header')
  checkScan(payload, found.frame)
  found.scans += 1
  if (found.scans > maxScans) throw badImage(`The picture has more than ${maxScans} scans.`)
}

const addFrame = (found: Findings, code: number, payload: Buffer): void => {
  // Baseline, extended, progressive. Lossless, hierarchical and arithmetic ones no browser shows.
  if (code > 0xc2) throw badImage('The picture is a JPEG of a kind that browsers do not show.')
  if (found.frame) throw damaged('it has two frame headers')
  found.frame = frameOf(payload)
}

const assemble = ({ frame, kept, ...found }: Findings) => {
  if (!frame) throw damaged('it has no frame header')
  if (found.scans === 0) throw damaged('it has no scan')
  if (!found.hasQuantisation || !found.hasHuffman) throw damaged('it has no tables')
  const orientation = found.orientation ?? 1
  const bytes = Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    found.isJfif ? jfif : Buffer.alloc(0),
    orientation === 1 ? Buffer.alloc(0) : orientationSegment(orientation),
    found.adobe ? adobeSegment(found.adobe) : Buffer.alloc(0),
    ...kept,
    Buffer.from([0xff, EOI]),
  ])
  const { width, height } = frame
  // From 5 on the picture lies on its side.
  return orientation >= 5 ? { bytes, width: height, height: width } : { bytes, width, height }
}

/** Version 1.1, square pixels, no thumbnail. */
const jfif = Buffer.from([0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0])

/** The five letters and the last byte, which names the colour transform; version and flags are not needed. */
const adobeSegment = (payload: Buffer): Buffer =>
  Buffer.from([0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, payload[11]!])
