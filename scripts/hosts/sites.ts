/** Builds the five sites of the guides from their own code blocks, each in an empty folder, and walks it: `npm run hosts
 *  sites`. A walk ends in a purchase, an open gate, a login by mail and an invoice. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { FakePaddle } from '../../src/fakes/paddle/index.ts'
import { createFakeServer } from '../../src/testkit/index.ts'
import type { createBrowser } from '../../test/support/browser.ts'
import { freePort, postgresDatabases } from '../../test/support/databases.ts'
import { installInto, withBuiltSqlite } from '../install.ts'
import { walkOwnLogins } from './own-login.ts'
import { filesIn, packagesIn, type RunningSite, startSite } from './running-site.ts'
import { must, press } from './walk.ts'

type Browser = ReturnType<typeof createBrowser>

interface Place {
  readonly folder: string
  readonly port: number
  readonly origin: string
}

interface Guide {
  /** Fills the empty folder from the page, and returns the command that starts the site. */
  readonly build: (place: Place, tarball: string) => Promise<{ args: string[]; env?: Record<string, string> }>
  readonly buy: (site: RunningSite) => Promise<void>
  readonly archive: string
  /** A path of the invoice, in the member's account. */
  readonly invoice: RegExp
  readonly close?: () => Promise<void>
}

const root = join(import.meta.dirname, '../..')
export const email = 'ada@example.com'
const pageOf = (name: string): string => readFileSync(join(root, name), 'utf8')

/** Part of a page below a heading, up to the next heading of the same level. */
export function sectionOf(page: string, heading: string): string {
  const text = pageOf(page)
  const start = text.indexOf(`${heading}\n`)
  if (start === -1) throw new TypeError(`${page} has no "${heading}"`)
  const level = heading.split(' ')[0] ?? ''
  const end = text.slice(start + heading.length).search(new RegExp(`^#{1,${level.length}} `, 'm'))
  return end === -1 ? text.slice(start) : text.slice(start, start + heading.length + end)
}

function fillFrom(section: string, { folder }: Place, tarball: string): void {
  installInto(folder, [tarball, ...packagesIn(section)])
  for (const { name, code } of filesIn(section)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), code)
  }
}

/** Runs the tutorial's own `init` line with this tarball, and installs the site: its folder. */
export function initSite(folder: string, tarball: string): string {
  const [line = ''] = /^npx .*membership init .*$/m.exec(sectionOf('docs/start.md', tutorialSteps[0])) ?? []
  const command = line.replace(/\$PWD\/[^"]+/, tarball).replace('../my-site', join(folder, 'my-site'))
  const env = { ...process.env, npm_config_ignore_scripts: 'true' }
  execFileSync('sh', ['-c', command], { cwd: folder, env, stdio: 'pipe' })
  const site = join(folder, 'my-site')
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline']
  execFileSync('npm', args, { cwd: site, env, stdio: 'pipe' })
  withBuiltSqlite(site)
  return site
}

export const tutorialSteps = [
  '## Step 1: sell in the sandbox',
  '## Step 3: Stripe in test mode',
  '## Step 4: one server with TLS',
  '## Step 5: go live',
] as const

/** Opens the prices, chooses the first plan and pays on the sandbox's page. */
async function buyFromPrices({ browser }: RunningSite): Promise<void> {
  const { html } = await browser.open('/membership/prices')
  await payInSandbox(browser, await browser.submit(...firstOffer(html, 'subscribe/')))
}

/** The first form of the prices page that begins a subscription or a payment: where it leads, and its fields. */
export function firstOffer(
  html: string,
  kind: 'subscribe/' | 'payment',
): [action: string, fields: Record<string, string>] {
  const [form = ''] = new RegExp(`<form[^>]* action="/membership/${kind}[\\s\\S]*?</form>`).exec(html) ?? []
  const [, action = ''] = /action="([^"]+)"/.exec(form) ?? []
  must(action !== '', `the prices offer nothing: ${html.slice(0, 400)}`)
  const fields = form.matchAll(/<(?:input|button)[^>]* name="([^"]+)"[^>]* value="([^"]*)"/g)
  return [action, Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]))]
}

async function payInSandbox(browser: Browser, paying: { path: string; html: string }): Promise<void> {
  must(paying.path.includes('/sandbox/checkout/'), `the purchase led to ${paying.path}`)
  const paid = await browser.submit(paying.path, { email, name: 'Ada', card: '4242424242424242' })
  must(paid.status === 200, `the payment was answered ${paid.status}`)
}

let paddle: { fake: FakePaddle; databases: Awaited<ReturnType<typeof postgresDatabases>> } | null = null

const guides: Readonly<Record<string, Guide>> = {
  'five-minutes': {
    build: async ({ folder }, tarball) => {
      initSite(folder, tarball)
      return { args: ['npm', 'start'] }
    },
    buy: async (site) => {
      await buyFromPrices(site)
      // The first plan begins with free days, so the invoice is that of the handbook.
      const { html } = await site.browser.open('/membership/prices')
      await payInSandbox(site.browser, await site.browser.submit(...firstOffer(html, 'payment')))
    },
    archive: '/archive',
    invoice: /\/membership\/invoices\/[^"]+/,
  },
  koa: {
    build: async (place, tarball) => {
      fillFrom(sectionOf('docs/start.md', '## By hand'), place, tarball)
      return { args: ['npx', 'tsx', 'server.ts'] }
    },
    buy: buyFromPrices,
    archive: '/',
    invoice: /\/membership\/invoices\/[^"]+/,
  },
  next: {
    build: async (place, tarball) => {
      fillFrom(sectionOf('docs/hosts.md', '## Next'), place, tarball)
      return { args: ['npx', 'next', 'dev', '--port', String(place.port)] }
    },
    buy: async ({ browser, origin }) => {
      const answer = await press(origin, browser, '/')
      const location = answer.headers.get('location') ?? ''
      must(
        location !== '',
        `a purchase was answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`,
      )
      await payInSandbox(browser, await browser.open(location))
    },
    archive: '/archive',
    invoice: /\/membership\/invoices\/[^"]+/,
  },
  hono: {
    build: async (place, tarball) => {
      fillFrom(sectionOf('docs/hosts.md', '### Hono with PostgreSQL and Paddle'), place, tarball)
      const databases = await postgresDatabases()
      const fake = (await createFakeServer('paddle', { seed: 1, running: true })) as FakePaddle
      paddle = { fake, databases }
      fake.addPrice({
        id: 'pri_pro_monthly',
        unit_amount: 900,
        currency: 'eur',
        recurring: { interval: 'month' },
      })
      fake.sendTo({ url: `${place.origin}/membership/webhooks/paddle`, secret: 'pdl_ntfset_of_the_walk' })
      // The address of the fake Paddle comes from a file beside the guide's own.
      mkdirSync(join(place.folder, 'config'))
      const api = JSON.stringify({ 'membership.providers.paddle.api_base': fake.url })
      writeFileSync(join(place.folder, 'config/membership.json'), api)
      return {
        args: ['npx', 'tsx', 'server.ts'],
        env: {
          DATABASE_URL: await databases.emptyUrl(),
          MEMBERSHIP_SECRET: 'thirty-two-bytes-of-the-walk-0123456789',
          PADDLE_SECRET: fake.secret,
          PADDLE_CLIENT_TOKEN: 'test_of_the_walk',
          PADDLE_WEBHOOK_SECRET: 'pdl_ntfset_of_the_walk',
          PADDLE_PRICE: 'pri_pro_monthly',
        },
      }
    },
    buy: async ({ browser }) => {
      const { fake } = paddle!
      const { html } = await browser.open('/membership/prices')
      const answer = await browser.post(...firstOffer(html, 'subscribe/'))
      const url = new URL(answer.headers.get('location') ?? '/', 'http://x')
      const transaction = url.searchParams.get('_ptxn') ?? ''
      must(transaction !== '', `the purchase was answered ${answer.status} and led to ${url}`)
      const page = await browser.open(url.pathname + url.search)
      must(page.html.includes('paddle.js'), 'the page of the purchase does not load Paddle.js')
      await fake.pay(transaction, { email })
      await fake.deliver()
      // Paddle.js leads the buyer there.
      await browser.open(/data-success="([^"]+)"/.exec(page.html)?.[1] ?? '/')
    },
    archive: '/archive',
    // Paddle keeps the invoice; the site has a confirmation of the payment.
    invoice: /\/membership\/payments\/[^"]+/,
    close: async () => {
      await paddle?.fake.close()
      await paddle?.databases.close()
    },
  },
}

/** Members alone see the page: a 200 that is neither the first page nor the one that asks to join. */
export async function isOpen({ browser }: RunningSite, path: string): Promise<boolean> {
  const answer = await browser.request(path)
  const html = await answer.text()
  return answer.status === 200 && !html.includes('This page is for members') && !html.includes('Log in')
}

async function walkSite(site: RunningSite, guide: Guide): Promise<void> {
  const { browser } = site
  must(!(await isOpen(site, guide.archive)), 'a visitor passes the gate')
  await guide.buy(site)
  must(await isOpen(site, guide.archive), 'the buyer is stopped at the gate')

  browser.cookies.clear()
  must(!(await isOpen(site, guide.archive)), 'the gate stays open without a session')
  await logInByMail(site)
  must(await isOpen(site, guide.archive), 'the gate is closed after the login')
  await hasInvoice(site, guide.invoice)
}

/** Logs in with the link that the site mailed, as it printed it. */
export async function logInByMail({ browser, said }: RunningSite): Promise<void> {
  await browser.open('/membership/login')
  const sent = await browser.submit('/membership/login', { email })
  must(sent.status < 300, `the login form was answered ${sent.status}`)
  const link = new URL(await said(/(http\S+\/membership\/login\/[\w.~-]+)/))
  await browser.open(link.pathname)
  const loggedIn = await browser.submit(link.pathname, {})
  must(loggedIn.status === 200, `the login was answered ${loggedIn.status}`)
}

export async function hasInvoice({ browser }: RunningSite, path: RegExp): Promise<void> {
  const account = await browser.open('/membership/account')
  const [invoice = ''] = path.exec(account.html) ?? []
  must(invoice !== '', 'the account has no invoice')
  const shown = await browser.open(invoice)
  must(shown.status === 200 && /€\d/.test(shown.html), `the invoice was answered ${shown.status}`)
}

async function walkGuide(name: string, guide: Guide, tarball: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), `membership-${name}-`))
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const began = Date.now()
  const seconds = () => ((Date.now() - began) / 1000).toFixed(0)
  let running: Awaited<ReturnType<typeof startSite>> | null = null
  try {
    const { args, env } = await guide.build({ folder, port, origin }, tarball)
    const installed = seconds()
    const cwd = name === 'five-minutes' ? join(folder, 'my-site') : folder
    running = await startSite(args, {
      cwd,
      origin,
      env: {
        ...process.env,
        NODE_ENV: 'development',
        NEXT_TELEMETRY_DISABLED: '1',
        PORT: String(port),
        ...env,
      },
    })
    const up = seconds()
    await walkSite(running.site, guide)
    console.log(
      `✔ ${name}: installed after ${installed} s, answers after ${up} s, walked after ${seconds()} s`,
    )
    return true
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: Buffer | string }
    console.log(
      `✘ ${name} (${seconds()} s)\n${message}\n${stderr}\n${running?.output().slice(0, 4000) ?? ''}`,
    )
    return false
  } finally {
    running?.stop()
    await guide.close?.()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Walks the five sites, or those named; true if all went well. */
export async function walkSites(
  tarballIn: (place: string) => string,
  names: readonly string[],
): Promise<boolean> {
  const place = mkdtempSync(join(tmpdir(), 'membership-tarball-'))
  const packed = tarballIn(place)
  const tarball = join(place, basename(packed))
  if (packed !== tarball) cpSync(packed, tarball)
  const wanted = names.length > 0 ? names : [...Object.keys(guides), 'express']
  let isWell = true
  for (const name of wanted) {
    const guide = guides[name]
    const isOk =
      guide === undefined
        ? (await walkOwnLogins(() => tarball, [name]))[name]?.wrong === undefined
        : await walkGuide(name, guide, tarball)
    isWell = isOk && isWell
  }
  rmSync(place, { recursive: true, force: true })
  return isWell
}
