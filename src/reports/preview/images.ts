import { createHash } from 'node:crypto'
import { MembershipError } from '../../core/errors.ts'
import { costOf } from './cost.ts'
import { loadSharp, reencode } from './decode.ts'
import { createFairQueue } from './fair-queue.ts'
import { maxScreenshotBytes, previewBytesLimit, previewPixels } from './limits.ts'
import { reencodePlain } from './plain.ts'
import { needsSharp, notJpeg } from './refusals.ts'

/** A screenshot as it is kept and shown. */
export interface Preview {
  readonly bytes: Buffer
  /** As displayed: turned pictures count as they stand, in pixels. */
  readonly width: number
  readonly height: number
  /** Strong, quoted, of the bytes. */
  readonly etag: string
}

/** Decoders of pictures. */
export interface ImageOptions {
  /** `false` as if sharp were not installed. */
  readonly sharp?: false
}

/** Makes previews of what partners and the host send. */
export interface Images {
  /** An uploaded JPEG as a preview smaller than 204 800 bytes, of at most 2.1 million pixels. Senders take turns.
   *  @throws ERR_NOT_JPEG, ERR_IMAGE, ERR_BUSY */
  toPreview(bytes: Buffer, sender?: string): Promise<Preview>
  /** A screenshot of the host's own making, up to 8 MB, at most 1 280 pixels wide afterwards; with sharp also a PNG or
   *  WebP. Without sharp only what is a small JPEG already.
   *  @throws ERR_NOT_JPEG, ERR_IMAGE, ERR_BODY_TOO_LARGE, ERR_BUSY */
  fromScreenshot(bytes: Buffer): Promise<Preview>
}

/** Decodes and encodes anew, so that nothing but the picture is left: with sharp, an optional peer dependency, else in
 *  JavaScript. One large picture is worked on at a time, and one small one beside it. */
export const createImages = (options: ImageOptions = {}): Images => {
  const library = options.sharp === false ? Promise.resolve(null) : null
  const turns = { large: createFairQueue(lane), small: createFairQueue(lane) }

  const toPreview = async (bytes: Buffer, sender = ''): Promise<Preview> => {
    if (!isJpeg(bytes)) throw notJpeg()
    const { isLarge } = costOf(bytes)
    const sharp = await (library ?? loadSharp())
    return turns[isLarge ? 'large' : 'small'](sender, async () =>
      toStored(sharp ? await reencode(sharp, bytes, uploads) : await reencodePlain(bytes)),
    )
  }

  const fromScreenshot = async (bytes: Buffer): Promise<Preview> => {
    if (bytes.length > maxScreenshotBytes) throw screenshotTooLarge()
    if (!isJpeg(bytes) && !isPng(bytes) && !isWebp(bytes)) throw notJpeg()
    const sharp = await (library ?? loadSharp())
    if (!sharp && !isJpeg(bytes)) throw needsSharp('A screenshot that is not a JPEG')
    if (!sharp && bytes.length >= previewBytesLimit)
      throw needsSharp(`A screenshot of ${previewBytesLimit} bytes or more`)
    return turns.large(theHost, async () =>
      toStored(sharp ? await reencode(sharp, bytes, screenshots) : await reencodePlain(bytes)),
    )
  }
  return { toPreview, fromScreenshot }
}

const lane = { atOnce: 1, waiting: 96, waitingEach: 48 }
/** Sender of the index's own screenshots; no partner has that id. */
const theHost = ' '

// "uhdr" is a JPEG with a second picture for bright screens, which is left out.
const jpegFormats = ['jpeg', 'uhdr']
const uploads = { formats: jpegFormats, maxWidth: Infinity, maxPixels: previewPixels }
const screenshots = {
  formats: [...jpegFormats, 'png', 'webp'],
  maxWidth: 1280,
  maxPixels: previewPixels,
}

const isJpeg = (bytes: Buffer): boolean => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))
const isPng = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n'
const isWebp = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'

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
