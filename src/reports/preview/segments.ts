import { maxPixels } from './limits.ts'
import { badImage, tooManyPixels } from './refusals.ts'

/** Facts of a picture from its JPEG header. */
export interface Frame {
  readonly width: number
  readonly height: number
  /** Ids of its colour components. */
  readonly components: readonly number[]
}

/**
 * Reads the payload of a frame header (ITU-T T.81, B.2.2).
 * @throws ERR_IMAGE when a browser could not show it, or when it has too many pixels
 */
export function frameOf(payload: Buffer): Frame {
  const count = payload[5] ?? 0
  if (payload.length !== 6 + 3 * count || ![1, 3, 4].includes(count)) throw damaged('its frame header')
  if (payload[0] !== 8) throw badImage(`The picture has ${payload[0]} bits per sample; browsers show 8.`)
  const height = payload.readUInt16BE(1)
  const width = payload.readUInt16BE(3)
  if (width === 0 || height === 0) throw badImage('The picture is empty: its width or height is 0.')
  if (width * height > maxPixels) throw tooManyPixels(width, height)
  const components = Array.from({ length: count }, (_, index) => {
    const at = 6 + 3 * index
    if (!isSampling(payload[at + 1]!) || payload[at + 2]! > 3) throw damaged('its frame header')
    return payload[at]!
  })
  if (new Set(components).size !== count) throw damaged('its frame header')
  return { width, height, components }
}

function isSampling(byte: number): boolean {
  return [byte >> 4, byte & 15].every((n) => n >= 1 && n <= 4)
}

/**
 * Checks a scan header against its frame (B.2.3).
 * @throws ERR_IMAGE
 */
export function checkScan(payload: Buffer, frame: Frame): void {
  const count = payload[0] ?? 0
  if (count < 1 || count > frame.components.length || payload.length !== 4 + 2 * count)
    throw damaged('a scan header')
  for (let index = 0; index < count; index += 1)
    if (!frame.components.includes(payload[1 + 2 * index]!)) throw damaged('a scan header')
}

/**
 * Checks that a payload contains only quantisation tables (B.2.4.1).
 * @throws ERR_IMAGE
 */
export function checkQuantisation(payload: Buffer): void {
  let at = 0
  while (at < payload.length) {
    const head = payload[at]!
    if (head >> 4 > 1 || (head & 15) > 3) throw damaged('a quantisation table')
    at += 1 + 64 * (1 + (head >> 4))
  }
  if (at !== payload.length || at === 0) throw damaged('a quantisation table')
}

/**
 * Checks that a payload contains only Huffman tables (B.2.4.2).
 * @throws ERR_IMAGE
 */
export function checkHuffman(payload: Buffer): void {
  let at = 0
  while (at < payload.length) {
    const head = payload[at]!
    const codes = payload.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0)
    if (head >> 4 > 1 || (head & 15) > 3 || codes > 256) throw damaged('a Huffman table')
    at += 17 + codes
  }
  if (at !== payload.length || at === 0) throw damaged('a Huffman table')
}

/** Builds the error of a JPEG with a damaged part. */
export function damaged(part: string) {
  return badImage(`The picture is damaged or truncated: ${part}.`)
}
