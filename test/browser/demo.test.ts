import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { startSite } from '../../src/site/runtime/start.ts'
import { createClock } from '../../src/testkit/index.ts'
import { findChromium, launchChromium, visitor } from '../support/chromium.ts'
import { thorough } from '../support/parts.ts'
import { createLook, screenshots } from './looks.ts'
import { buy, buyByKeyboard, failAndPay, isOpen, leave, logIn, mainText, refund } from './walks.ts'

const chromium = findChromium()
const browsers: Browser[] = []
const walk = chromium === null ? test.skip : test.serial
const walkThoroughly = chromium === null ? test.skip : thorough(test).serial
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

async function open(
  t: ExecutionContext,
  options: BrowserContextOptions,
  words: Readonly<Record<string, string>> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'membership-walk-'))
  await mkdir(join(folder, 'templates', 'words'), { recursive: true })
  for (const [name, text] of Object.entries(words))
    await writeFile(join(folder, 'templates', 'words', name), text)
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

const sizes = [
  { size: 'desktop', viewport: { width: 1280, height: 800 }, widths: [1280] },
  { size: 'phone', viewport: { width: 390, height: 844 }, widths: [390, 320] },
]

for (const { size, viewport, widths } of sizes)
  (size === 'phone' ? walkThoroughly : walk)(
    `a whole membership on a ${size}, in the light and in the dark, and the pages look right`,
    async (t) => {
      const problems: string[] = []
      const { meet, log } = await open(t, { viewport, bypassCSP: true })
      const { page } = await meet()
      const step = { t, page, look: createLook(page, { size, widths, problems }) }
      await page.goto('/')
      await step.look('home')
      await buy(step, 'ada@example.com')
      await step.look('account')
      await page.getByRole('link', { name: 'Invoice' }).first().click()
      await page.getByRole('heading', { name: /^Test invoice/ }).waitFor()
      await step.look('invoice')
      t.true(await isOpen(page))
      await step.look('article')
      await leave(step)
      t.deepEqual(problems, [])
      t.deepEqual(log, [])
    },
  )

walk('logged in by a link in another browser, changed, logged out, deleted', async (t) => {
  const problems: string[] = []
  const { meet, log, site } = await open(t, { viewport: { width: 390, height: 844 }, bypassCSP: true })
  const first = await meet()
  const quiet = async () => {}
  await buy({ t, page: first.page, look: quiet }, 'ada@example.com')
  const { page } = await meet()
  const look = createLook(page, { size: 'phone-login', widths: [390, 320], problems })
  await logIn({ t, page, look }, 'ada@example.com')
  t.regex(await mainText(page), /ada@example\.com/)
  await page.getByLabel('Name').fill('Ada, Countess')
  await page.getByLabel('Send me the newsletter').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Ada, Countess' }).waitFor()
  t.true(await page.getByLabel('Send me the newsletter').isChecked())

  await page.getByRole('link', { name: 'Delete your account' }).click()
  await page.getByRole('heading', { name: 'Delete your account' }).waitFor()
  await look('delete')
  await page.getByLabel(/^I want to delete my account/).check()
  await page.getByRole('button', { name: 'Delete my account permanently' }).click()
  await page.goto('/account')
  t.regex(await mainText(page), /You are not logged in/)
  t.is(await site.membership.users.findByEmail('ada@example.com'), null)
  t.deepEqual(problems, [])
  t.deepEqual(log, [])
})

walk('a renewal fails and is paid after all, a refund closes what was bought', async (t) => {
  const problems: string[] = []
  const { meet, log } = await open(t, { viewport: { width: 390, height: 844 }, bypassCSP: true })
  const { page } = await meet()
  const step = { t, page, look: createLook(page, { size: 'phone-failed', widths: [390], problems }) }
  await buy({ ...step, look: async () => {} }, 'ada@example.com')
  await failAndPay(step)
  await refund(step)
  t.deepEqual(problems, [])
  t.deepEqual(log, [])
})

walk('bought, cancelled and all but deleted with the keyboard alone', async (t) => {
  const { meet } = await open(t, { viewport: { width: 1280, height: 800 } })
  const { page, complaints } = await meet()
  await buyByKeyboard({ t, page, look: async () => {} }, 'eve@example.com')
  t.deepEqual(complaints, [])
})

walk('every page works without JavaScript, and breaks no rule of its own policy', async (t) => {
  const { meet } = await open(t, { viewport: { width: 1280, height: 800 }, javaScriptEnabled: false })
  const { page, complaints } = await meet()
  const step = { t, page, look: async () => {} }
  await buy(step, 'bob@example.com')
  t.true(await isOpen(page))
  await leave(step)
  await logIn(step, 'bob@example.com')
  t.deepEqual(complaints, [])
})

// A language that is written from right to left, made for this test; what it lacks is said in English.
const hebrew = `direction: rtl
page: { prices: מחירים, account: "החשבון שלי", skip: "דילוג לתוכן" }
magazine: { articles: מאמרים, pitch_title: "שלוש כתבות בעונה. בלי פרסומות.", see_prices: "לכל המחירים" }
login: { ask: { title: כניסה, how: "אין סיסמה: אנחנו שולחים קישור לכתובת הדואר האלקטרוני שלך." }, send: "שלחו לי קישור" }
`
const longest = 'Wolfeschlegelsteinhausenbergerdorffen'

walkThoroughly(
  'German, long names and writing from right to left overflow nowhere on the narrowest phones',
  async (t) => {
    const problems: string[] = []
    const phone = { viewport: { width: 360, height: 740 }, bypassCSP: true }
    const { meet, site } = await open(t, phone, { 'he.yml': hebrew })
    const { page } = await meet({ locale: 'de-DE' })
    const look = createLook(page, { size: 'phone-german', widths: [360, 320], problems })
    const go = async (path: string, step: string) => {
      await page.goto(path)
      t.is(await page.locator('html').getAttribute('lang'), 'de', path)
      await look(step)
    }
    await go('/', 'home')
    const bar = await page.locator('.demo').boundingBox()
    t.true((bar?.height ?? 99) < 50, `the demo's bar is one line: ${bar?.height} px`)
    await go('/pricing', 'prices')
    await go('/archive', 'locked')
    await go('/nowhere', 'error')
    await go('/membership/login', 'login')
    await page.locator('#login-email').fill(`${longest}@example.com`)
    await page.locator('main form button').click()
    await page.locator('main a[href="/demo/mailbox"]').waitFor()
    await look('sent')
    const token = await page.locator('input[name=token]').first().inputValue()
    const fields = { token, price: 'pro_yearly', redirect: '/account' }
    const begun = await page.request.post('/membership/subscribe/pro', {
      form: fields,
      maxRedirects: 0,
      headers: { 'accept-language': 'de-DE' },
    })
    await go(String(begun.headers().location), 'checkout')
    await page.locator('#email').fill(`${longest}@example.com`)
    await page.locator('#name').fill(`${longest} ${longest}`)
    await page.locator('.pay form').first().locator('button').click()
    await page.getByRole('heading', { name: 'Vielen Dank. Sie sind dabei.' }).waitFor()
    await look('paid')
    await go('/account', 'account')
    t.is((await site.membership.users.findByEmail(`${longest}@example.com`))?.language, 'de')
    await page.locator('.demo summary').click()
    const list = page.locator('.demo-events')
    await list.focus()
    t.is(await page.evaluate<string>('document.activeElement?.className'), 'demo-events')
    await look('bar-open')
    await go('/demo/mailbox', 'mailbox')

    const { page: rightToLeft } = await meet({ locale: 'he-IL' })
    const lookAgain = createLook(rightToLeft, { size: 'phone-rtl', widths: [360, 320], problems })
    for (const path of ['/', '/pricing', '/membership/login']) {
      await rightToLeft.goto(path)
      t.is(await rightToLeft.locator('html').getAttribute('dir'), 'rtl', path)
      await lookAgain(path.split('/').at(-1) || 'home')
    }
    t.deepEqual(problems, [])
  },
)
