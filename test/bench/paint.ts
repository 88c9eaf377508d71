import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { startSite } from '../../src/site/runtime/start.ts'
import { order } from '../browser/walks.ts'
import { findChromium, launchChromium, visitor } from '../support/chromium.ts'
import { median } from './events.ts'
import { onlyAbsolute, report, table } from './report.ts'

interface Seen {
  readonly requests: number
  readonly bytes: number
  readonly paintMs: number
}

const phone = { viewport: { width: 390, height: 844 }, bypassCSP: true }
const forAnybody = {
  'the front page': '/',
  prices: '/pricing',
  'an article for members': '/articles/the-slow-line-south',
  'a locked page': '/archive',
  login: '/membership/login',
  'the account of nobody': '/account',
  'no such page': '/nowhere',
}
const forMembers = { 'the account of a member': '/account', 'the mailbox': '/demo/mailbox' }

/**
 * What each page of the demo weighs, how much it asks for, and when something of it is painted first, in a
 * browser that has seen nothing before. `url`: of a demo that runs already, of another version perhaps.
 */
export async function benchPaint(rounds: number, url?: string): Promise<void> {
  const chromium = findChromium()
  if (chromium === null) return console.log('no Chromium here: install it, or name it in CHROMIUM')
  const folder = await mkdtemp(join(tmpdir(), 'membership-paint-'))
  const site = url === undefined ? await startDemo(folder) : { url, close: async () => {} }
  const browser = await launchChromium(chromium)
  try {
    const seen: [name: string, seen: Seen][] = []
    for (const [name, path] of Object.entries(forAnybody))
      seen.push([name, await look(browser, new URL(path, site.url).href, rounds)])
    const { checkout, cookies } = await buy(browser, site.url)
    seen.push(['the sandbox’s checkout', await look(browser, checkout, rounds, cookies)])
    for (const [name, path] of Object.entries(forMembers))
      seen.push([name, await look(browser, new URL(path, site.url).href, rounds, cookies)])
    const range = (of: (page: Seen) => number, digits: number) => {
      const values = seen.map(([, page]) => of(page))
      return `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`
    }
    const kB = ({ bytes }: Seen) => bytes / 1000
    const latest = Math.ceil(Math.max(...seen.map(([, { paintMs }]) => paintMs)) / 100) / 10
    report(
      'paint',
      'What a visitor downloads, and when it is painted',
      `The ${seen.length} pages have ${range(kB, 0)} kB in ${range(({ requests }) => requests, 0)} requests. Each is painted first within ${latest.toFixed(1)} seconds.`,
      ...onlyAbsolute(
        table(seen, {
          page: ([name]) => name,
          requests: ([, { requests }]) => requests,
          kB: ([, page]) => kB(page).toFixed(1),
          'first paint, ms': ([, { paintMs }]) => paintMs.toFixed(0),
        }),
      ),
    )
  } finally {
    await browser.close()
    await site.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function startDemo(folder: string) {
  return startSite({
    folder,
    databaseUrl: `sqlite:${join(folder, 'demo.db')}`,
    port: 0,
    host: '127.0.0.1',
    log: () => undefined,
  })
}

type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>

/** Each time in a browser without a cache; the first is for the site to warm up. */
async function look(browser: Browser, url: string, rounds: number, cookies: Cookies = []): Promise<Seen> {
  const seen: Seen[] = []
  for (let round = -1; round < rounds; round++) {
    const { page, close } = await visitor(browser, phone)
    await page.context().addCookies(cookies)
    await page.goto(url)
    await page.waitForFunction("performance.getEntriesByName('first-contentful-paint').length > 0")
    if (round >= 0) seen.push(await page.evaluate<Seen>(measured))
    await close()
  }
  const of = (key: keyof Seen) => median(seen.map((item) => item[key]))
  return { requests: of('requests'), bytes: of('bytes'), paintMs: of('paintMs') }
}

// Runs in the page.
const measured = `(() => {
  const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  const [paint] = performance.getEntriesByName('first-contentful-paint')
  return {
    requests: all.length,
    bytes: all.reduce((sum, { transferSize }) => sum + transferSize, 0),
    paintMs: paint.startTime,
  }
})()`

/** A membership that is paid for, and a checkout that is not. */
async function buy(browser: Browser, site: string): Promise<{ checkout: string; cookies: Cookies }> {
  const { page, close } = await visitor(browser, phone)
  const choose = async (name: RegExp) => {
    await page.goto(new URL('/pricing?every=year', site).href)
    await page.getByRole('button', { name }).first().click()
    await order(page)
    await page.locator('#name').waitFor()
  }
  await choose(/Pro, yearly/i)
  await page.locator('#email').fill('ada@example.com')
  await page.locator('#name').fill('Ada Lovelace')
  await page.locator('.pay form button').first().click()
  await page.getByRole('heading', { name: /^Paid/ }).waitFor()
  await choose(/Archive/)
  const bought = { checkout: page.url(), cookies: await page.context().cookies() }
  await close()
  return bought
}
