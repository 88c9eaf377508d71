import { isMembershipError } from '../../core/errors.ts'
import { maxHeldBytes, maxPixels, maxScannedPixels, maxScans, previewPixels } from './limits.ts'
import { badImage, tooManyPixels } from './refusals.ts'
import { damaged } from './segments.ts'
import { SOS, walk } from './walk.ts'

/** Cost of decoding a picture. */
export interface Cost {
  /** Takes memory or time that others feel: only one such picture is worked on at a time. */
  readonly isLarge: boolean
}

/** The cost of a JPEG, from its headers, before anything of it is decoded. @throws ERR_IMAGE when it is too high */
export const costOf = (bytes: Buffer): Cost => {
  const { width, height, samples, isProgressive, scans } = survey(bytes)
  const pixels = width * height
  if (pixels > maxPixels) throw tooManyPixels(width, height)
  if (scans > maxScans) throw badImage(`The picture has more than ${maxScans} scans.`)
  const isHeldWhole = isProgressive || scans > 1
  if (isHeldWhole && 2 * samples > maxHeldBytes)
    throw badImage(`The picture is progressive and has ${width} × ${height} pixels, too many for that.`)
  if (isHeldWhole && scans * pixels > maxScannedPixels)
    throw badImage(`The picture has ${scans} scans, too many for its size.`)
  return { isLarge: pixels > previewPixels || scans * pixels > 20 * previewPixels }
}

const survey = (bytes: Buffer) => {
  const seen = { width: 0, height: 0, samples: 0, isProgressive: false, scans: 0 }
  try {
    for (const { code, segment } of walk(bytes)) {
      if (isFrame(code)) Object.assign(seen, frameSize(segment), { isProgressive: (code & 3) === 2 })
      if (code === SOS) seen.scans += 1
    }
  } catch (error) {
    if (!isMembershipError(error, 'ERR_IMAGE')) throw error
    // A decoder stops after the one scan of a plain picture and does not see what comes then.
    if (seen.isProgressive || seen.scans !== 1) throw error
  }
  if (seen.width === 0 || seen.height === 0) throw damaged('it has no size')
  return seen
}

// Of all kinds, those that no browser shows, too; C4, C8 and CC are none.
const isFrame = (code: number): boolean => code >= 0xc0 && code <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(code)

/** Samples: the values of all components, which is what a decoder holds of a picture. */
const frameSize = (segment: Buffer) => {
  if (segment.length < 8) throw damaged('its frame header')
  const height = segment.readUInt16BE(3)
  const width = segment.readUInt16BE(5)
  const samplings = Array.from({ length: segment[7]! }, (_, index) => segment[9 + 3 * index] ?? 0)
  const across = Math.max(1, ...samplings.map((sampling) => sampling >> 4))
  const down = Math.max(1, ...samplings.map((sampling) => sampling & 15))
  const share =
    samplings.reduce((sum, sampling) => sum + (sampling >> 4) * (sampling & 15), 0) / (across * down)
  return { width, height, samples: width * height * share }
}
