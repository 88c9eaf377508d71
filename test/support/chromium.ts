import { execFileSync } from 'node:child_process'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/**
 * Where the system's Chromium is, or null: the tests in a browser then say that they skip. Debian's
 * `chromium-headless-shell` draws no window around its pages, and needs 40 % less CPU.
 */
export function findChromium(): string | null {
  if (process.env.CHROMIUM) return process.env.CHROMIUM
  try {
    return (
      execFileSync('sh', ['-c', 'command -v chromium-headless-shell || command -v chromium'], {
        encoding: 'utf8',
      }).trim() || null
    )
  } catch {
    return null
  }
}

/** A headless browser; every page is one visitor of its own. */
export function launchChromium(executablePath: string): Promise<Browser> {
  // As root, which continuous integration often is, Chromium's own sandbox does not start.
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
}

/** A visitor: a page with cookies of its own, and what its console complained of. */
export async function visitor(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // A resource that fails is told of by its answer, with its address.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load'))
      complaints.push(message.text())
  })
  page.on('response', (answer) => {
    if (answer.status() >= 400) complaints.push(`${answer.status()} ${new URL(answer.url()).pathname}`)
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return { page, complaints, close: () => context.close() }
}
export type Visitor = { readonly page: Page; readonly complaints: string[] }
