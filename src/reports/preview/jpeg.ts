import { maxScans } from './limits.ts'
import { badImage } from './refusals.ts'
import { checkHuffman, checkQuantisation, checkScan, damaged, type Frame, frameOf } from './segments.ts'
import { EOI, SOS, walk } from './walk.ts'

/** A JPEG without the metadata of cameras and programs. */
export interface Stripped {
  readonly bytes: Buffer
  /** Size as displayed, in pixels. */
  readonly width: number
  readonly height: number
  /** Segment with the orientation; empty if the picture is stored upright. */
  readonly orientation: Buffer
  /** True if the components are red, green and blue instead of luminance and colour. */
  readonly isRgb: boolean
}

/**
 * Reduces a JPEG to its picture, and checks everything that could confuse a simple decoder. It walks the
 * markers once, from SOI to EOI. All APPn (including profiles), comments and trailing bytes are removed. The
 * segments that define the colours (JFIF, Adobe) are written anew. The compressed data is not decoded.
 * @throws ERR_IMAGE
 */
export function stripJpeg(bytes: Buffer): Stripped {
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
  for (const { code, segment, scan } of walk(bytes)) {
    const payload = segment.subarray(2)
    if (isKept(code)) {
      check(found, code, payload)
      found.kept.push(Buffer.from([0xff, code]), segment, scan)
    } else note(found, code, payload)
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

// Everything except APP0 to APP15 and comments.
function isKept(code: number): boolean {
  return (code < 0xe0 || code > 0xef) && code !== 0xfe
}

function check(found: Findings, code: number, payload: Buffer): void {
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

/**
 * Notes colours and orientation from the dropped segments. As in decoders, only those before the first scan
 * count.
 */
function note(found: Findings, code: number, payload: Buffer): void {
  if (found.scans > 0) return
  if (code === 0xe0 && payload.toString('latin1', 0, 5) === 'JFIF\0') found.isJfif = true
  if (code === 0xe1) found.orientation ??= orientationOf(payload)
  if (code === 0xee && payload.length >= 12 && payload.toString('latin1', 0, 5) === 'Adobe')
    found.adobe = payload
}

function countScan(found: Findings, payload: Buffer): void {
  if (!found.frame) throw damaged('a scan comes before the frame header')
  checkScan(payload, found.frame)
  found.scans += 1
  if (found.scans > maxScans) throw badImage(`The picture has more than ${maxScans} scans.`)
}

function addFrame(found: Findings, code: number, payload: Buffer): void {
  // Baseline, extended and progressive. Browsers do not show lossless, hierarchical and arithmetic ones.
  if (code > 0xc2) throw badImage('The picture is a JPEG of a kind that browsers do not show.')
  if (found.frame) throw damaged('it has two frame headers')
  found.frame = frameOf(payload)
}

function assemble({ frame, kept, ...found }: Findings): Stripped {
  if (!frame) throw damaged('it has no frame header')
  if (found.scans === 0) throw damaged('it has no scan')
  if (!found.hasQuantisation || !found.hasHuffman) throw damaged('it has no tables')
  const orientation = found.orientation ?? 1
  const bytes = Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    found.isJfif ? jfif : Buffer.alloc(0),
    found.adobe ? adobeSegment(found.adobe) : Buffer.alloc(0),
    ...kept,
    Buffer.from([0xff, EOI]),
  ])
  const { width, height } = frame
  // From 5 on, width and height are swapped.
  const size = orientation >= 5 ? { width: height, height: width } : { width, height }
  return {
    bytes,
    ...size,
    orientation: orientation === 1 ? Buffer.alloc(0) : orientationSegment(orientation),
    isRgb: !found.isJfif && isRgb(frame, found.adobe),
  }
}

function isRgb({ components }: Frame, adobe: Buffer | null): boolean {
  return components.length === 3 && (adobe ? adobe[11] === 0 : String.fromCharCode(...components) === 'RGB')
}

/** Inserts another segment after the JFIF segment. */
export function withSegment(bytes: Buffer, segment: Buffer): Buffer {
  const at = 2 + jfif.length
  return Buffer.concat([bytes.subarray(0, at), segment, bytes.subarray(at)])
}

/** Version 1.1, square pixels, no thumbnail. */
const jfif = Buffer.from([0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0])

/**
 * Keeps the five letters and the last byte, which names the colour transform; version and flags are not
 * needed.
 */
function adobeSegment(payload: Buffer): Buffer {
  return Buffer.from([0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, payload[11]!])
}

/** Returns the orientation tag of an EXIF payload, 1 to 8; null if it has no valid one. */
function orientationOf(payload: Buffer): number | null {
  if (payload.toString('latin1', 0, 6) !== 'Exif\0\0') return null
  const tiff = payload.subarray(6)
  const order = tiff.toString('latin1', 0, 4)
  if (tiff.length < 8 || (order !== 'II*\0' && order !== 'MM\0*')) return null
  const isLittle = order === 'II*\0'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  if (directory + 2 > tiff.length) return null
  const first = directory + 2
  const count = Math.min(short(directory), Math.floor((tiff.length - first) / entryBytes))
  for (let entry = 0; entry < count; entry += 1) {
    const at = first + entry * entryBytes
    if (short(at) !== orientationTag || short(at + 2) !== shortType) continue
    const value = short(at + 8)
    return value >= 1 && value <= 8 ? value : null
  }
  return null
}

const entryBytes = 12
const orientationTag = 0x0112
const shortType = 3

/** Builds an APP1 segment that contains only the orientation: 36 bytes. */
function orientationSegment(orientation: number): Buffer {
  return Buffer.concat([
    Buffer.from([0xff, 0xe1, 0, 34]),
    Buffer.from('Exif\0\0MM\0*', 'latin1'),
    // The first directory is at 8 and has one entry: tag, type, count, value. No further directory follows.
    Buffer.from([0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, shortType, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]),
  ])
}
