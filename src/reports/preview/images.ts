import { createHash } from 'node:crypto'
import { MembershipError } from '../../errors.ts'
import { loadSharp, reencode } from './decode.ts'
import { stripJpeg } from './jpeg.ts'
import { maxScreenshotBytes, previewBytesLimit } from './limits.ts'
import { fileTooLarge, notJpeg } from './refusals.ts'
import { createTurns } from './turns.ts'

export interface Preview {
  readonly bytes: Buffer
  /** As displayed: turned pictures count as they stand, in pixels. */
  readonly width: number
  readonly height: number
  /** Strong, quoted, of the bytes. */
  readonly etag: string
}

export interface ImageOptions {
  /** `false` as if sharp were not installed. */
  readonly sharp?: false
}

export interface Images {
  /** An uploaded JPEG as a preview smaller than 204 800 bytes.
   *  @throws ERR_NOT_JPEG, ERR_IMAGE, ERR_BUSY; without sharp ERR_BODY_TOO_LARGE */
  toPreview(bytes: Buffer): Promise<Preview>
  /** A screenshot of the host's own making, up to 8 MB, at most 1 280 pixels wide afterwards; with sharp also a PNG or
   *  WebP. Without sharp only what is a small JPEG already.
   *  @throws ERR_NOT_JPEG, ERR_IMAGE, ERR_BODY_TOO_LARGE, ERR_BUSY */
  fromScreenshot(bytes: Buffer): Promise<Preview>
}

/** Decodes and re-encodes with sharp, an optional peer dependency, so that nothing but the picture is left. Without it
 *  the file is taken apart instead: position, comments, profiles and what trails are dropped, pixels stay as sent. */
export const createImages = (options: ImageOptions = {}): Images => {
  const library = options.sharp === false ? Promise.resolve(null) : null
  const takeTurn = createTurns({ atOnce: 2, waiting: 32 })
  const convert = async (bytes: Buffer, maxWidth?: number): Promise<Preview> => {
    const sharp = await (library ?? loadSharp())
    if (!sharp) return toStored(strippedOnly(bytes, maxWidth !== undefined))
    return toStored(await takeTurn(() => reencode(sharp, bytes, maxWidth)))
  }
  return {
    toPreview: async (bytes) => {
      if (!isJpeg(bytes)) throw notJpeg()
      return convert(bytes)
    },
    fromScreenshot: async (bytes) => {
      if (bytes.length > maxScreenshotBytes) throw screenshotTooLarge()
      if (!isJpeg(bytes) && !isPng(bytes) && !isWebp(bytes)) throw notJpeg()
      return convert(bytes, screenshotWidth)
    },
  }
}

const screenshotWidth = 1280

const isJpeg = (bytes: Buffer): boolean => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))
const isPng = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n'
const isWebp = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'

const strippedOnly = (bytes: Buffer, isScreenshot: boolean) => {
  if (!isJpeg(bytes)) throw needsSharp('A screenshot that is not a JPEG')
  const picture = stripJpeg(bytes)
  if (picture.bytes.length < previewBytesLimit) return picture
  throw isScreenshot ? needsSharp(`A screenshot of ${previewBytesLimit} bytes or more`) : fileTooLarge()
}

const toStored = ({ bytes, width, height }: Omit<Preview, 'etag'>): Preview => ({
  bytes,
  width,
  height,
  etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
})

const screenshotTooLarge = () =>
  new MembershipError('ERR_BODY_TOO_LARGE', `The screenshot is larger than ${maxScreenshotBytes} bytes.`, {
    action: 'Take it with fewer pixels, or as a JPEG.',
  })
const needsSharp = (what: string) =>
  new MembershipError('ERR_IMAGE', `${what} can only be converted with sharp, which is not installed.`, {
    action: 'npm install sharp',
  })
