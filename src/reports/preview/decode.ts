import { maxPixels, previewBytesLimit } from './limits.ts'
import { badImage, notJpeg } from './refusals.ts'

type Sharp = typeof import('sharp').default

export interface Picture {
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
}

/** sharp, or null on a site that has not installed it. */
export const loadSharp = async (): Promise<Sharp | null> => {
  try {
    return (await import('sharp')).default
  } catch {
    // Not there, or there without the binary for this machine: either way the file is taken apart instead.
    return null
  }
}

/** The picture decoded and encoded anew: upright, sRGB, a baseline JPEG without metadata that fits the limit.
 *  @throws ERR_IMAGE, ERR_NOT_JPEG */
export const reencode = async (sharp: Sharp, bytes: Buffer, maxWidth?: number): Promise<Picture> => {
  const input = open(sharp, bytes)
  const { format } = await input.metadata().catch(refuseDamaged)
  // "uhdr" is a JPEG with a second picture for bright screens, which is left out below.
  const formats: string[] = ['jpeg', 'uhdr', ...(maxWidth === undefined ? [] : ['png', 'webp'])]
  if (!formats.includes(format)) throw notJpeg()
  for (const step of steps) {
    const picture = await encode(input, step, maxWidth).catch(refuseDamaged)
    if (picture.bytes.length < previewBytesLimit) return picture
  }
  throw badImage('The picture does not become small enough.')
}

const open = (sharp: Sharp, bytes: Buffer) =>
  sharp(bytes, { failOn: 'warning', limitInputPixels: maxPixels }).timeout({ seconds: 10 })

interface Step {
  readonly quality: number
  /** The box: as wide, four times as high, in pixels. */
  readonly side?: number
}

// From what nobody sees to what always fits: 200 × 800 pixels of noise take less than 204 800 bytes.
const steps: readonly Step[] = [
  { quality: 85 },
  { quality: 75 },
  { quality: 60 },
  { quality: 60, side: 1600 },
  { quality: 60, side: 1000 },
  { quality: 60, side: 600 },
  { quality: 60, side: 200 },
]

const encode = async (
  input: ReturnType<Sharp>,
  { quality, side }: Step,
  maxWidth?: number,
): Promise<Picture> => {
  const width = Math.min(side ?? maxWidth ?? Infinity, maxWidth ?? Infinity)
  const box =
    width === Infinity
      ? {}
      : { width, height: side === undefined ? undefined : 4 * side, fit: 'inside' as const }
  const { data, info } = await input
    .clone()
    // By the orientation tag, before it is dropped; newer releases also call it autoOrient.
    .rotate()
    .resize({ ...box, withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .jpeg({ quality })
    .toBuffer({ resolveWithObject: true })
  return { bytes: data, width: info.width, height: info.height }
}

// sharp's own words name its libraries, not what to do; they stay in the cause.
const refuseDamaged = (cause: unknown): never => {
  const words = cause instanceof Error ? cause.message : ''
  if (/pixel limit|image dimension/i.test(words))
    throw badImage(`The picture has more than ${maxPixels} pixels.`, cause)
  if (/timeout/i.test(words)) throw badImage('The picture takes too long to decode.', cause)
  throw badImage('The picture is damaged, truncated, or of a kind that browsers do not show.', cause)
}
