import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { startSite } from '../../src/runtime/start.ts'
import { createClock } from '../../src/testkit/index.ts'
import { findChromium, launchChromium, visitor } from '../support/chromium.ts'
import { createLook, screenshots } from './looks.ts'
import { buy, isOpen } from './walks.ts'

const chromium = findChromium()
const browsers: Browser[] = []
const walk = chromium === null ? test.skip : test.serial
const start = '2026-03-10T09:00:00.000Z'

if (chromium === null)
  test.skip('no Chromium here: install it, or name it in CHROMIUM, to walk through the pages', () => {})
test.before(async () => {
  if (chromium !== null) browsers.push(await launchChromium(chromium))
})
test.after.always(async (t) => {
  for (const browser of browsers) await browser.close()
  t.log(`Screenshots: ${relative(process.cwd(), screenshots)}/`)
})

const open = async (t: ExecutionContext, options: BrowserContextOptions) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-walk-'))
  const { now } = createClock(start)
  const log: string[] = []
  const site = await startSite({
    folder,
    databaseUrl: `sqlite:${join(folder, 'demo.db')}`,
    port: 0,
    host: '127.0.0.1',
    now,
    log: (message, details) => log.push(`${message} ${JSON.stringify(details ?? {})}`),
  })
  t.teardown(async () => {
    await site.close()
    await rm(folder, { recursive: true, force: true })
  })
  const meet = async (more: BrowserContextOptions = {}) => {
    const met = await visitor(browsers[0]!, { baseURL: site.url, ...options, ...more })
    t.teardown(met.close)
    return met
  }
  return { site, log, meet }
}

walk('a visitor buys on a desktop, and the pages look right', async (t) => {
  const problems: string[] = []
  const { meet, log } = await open(t, { viewport: { width: 1280, height: 800 }, bypassCSP: true })
  const { page } = await meet()
  const look = createLook(page, { size: 'desktop', widths: [1280], problems })
  await buy({ t, page, look }, 'ada@example.com')
  await look('account')
  t.true(await isOpen(page))
  t.deepEqual(problems, [])
  t.deepEqual(log, [])
})
