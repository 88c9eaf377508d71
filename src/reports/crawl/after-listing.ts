import type { Log } from '../../core/log.ts'
import type { Finding } from '../entries/finding.ts'
import type { Pictures } from '../entries/pictures.ts'
import type { Entry } from '../entries/record.ts'
import type { ReportsOptions } from '../options.ts'
import type { Images } from '../preview/index.ts'
import { withDeadline } from '../visit/index.ts'
import type { Candidates } from './candidates.ts'

const screenshotMs = 30_000

/** Follows up on a listed website: notes its links as candidates, and takes its picture. */
export function createAfterListing(deps: {
  readonly candidates: Candidates
  readonly pictures: Pictures
  readonly images: Images
  readonly screenshot: ReportsOptions['screenshot']
  readonly followsLinks: boolean
  readonly log: Log
}) {
  const { candidates, pictures, images, screenshot, followsLinks, log } = deps

  // A website without a picture is still listed.
  const takePicture = async (entry: Entry, url: string, signal: AbortSignal): Promise<void> => {
    try {
      const bytes = await withDeadline(screenshotMs, signal, (limit) =>
        aborted(limit, screenshot!({ url, signal: limit })),
      )
      if (bytes) await pictures.setScreenshot(entry.row.id, await images.fromScreenshot(Buffer.from(bytes)))
    } catch (error) {
      log('no picture could be made', { report: entry.row.id, reason: String(error).slice(0, 300) })
    }
  }

  return async (entry: Entry, finding: Finding, signal: AbortSignal): Promise<void> => {
    if (finding.kind !== 'listed') return
    if (followsLinks) await candidates.noteLinks(entry, finding.scan.links)
    if (screenshot && !entry.data.preview?.custom) await takePicture(entry, finding.page.url, signal)
  }
}

function aborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_, failed) =>
      signal.addEventListener('abort', () => failed(signal.reason as Error), { once: true }),
    ),
  ])
}
