import { isMembershipError } from '../../core/errors.ts'
import { loadFromSite } from '../../core/package-folder.ts'
import { maxPixels, previewBytesLimit } from './limits.ts'
import { badImage, notJpeg } from './refusals.ts'

type Sharp = typeof import('sharp').default

/** A decoded picture. */
export interface Picture {
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
}

/** Loads sharp; null on a site that has not installed it. */
export async function loadSharp(): Promise<Sharp | null> {
  try {
    return loadFromSite('sharp') as Sharp
  } catch {
    // sharp is missing, or its binary for this machine is. In both cases the JPEG is processed in JavaScript.
    return null
  }
}

/**
 * Decodes a picture and encodes it again: upright, sRGB, a baseline JPEG without metadata, within the limits.
 * @throws ERR_IMAGE, ERR_NOT_JPEG
 */
export async function reencode(sharp: Sharp, bytes: Buffer, wanted: Wanted): Promise<Picture> {
  const first = await withoutCache(sharp, () => decode(sharp, bytes, wanted)).catch(refuseDamaged)
  if (first.bytes.length < previewBytesLimit) return first
  for (const step of steps) {
    const picture = await smaller(sharp, first.bytes, step)
    if (picture.bytes.length < previewBytesLimit) return picture
  }
  throw badImage('The picture does not become small enough.')
}

/** Limits of the resulting picture. */
export interface Wanted {
  readonly formats: readonly string[]
  readonly maxWidth: number
  readonly maxPixels: number
}

/** Decodes a large JPEG at half, a quarter or an eighth of its size, which is the main limit on memory. */
async function decode(sharp: Sharp, bytes: Buffer, wanted: Wanted): Promise<Picture> {
  const open = () => sharp(bytes, { failOn: 'warning', limitInputPixels: maxPixels, sequentialRead: true })
  const { format, width: across, height: down, orientation = 1 } = await open().metadata()
  if (!wanted.formats.includes(format)) throw notJpeg()
  const scale = Math.min(1, Math.sqrt(wanted.maxPixels / (across * down)))
  // From 5 on, width and height are swapped.
  const shownWidth = orientation >= 5 ? down : across
  const width = Math.max(1, Math.floor(Math.min(shownWidth * scale, wanted.maxWidth)))
  return made(
    open()
      .timeout({ seconds: 10 })
      // Applies the orientation tag before it is dropped; newer releases also call it autoOrient.
      .rotate()
      .resize({ width, withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: 85 }),
  )
}

async function made(picture: ReturnType<Sharp>): Promise<Picture> {
  const { data, info } = await picture.toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.height }
}

// libvips would keep the decoders of the last hundred pictures in memory. Its cache belongs to the whole
// process, so the host's settings are restored as soon as no picture is being decoded.
let decoding = 0
let hostsCache: { memory: number; files: number; items: number } | null = null
async function withoutCache<T>(sharp: Sharp, work: () => Promise<T>): Promise<T> {
  if (decoding === 0) {
    const { memory, files, items } = sharp.cache()
    hostsCache = { memory: memory.max, files: files.max, items: items.max }
    sharp.cache(false)
  }
  decoding += 1
  try {
    return await work()
  } finally {
    decoding -= 1
    if (decoding === 0 && hostsCache) sharp.cache(hostsCache)
  }
}

interface Step {
  readonly quality: number
  /** Width of the bounding box in pixels; its height is four times that. */
  readonly side?: number
}

// The last step always fits: 200 × 800 pixels of noise take less than 204 800 bytes.
const steps: readonly Step[] = [
  { quality: 75 },
  { quality: 60 },
  { quality: 60, side: 1000 },
  { quality: 60, side: 600 },
  { quality: 60, side: 200 },
]

// Each step starts from the smaller picture, so the large one is not decoded again.
function smaller(sharp: Sharp, bytes: Buffer, { quality, side }: Step): Promise<Picture> {
  const box = side === undefined ? {} : { width: side, height: 4 * side, fit: 'inside' as const }
  return made(
    sharp(bytes)
      .resize({ ...box, withoutEnlargement: true })
      .jpeg({ quality }),
  )
}

// sharp's own messages name its libraries instead of the remedy, so they stay in the cause.
function refuseDamaged(cause: unknown): never {
  if (isMembershipError(cause)) throw cause
  const words = cause instanceof Error ? cause.message : ''
  if (/pixel limit|image dimension/i.test(words))
    throw badImage(`The picture has more than ${maxPixels} pixels.`, cause)
  if (/timeout/i.test(words)) throw badImage('The picture takes too long to decode.', cause)
  throw badImage('The picture is damaged, truncated, or of a kind that browsers do not show.', cause)
}
