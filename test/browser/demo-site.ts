import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startSite } from '../../src/site/runtime/start.ts'
import { createClock } from '../../src/testkit/index.ts'
import { visitor } from '../support/chromium.ts'

/** The demo on a fixed day, for visitors in a browser. */
export async function openDemo(t: ExecutionContext, browser: Browser, start = '2026-03-10T09:00:00.000Z') {
  const folder = await mkdtemp(join(tmpdir(), 'membership-demo-'))
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
  const meet = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const met = await visitor(browser, { baseURL: site.url, bypassCSP: true, ...options })
    t.teardown(met.close)
    return met.page
  }
  return { site, log, meet }
}

/** The rows of the order page, by their labels. */
export async function orderFacts(page: Page): Promise<Record<string, string>> {
  const rows = await page.locator('.order-page dl.facts > div').all()
  const pairs = await Promise.all(
    rows.map(
      async (row) => [await row.locator('dt').innerText(), await row.locator('dd').innerText()] as const,
    ),
  )
  return Object.fromEntries(pairs)
}

/** Orders on the order page, and pays on the sandbox's page. */
export async function pay(page: Page, email: string | null): Promise<void> {
  if ((await page.locator('#agree').count()) > 0) await page.locator('#agree').check()
  await page.locator('form.confirm button').click()
  await page.waitForURL(/\/membership\/sandbox\//)
  if (email !== null) await page.locator('#email').fill(email)
  await page.locator('#name').fill('Ada Lovelace')
  await page.locator('.pay form').first().locator('button').click()
  await page.waitForURL(/\/membership\/(subscribe|payment)\//)
  await page.locator('.notice-paid').waitFor()
}
