import { Worker } from 'node:worker_threads'
import { resolveFromSite } from '../../core/package-folder.ts'
import type { Picture } from './decode.ts'
import { type Stripped, stripJpeg, withSegment } from './jpeg.ts'
import { maxPlainPixels, previewBytesLimit } from './limits.ts'
import { badImage, fileTooLarge, needsSharp } from './refusals.ts'
import { SOS, walk } from './walk.ts'

const timeoutMs = 10_000
const orientationBytes = 36

/**
 * Decodes and encodes a JPEG without sharp. Nothing beyond the picture is left of its file or compressed
 * data. The orientation is kept as it is. It is much slower, so it runs on its own thread and only for
 * smaller pictures.
 * @throws ERR_IMAGE, ERR_BODY_TOO_LARGE
 */
export async function reencodePlain(bytes: Buffer): Promise<Picture> {
  if (bytes.length >= previewBytesLimit) throw fileTooLarge()
  const stripped = stripJpeg(bytes)
  const { width, height } = stripped
  if (width * height > maxPlainPixels) throw needsSharp(`A picture of more than ${maxPlainPixels} pixels`)
  const answer = await recode(stripped)
  if (typeof answer === 'string') throw badImage(refusals[answer])
  return { bytes: withSegment(Buffer.from(answer), stripped.orientation), width, height }
}

const refusals = {
  damaged: 'The picture is damaged, truncated, or smaller than its header says.',
  more: 'The picture is larger than its header says, or something else is hidden in it.',
  large: 'The picture does not become small enough without sharp.',
}

function recode({ bytes, isRgb }: Stripped): Promise<Uint8Array | keyof typeof refusals> {
  return new Promise((done, failed) => {
    const library = resolveFromSite('jpeg-js')
    const worker = new Worker(thread, {
      eval: true,
      workerData: {
        library,
        bytes,
        cut: withoutLastBytes(bytes),
        limit: previewBytesLimit - orientationBytes,
        colorTransform: isRgb ? false : undefined,
      },
      resourceLimits: { maxOldGenerationSizeMb: 192 },
    })
    const finish = (outcome: () => void) => {
      clearTimeout(timer)
      void worker.terminate()
      outcome()
    }
    const refuse = (what: string, cause?: unknown) => finish(() => failed(badImage(what, cause)))
    const timer = setTimeout(refuse, timeoutMs, 'The picture takes too long to decode.')
    worker
      .once('message', (answer) => finish(() => done(answer)))
      .once('error', (cause) => refuse('The picture cannot be decoded.', cause))
  })
}

/**
 * Removes the last two bytes of the longest scan. A complete picture then no longer decodes; one with hidden
 * bytes still does.
 */
function withoutLastBytes(bytes: Buffer): Buffer {
  const scans = [...walk(bytes)].filter(({ code }) => code === SOS).map(({ scan }) => scan)
  const longest = scans.reduce((most, scan) => (scan.length > most.length ? scan : most))
  const end = longest.byteOffset - bytes.byteOffset + longest.length
  return Buffer.concat([bytes.subarray(0, end - 2), bytes.subarray(end)])
}

// The thread's code is text, so that no file must be found in a site's bundle. If the strict decoder accepts
// the cut picture, the scan contains bytes beyond the picture.
const thread = `
const { parentPort, workerData } = require('node:worker_threads')
const { library, bytes, cut, limit, colorTransform } = workerData
const { decode, encode } = require(library)
const picture = (from) => {
  try {
    return decode(from, { useTArray: true, tolerantDecoding: false, maxMemoryUsageInMB: 256, colorTransform })
  } catch {
    return null
  }
}
const recode = () => {
  const whole = picture(bytes)
  if (!whole) return 'damaged'
  if (picture(cut)) return 'more'
  const { data, width, height } = whole
  for (const quality of [90, 80, 65, 45]) {
    const made = encode({ data, width, height }, quality).data
    if (made.length < limit) return made
  }
  return 'large'
}
parentPort.postMessage(recode())
`
