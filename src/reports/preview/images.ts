import { createHash } from 'node:crypto'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { isInstalled } from '../../core/package-folder.ts'
import { loadSharp, reencode } from './decode.ts'
import {
  maxHeldBytes,
  maxPixels,
  maxScannedPixels,
  maxScans,
  maxScreenshotBytes,
  previewBytesLimit,
  previewPixels,
} from './limits.ts'
import { reencodePlain } from './plain.ts'
import { badImage, imagesBusy, needsSharp, notJpeg, tooManyPixels } from './refusals.ts'
import { damaged } from './segments.ts'
import { SOS, walk } from './walk.ts'

/** A screenshot as stored and shown. */
export interface Preview {
  readonly bytes: Buffer
  /** Size as displayed, in pixels, after rotation. */
  readonly width: number
  readonly height: number
  /** Strong, quoted ETag of the bytes. */
  readonly etag: string
}

/** Options of picture decoding. */
export interface ImageOptions {
  /** `false` behaves as if sharp were not installed. */
  readonly sharp?: false
}

/** Makes previews from pictures of partners and of the host. */
export interface Images {
  /**
   * Converts an uploaded JPEG to a preview smaller than 204 800 bytes, with at most 2.1 million pixels.
   * Senders take turns.
   * @throws ERR_NOT_JPEG, ERR_IMAGE, ERR_BUSY
   */
  toPreview(bytes: Buffer, sender?: string): Promise<Preview>
  /**
   * Converts the host's own screenshot, up to 8 MB, to a picture at most 1 280 pixels wide. With sharp it may
   * also be PNG or WebP. Without sharp it must be a small JPEG already.
   * @throws ERR_NOT_JPEG, ERR_IMAGE, ERR_BODY_TOO_LARGE, ERR_BUSY
   */
  fromScreenshot(bytes: Buffer): Promise<Preview>
}

/**
 * Decodes and encodes pictures again, so that nothing but the picture is left. It uses sharp, an optional
 * peer dependency, else JavaScript. One large and one small picture are processed at a time.
 */
export function createImages(options: ImageOptions = {}): Images {
  const library = options.sharp === false ? Promise.resolve(null) : null
  const queues = { large: createFairQueue(lane), small: createFairQueue(lane) }

  const toPreview = async (bytes: Buffer, sender = ''): Promise<Preview> => {
    if (!isJpeg(bytes)) throw notJpeg()
    const { isLarge } = costOf(bytes)
    const sharp = await (library ?? loadSharp())
    return queues[isLarge ? 'large' : 'small'](sender, async () =>
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
    return queues.large(theHost, async () =>
      toStored(sharp ? await reencode(sharp, bytes, screenshots) : await reencodePlain(bytes)),
    )
  }
  return { toPreview, fromScreenshot }
}

/** Says at the start what screenshots lack without sharp. Its binary is not loaded for that. */
export function warnWithoutSharp(log: Log): void {
  if (isInstalled('sharp')) return
  const limit = `${previewBytesLimit / 1024} kB`
  log(
    `Screenshots in PNG or WebP, and those of ${limit} or more, are refused: the package "sharp" is not installed. npm install sharp`,
  )
}

const lane = { atOnce: 1, waiting: 96, waitingEach: 48 }
/** Sender of the index's own screenshots; no partner has this id. */
const theHost = ' '

// "uhdr" is a JPEG with a second picture for bright screens, which is dropped.
const jpegFormats = ['jpeg', 'uhdr']
const uploads = { formats: jpegFormats, maxWidth: Infinity, maxPixels: previewPixels }
const screenshots = {
  formats: [...jpegFormats, 'png', 'webp'],
  maxWidth: 1280,
  maxPixels: previewPixels,
}

function isJpeg(bytes: Buffer): boolean {
  return bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))
}
function isPng(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n'
}
function isWebp(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
}

function toStored({ bytes, width, height }: Omit<Preview, 'etag'>): Preview {
  return {
    bytes,
    width,
    height,
    etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
  }
}

function screenshotTooLarge() {
  return new MembershipError(
    'ERR_BODY_TOO_LARGE',
    `The screenshot is larger than ${maxScreenshotBytes} bytes.`,
    {
      action: 'Take it with fewer pixels, or as a JPEG.',
    },
  )
}

/** Cost of decoding a picture. */
interface Cost {
  /** True if decoding takes noticeable memory or time; such pictures are processed one at a time. */
  readonly isLarge: boolean
}

/** Estimates the cost of a JPEG from its headers, before decoding. @throws ERR_IMAGE when it is too high */
function costOf(bytes: Buffer): Cost {
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

function survey(bytes: Buffer) {
  const seen = { width: 0, height: 0, samples: 0, isProgressive: false, scans: 0 }
  try {
    for (const { code, segment } of walk(bytes)) {
      if (isFrame(code)) Object.assign(seen, frameSize(segment), { isProgressive: (code & 3) === 2 })
      if (code === SOS) seen.scans += 1
    }
  } catch (error) {
    if (!isMembershipError(error, 'ERR_IMAGE')) throw error
    // A decoder stops after the single scan of a baseline picture and ignores anything after it.
    if (seen.isProgressive || seen.scans !== 1) throw error
  }
  if (seen.width === 0 || seen.height === 0) throw damaged('it has no size')
  return seen
}

// Includes frames of kinds that no browser shows. C4, C8 and CC are not frames.
function isFrame(code: number): boolean {
  return code >= 0xc0 && code <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(code)
}

/** Counts samples: the values of all components, which a decoder holds in memory. */
function frameSize(segment: Buffer) {
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

/**
 * Returns the headers of a preview, whose address never gets other bytes. A browser shows it as a picture
 * only, whatever other decoders might see in it.
 */
export function previewHeaders(preview: Pick<Preview, 'etag'>) {
  return {
    'Content-Type': 'image/jpeg',
    'X-Content-Type-Options': 'nosniff',
    'Content-Disposition': 'inline',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cache-Control': 'public, max-age=31536000, immutable',
    ETag: preview.etag,
  }
}

/** Limits of the queue, in all and per sender. */
export interface TurnLimits {
  /** Concurrent tasks of one lane. */
  readonly atOnce: number
  /** Most waiting tasks in one lane, of all senders and of one. */
  readonly waiting: number
  readonly waitingEach: number
}

interface Waiting {
  readonly go: () => void
  readonly refuse: (error: unknown) => void
}

/**
 * Runs tasks in turns by sender, so that one picture never waits behind another sender's many. If too many
 * tasks wait, the newest task of the sender with the most is refused.
 * @throws ERR_BUSY
 */
export function createFairQueue({ atOnce, waiting, waitingEach }: TurnLimits) {
  // Ordered by next turn.
  const queues = new Map<string, Waiting[]>()
  let running = 0

  const turn = (sender: string): Promise<void> | undefined => {
    if (running < atOnce) {
      running += 1
      return undefined
    }
    const queue = queues.get(sender) ?? []
    if (queue.length >= waitingEach) throw imagesBusy()
    return new Promise((go, refuse) => {
      queues.set(sender, [...queue, { go, refuse }])
      makeRoom()
    })
  }

  const makeRoom = () => {
    const all = [...queues.values()]
    if (all.reduce((sum, queue) => sum + queue.length, 0) <= waiting) return
    const longest = all.reduce((most, queue) => (queue.length >= most.length ? queue : most))
    longest.pop()?.refuse(imagesBusy())
  }

  const leave = () => {
    const next = nextInTurn()
    // The place is passed on, so `running` stays the same.
    if (next) next.go()
    else running -= 1
  }

  const nextInTurn = (): Waiting | undefined => {
    for (const [sender, queue] of queues) {
      queues.delete(sender)
      const next = queue.shift()
      if (queue.length > 0) queues.set(sender, queue)
      if (next) return next
    }
    return undefined
  }

  return async <T>(sender: string, task: () => Promise<T>): Promise<T> => {
    await turn(sender)
    return task().finally(leave)
  }
}
