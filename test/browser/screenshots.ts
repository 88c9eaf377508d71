// npm run screenshots [-- --only demo,office,partner,docs] [--before FOLDER]: pictures of every page at 390 and 1280 px, in the light and in the dark,
//   in English and German, into test-results/screenshots/. It looks at each page with the rules of axe-core (WCAG 2.2 AA), for
//   what overflows sideways, and in German for English phrases. It prints what is wrong, and exits 1 for one finding.
//   The tops of all pictures stand on one sheet, test-results/contact-sheet.webp. With --before each stands beside the one
//   of the same page in that folder, such as the test-results/screenshots/ of another worktree.
//   The documentation comes from .docs/, which npm run docs:build makes.
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { Secret, TOTP } from 'otpauth'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startSite } from '../../src/site/runtime/start.ts'
import { createClock } from '../../src/testkit/index.ts'
import { findChromium, launchChromium, visitor } from '../support/chromium.ts'
import { openOfficeSite } from '../support/office.ts'
import { buy } from '../support/visitor.ts'
import { kirbyPage, startWeb } from '../support/web.ts'
import { contactSheet, createLook, screenshots } from './looks.ts'
import { addPartner } from './partner-walk.ts'
import { lockedArticle, order } from './walks.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'demo,office,partner,docs' },
    before: { type: 'string' },
  },
})
const wanted = values.only.split(',')
const office = '/membership/office'
const languages = ['en', 'de'] as const
type Language = (typeof languages)[number]
const widths = [1280, 390] as const

const locales = { en: 'en-GB', de: 'de-DE' } as const

/** One page to look at: its name and its address. */
type Shot = readonly [name: string, path: string]

interface Studio {
  readonly browser: Browser
  readonly problems: string[]
  readonly ends: (() => unknown)[]
}

/** Looks at pages in a language at both widths, in the light and in the dark. */
async function shoot(
  { browser, problems }: Studio,
  area: string,
  language: Language,
  shots: readonly Shot[],
  options: BrowserContextOptions,
): Promise<void> {
  for (const width of widths) {
    const { page, close } = await visitor(browser, {
      ...options,
      bypassCSP: true,
      locale: locales[language],
      viewport: { width, height: width === 390 ? 844 : 800 },
    })
    const size = `${area}-${language}-${width}`
    const look = createLook(page, { size, problems, widths: [width] })
    for (const [name, path] of shots) {
      const answer = await page.goto(path)
      if ((answer?.status() ?? 500) >= 500) problems.push(`${name} (${size}): ${answer?.status()} ${path}`)
      await look(name)
    }
    await close()
  }
}

const demoShots: readonly Shot[] = [
  ['home', '/'],
  ['prices', '/pricing'],
  ['article', lockedArticle],
  ['login', '/membership/login'],
  ['order', '/membership/order?plan=pro&price=pro_yearly&redirect=/account'],
  ['order-archive', '/membership/order?product=archive_once&redirect=/archive'],
  ['gift', '/membership/gift/pro'],
  ['cancel-here', '/membership/cancel'],
  ['withdraw-here', '/membership/withdraw'],
  ['not-found', '/nowhere'],
]

const memberShots: readonly Shot[] = [
  ['home', '/'],
  ['prices', '/pricing'],
  ['article', lockedArticle],
  ['archive', '/archive'],
  ['account', '/account'],
  ['mailbox', '/demo/mailbox'],
]

/** The demo as a stranger and as a member who bought in that language. */
async function shootDemo(studio: Studio): Promise<void> {
  for (const language of languages) {
    const folder = await mkdtemp(join(tmpdir(), 'membership-shots-'))
    const { now } = createClock('2026-03-10T09:00:00.000Z')
    const site = await startSite({
      folder,
      databaseUrl: `sqlite:${join(folder, 'demo.db')}`,
      port: 0,
      host: '127.0.0.1',
      now,
      log: () => undefined,
    })
    // A process has one site at a time, so the next language waits until this one is closed.
    try {
      await shoot(studio, 'demo', language, demoShots, { baseURL: site.url })
      const { page, close } = await visitor(studio.browser, { baseURL: site.url, locale: locales[language] })
      await buyInDemo(studio, page, { area: 'buying', language, plan: 'pro', email: 'ada@example.com' })
      const storageState = await page.context().storageState()
      const own = await ownShots(page)
      await shoot(studio, 'member', language, [...memberShots, ...own], { baseURL: site.url, storageState })
      await proveAddress(page)
      const verified = { baseURL: site.url, storageState: await page.context().storageState() }
      const verifiedShots = [['account', '/account'] as Shot, ...(await ownShots(page))]
      await shoot(studio, 'verified', language, verifiedShots, verified)
      await shoot(studio, 'mails', language, await mailShots(page), verified)
      for (const control of ['fail', 'week', 'day']) await turn(page, control)
      const due: readonly Shot[] = [
        ['account', '/account'],
        ['article', lockedArticle],
      ]
      await shoot(studio, 'arrears', language, due, verified)
      await close()
      await shootTeam(studio, language, site.url)
      await shootGift(studio, language, site.url)
    } finally {
      await site.close()
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Buys two seats: the team's page is one of those that the account leads to. */
async function shootTeam(studio: Studio, language: Language, baseURL: string): Promise<void> {
  const { page, close } = await visitor(studio.browser, { baseURL, locale: locales[language] })
  await buyInDemo(studio, page, { area: 'buying-team', language, plan: 'circle', email: 'tess@example.com' })
  await proveAddress(page)
  const options = { baseURL, storageState: await page.context().storageState() }
  const own = await ownShots(page)
  await close()
  await shoot(studio, 'team', language, [['account', '/account'], ...own], options)
}

/** Gives a plan, and looks at what the buyer sees of it. */
async function shootGift(studio: Studio, language: Language, baseURL: string): Promise<void> {
  const { page, close } = await visitor(studio.browser, { baseURL, locale: locales[language] })
  await page.goto('/membership/gift/pro')
  await page.locator('input[name=to]').fill('kit@example.com')
  await page.locator('main form button').last().click()
  await page.locator('.order-page').waitFor()
  const returned = await payInDemo(page, 'gwen@example.com')
  const options = { baseURL, storageState: await page.context().storageState() }
  await page.goto(returned)
  const links = await page.locator('main a[href*="/membership/gifts/"]').all()
  const gift = (await links[0]?.getAttribute('href')) ?? '/account'
  await close()
  const shots: readonly Shot[] = [
    ['return', returned],
    ['bought', gift],
    ['redeem', '/membership/redeem'],
  ]
  await shoot(studio, 'gift', language, shots, options)
}

/** Buys a plan in the demo, and looks at the sandbox's page and at the page after paying. */
async function buyInDemo(
  studio: Studio,
  page: Page,
  {
    area,
    language,
    plan,
    email,
  }: { readonly area: string; readonly language: Language; readonly plan: string; readonly email: string },
): Promise<void> {
  await page.goto('/pricing')
  const { origin: baseURL } = new URL(page.url())
  await page.locator(`form[action*="/membership/subscribe/${plan}"] button`).first().click()
  await page.waitForURL(/\/membership\/order/)
  await page.locator('.order-page').waitFor()
  const look = async (name: string, path: string) =>
    shoot(studio, area, language, [[name, path]], {
      baseURL,
      storageState: await page.context().storageState(),
    })
  const returned = await payInDemo(page, email, (path) => look('sandbox', path))
  await look('return', returned)
  for (let tries = 0; tries < 80; tries++) {
    await page.goto('/account')
    if ((await page.locator('main form[action*="/membership/"]').count()) > 2) return
    await page.waitForTimeout(250)
  }
}

/** Orders and pays. Returns the address of the page after paying; `onSandbox` looks at the one before. */
async function payInDemo(
  page: Page,
  email: string,
  onSandbox: (path: string) => Promise<void> = async () => undefined,
): Promise<string> {
  await order(page)
  await onSandbox(page.url())
  await page.locator('#email').fill(email)
  await page.locator('#name').fill('Ada Lovelace')
  await page.locator('form:has(#card) button').last().click()
  await page.waitForURL((url) => !url.pathname.includes('/sandbox/'))
  const returned = page.url()
  await page.locator('.notice-paid').waitFor()
  return returned
}

/** Uses a control of the demo, and waits for what it causes. */
async function turn(page: Page, control: string): Promise<void> {
  await page.goto('/account')
  await Promise.all([
    page.waitForResponse((answer) => answer.request().method() === 'POST'),
    page.locator(`form[action="/demo/${control}"]`).evaluate(submit),
  ])
  await page.waitForLoadState()
  await page.waitForTimeout(2000)
}

function submit(form: unknown): void {
  ;(form as { submit(): void }).submit()
}

/** The mails that the demo has sent, the newest first. */
async function mailShots(page: Page): Promise<Shot[]> {
  await page.goto('/demo/mailbox')
  const links = await page.locator('.mailbox-list a').all()
  const paths = await Promise.all(links.slice(0, 3).map((link) => link.getAttribute('href')))
  return paths.map((path, n) => [`mail-${n + 1}`, path ?? '/demo/mailbox'])
}

/** Asks for a login link, and opens it from the demo's mailbox. */
async function proveAddress(page: Page): Promise<void> {
  await page.goto('/account')
  await page.locator('main form[action="/membership/login"] button').first().click()
  await page.waitForLoadState()
  for (let tries = 0; tries < 80; tries++) {
    await page.goto('/demo/mailbox')
    const mails = page.locator('.mailbox-list a')
    for (let n = 0; n < (await mails.count()); n++) {
      await page.goto('/demo/mailbox')
      await mails.nth(n).click()
      const [link] =
        /https?:\/\/\S+\/membership\/login\/\S+/.exec(await page.locator('pre').innerText()) ?? []
      if (link === undefined) continue
      await page.goto(link)
      await page.locator('main form button').first().click()
      await page.waitForURL(/\/account$/)
      return
    }
    await page.waitForTimeout(250)
  }
  throw new Error('The mailbox has no login link.')
}

// They differ from run to run, and a picture keeps its name.
const ids = /(sub|pay)_[\w-]+/g

/** The pages that a member's account leads to, by its links and by its forms that only show something. */
async function ownShots(page: Page): Promise<Shot[]> {
  await page.goto('/account')
  const links = await page
    .locator('main a[href^="/"]')
    .evaluateAll((all) =>
      all.map((link) => (link as unknown as { getAttribute(name: string): string }).getAttribute('href')),
    )
  const forms = await page.locator('main form[method=get]').evaluateAll((all) =>
    all.map((form) => {
      const { action, elements } = form as unknown as {
        action: string
        elements: Iterable<{ name: string; value: string }>
      }
      const fields = [...elements]
        .filter(({ name }) => name !== '')
        .map(({ name, value }) => [name, value] as [string, string])
      const { pathname } = new URL(action)
      return fields.length === 0 ? pathname : `${pathname}?${new URLSearchParams(fields)}`
    }),
  )
  const paths = [...new Set([...links, ...forms])].filter(
    (path) => path !== '/' && !/\/(articles|archive|pricing|export|logout)/.test(path),
  )
  return paths
    .slice(0, 16)
    .map((path) => [`account${path.replace(/\?.*/, '').replace(ids, '$1').replaceAll('/', '-')}`, path])
}

/** Each page of the office, with members, payments, a failure, a refund and events in it. */
async function shootOffice(studio: Studio): Promise<void> {
  const t = { teardown: (end: () => unknown) => void studio.ends.push(end) }
  const opened = await openOfficeSite(t as never, {
    'membership.reports.system': 'kirby',
    'membership.reports.contact': 'index@operator.example',
    'membership.reports.crawl.enabled': false,
  })
  const { m, fake, site, operators, mailbox } = opened
  const { user: ann } = await buy(opened, 'ann@example.com')
  const { user: bob } = await buy(opened, 'bob@example.com', { path: '/membership/subscribe/team' })
  await buy(opened, 'cleo.with-a-long-address-of-her-own@subdomain.example.com')
  await m.payments.refund({ payment: ann.payments()[0]!, amount: 100 })
  for (let month = 0; month < 8; month++) {
    if (month === 2) await buy(opened, 'dora@example.com', { path: '/membership/subscribe/team' })
    if (month === 4)
      await m.subscriptions.cancel({ user: bob, subscriptionId: bob.subscriptions()[0]!.id, when: 'now' })
    if (month === 7) fake.failNextPayment(ann.subscriptions()[0]!.id)
    await fake.advance({ months: 1 })
    await fake.deliver()
    await m.runDueJobs()
  }
  await operators.add({ email: 'ada@example.com', role: 'owner', by: 'screenshots' })
  await m.users.create({ email: 'ada@example.com', name: 'Ada' })
  await m.reports.operator.exclude('kept-out.org', 'asked for')
  const file = Buffer.from('email,plan\nnot-an-address,pro\ncleo@example.com,Platinum')
  await m.operator.import({ file, map: { email: 'email', price_id: 'plan' }, write: true })

  const { page, close } = await visitor(studio.browser, { baseURL: site })
  await page.goto(office)
  await page.locator('input[type=email]').fill('ada@example.com')
  await page.locator('main form button').click()
  await page.waitForLoadState()
  await m.runDueJobs()
  await page.goto(mailbox.link('ada@example.com'))
  await page.locator('main form button').click()
  await page.waitForURL(/\/membership\/office/)
  const typed = await page.locator('.o-secret').innerText()
  const totp = new TOTP({ secret: Secret.fromBase32(typed.replaceAll(' ', '')) })
  await page.locator('main input[name=code]').fill(totp.generate({ timestamp: fake.now().getTime() }))
  await page.locator('main form button').click()
  await page.locator('.o-codes').waitFor()
  const storageState = await page.context().storageState()
  await close()

  const month = fake.now().toISOString().slice(0, 7)
  const shots: Shot[] = [
    ['today', ''],
    ['members', '/members'],
    ['members-none', '/members?q=nobody'],
    ['members-failed', '/members?view=failed'],
    ['member', `/members/${ann.id}`],
    ['confirm', `/members/${ann.id}/do/grant?gate=team&until=2027-12-31`],
    ['money', '/money'],
    ['money-list', `/money/list?kind=received&month=${month}`],
    ['plans', '/plans'],
    ['deliveries', '/deliveries'],
    ['delivery', '/deliveries/1'],
    ['messages', '/messages'],
    ['deadlines', '/deadlines'],
    ['unclaimed', '/unclaimed'],
    ['leftovers', '/leftovers'],
    ['check', '/check'],
    ['log', '/log'],
    ['operators', '/operators'],
    ['index', '/index'],
    ['index-websites', '/index/websites'],
    ['index-relink', '/index/relink'],
    ['problem', '/members/nobody'],
  ]
  for (const language of languages) {
    await m.storage.read((db) =>
      db.updateTable('members').set({ language }).where('email', '=', 'ada@example.com'),
    )
    const paths = shots.map(([name, path]): Shot => [name, office + path])
    await shoot(studio, 'office', language, paths, { baseURL: site, storageState })
  }
}

/** The partners' pages of the website index, with two websites. */
async function shootPartner(studio: Studio): Promise<void> {
  const t = { teardown: (end: () => unknown) => void studio.ends.push(end) }
  const web = await startWeb({
    'a.example': { '/': kirbyPage('Site A') },
    'b.example': { '/': kirbyPage('Site B, whose title is a long one: Donaudampfschifffahrtsgesellschaft') },
  })
  studio.ends.push(web.close)
  const { m, site } = await openOfficeSite(t as never, {
    'membership.reports.system': 'kirby',
    'membership.reports.contact': 'index@operator.example',
    'membership.reports.crawl.enabled': false,
    'membership.reports.crawl.pause_seconds': 0,
    reports: web.options,
  })
  const { key, id } = await addPartner(m, site)
  const { page, close } = await visitor(studio.browser, { baseURL: site })
  await page.goto('/partner')
  await page.locator('main input:not([type=hidden])').first().fill(key)
  await page.keyboard.press('Enter')
  await page.locator('main a[href*="/partner/websites/"]').first().waitFor()
  const storageState = await page.context().storageState()
  await close()
  for (const language of languages) {
    await shoot(studio, 'partner-out', language, [['login', '/partner']], { baseURL: site })
    const shots: Shot[] = [
      ['wall', '/partner'],
      ['list', '/partner/list'],
      ['website', `/partner/websites/${id}`],
      ['problem', '/partner/websites/nothing'],
    ]
    await shoot(studio, 'partner', language, shots, { baseURL: site, storageState })
  }
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

/** The pages of the documentation site, as it was built. */
async function shootDocs(studio: Studio): Promise<void> {
  const folder = join(import.meta.dirname, '../../.docs')
  if (!existsSync(join(folder, 'index.html'))) {
    console.log('The documentation was not built: npm run docs:build')
    return
  }
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://docs').pathname)
    const names = [path, `${path}.html`, join(path, 'index.html')]
    const file = names
      .map((name) => join(folder, name))
      .find((name) => existsSync(name) && extname(name) !== '')
    if (file === undefined || relative(folder, file).startsWith('..'))
      return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
    response.end(await readFile(file))
  }).listen(0, '127.0.0.1')
  studio.ends.push(() => server.close())
  await new Promise((ready) => server.once('listening', ready))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const names = [
    '',
    'start',
    'selling',
    'gates',
    'members',
    'office',
    'webhooks',
    'configuration',
    'errors',
    'hosts',
    'limits',
    'providers/stripe',
    'providers/apple',
    'provider-capabilities',
    'apps',
    'astro',
    'performance',
    'api/membership/schemas',
  ]
  await shoot(
    studio,
    'docs',
    'en',
    names.map((name): Shot => [name.replace('/', '-') || 'home', `/${name}`]),
    { baseURL },
  )
}

const areas = { demo: shootDemo, office: shootOffice, partner: shootPartner, docs: shootDocs }
const chromium = findChromium()
if (chromium === null) throw new Error('No Chromium here: install it, or name it in CHROMIUM.')
const studio: Studio = { browser: await launchChromium(chromium), problems: [], ends: [] }
try {
  for (const [name, run] of Object.entries(areas)) if (wanted.includes(name)) await run(studio)
} finally {
  await studio.browser.close()
  for (const end of studio.ends.reverse()) await end()
}
const sheet = join(screenshots, '..', 'contact-sheet.webp')
const shown = await contactSheet(screenshots, sheet, values.before ?? null)
console.log(`${shown} pictures on ${relative(process.cwd(), sheet)}`)
for (const problem of studio.problems) console.log(problem)
console.log(`${studio.problems.length} findings; pictures in ${relative(process.cwd(), screenshots)}/`)
process.exit(studio.problems.length > 0 ? 1 : 0)
