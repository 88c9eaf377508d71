import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startSite } from '../../src/site/runtime/start.ts'
import { createClock } from '../../src/testkit/index.ts'
import { findChromium, launchChromium, visitor } from '../support/chromium.ts'
import { thorough } from '../support/parts.ts'
import { createLook, type Look } from './looks.ts'
import { isOpen, lockedArticle, logIn, mainText, openMail, order, press, standing, status } from './walks.ts'

// What the demo sells beside a membership: seats, gifts, and more of a limit.

const chromium = findChromium()
const browsers: Browser[] = []

test.before(async () => {
  if (chromium !== null) browsers.push(await launchChromium(chromium))
})
test.after.always(async () => {
  for (const browser of browsers) await browser.close()
})

async function open(t: ExecutionContext, options: BrowserContextOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'membership-offers-'))
  const { now } = createClock('2026-03-10T09:00:00.000Z')
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
  const meet = async (): Promise<Page> => {
    const met = await visitor(browsers[0]!, { baseURL: site.url, bypassCSP: true, ...options })
    t.teardown(met.close)
    return met.page
  }
  return { site, log, meet }
}

const quiet: Look = async () => {}

/** Pays on the sandbox's page. */
async function pay(page: Page, email: string | null): Promise<void> {
  if (email !== null) await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Name on the card').fill('Ada Lovelace')
  await page.getByRole('button', { name: /^(Pay|Start)/ }).click()
  await page.getByRole('heading', { name: /^Thank you|^Your trial has started|^Your gift is paid/ }).waitFor()
}

/** The link of the mail that is open, as its plain text has it. */
async function linkIn(page: Page, path: RegExp): Promise<string> {
  const text = await page.locator('pre').innerText()
  const found = new RegExp(`https?://\\S+${path.source}\\S*`).exec(text)?.[0]
  if (found === undefined) throw new Error(`no link ${path} in ${text}`)
  return new URL(found).pathname
}

/** Logs in from a page that asks for it, and comes back to that page. */
async function logInHere(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send me a login link' }).click()
  await page.getByRole('heading', { name: 'Check your mailbox' }).waitFor()
  await openMail(page, new RegExp(`(Log in|Confirm your address)[\\s\\S]*${email.replace('.', '\\.')}`))
  await page.goto(await linkIn(page, /\/membership\/login\//))
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(/\/membership\/(join|redeem)\//)
}

const sizes = [
  { size: 'desktop', viewport: { width: 1280, height: 800 }, widths: [1280] },
  { size: 'phone', viewport: { width: 390, height: 844 }, widths: [390, 320] },
]

for (const { size, viewport, widths } of sizes) {
  const walk = chromium === null ? test.skip : thorough(test).serial
  // Shows at every run that such pages can be walked.
  const walkOften = chromium !== null && size === 'desktop' ? test.serial : walk

  walkOften(
    `a team on a ${size}: bought, joined by the link of the mail, handed over, given up`,
    async (t) => {
      const problems: string[] = []
      const { meet, log } = await open(t, { viewport })
      const [ada, ben] = [await meet(), await meet()]
      const look = createLook(ada, { size: `team-${size}`, widths, problems })
      await ada.goto('/pricing')
      t.regex(await mainText(ada), /Reading Circle[\s\S]*Price per seat\./)
      await look('prices')
      await ada.getByLabel(/^Seats/).fill('3')
      await ada.getByRole('button', { name: /^Subscribe ?: Reading Circle/ }).click()
      await order(ada)
      t.regex(await mainText(ada), /3 × Reading Circle, monthly[\s\S]*€12/)
      await pay(ada, 'ada@example.com')
      await logIn({ t, page: ada, look: quiet }, 'ada@example.com')
      t.regex(await mainText(ada), /Your groups\s+Reading Circle\s+1 of 3 seats taken\./)
      await look('account')

      await ada.getByRole('link', { name: /^Invite and remove people/ }).click()
      await look('group')
      await ada.getByLabel(/^E-mail addresses/).fill('ben@example.com\ncid@example.com, dan@example.com')
      await ada.getByRole('button', { name: 'Invite', exact: true }).click()
      await status(ada, /All seats are taken, so dan@example\.com could not be invited/)
      t.regex(await mainText(ada), /3 seats, 0 free/)
      await look('invited')

      const seen = createLook(ben, { size: `team-${size}`, widths, problems })
      await openMail(ben, /You’ve been invited to[\s\S]*cid@example\.com/)
      const link = await linkIn(ben, /\/membership\/join\//)
      await ben.goto(link)
      t.regex(await mainText(ben), /Log in with a link/)
      await seen('join-login')
      await logInHere(ben, 'cid@example.com')
      await ben.goto(link)
      await seen('join')
      await ben.getByRole('button', { name: 'Take the seat' }).click()
      await status(ben, /The seat is yours now\./)
      t.regex(await mainText(ben), /Reading Circle[\s\S]*Somebody else pays for it/)
      await seen('seat')
      t.true(await isOpen(ben))
      t.is((await ben.goto('/archive'))?.status(), 200, 'the circle opens the printed issues, too')

      await ada.reload()
      await ada.getByRole('button', { name: /^Make them a manager/ }).click()
      await status(ada, /cid@example\.com manages the group now/)
      await ada.getByRole('button', { name: /^Withdraw/ }).click()
      await status(ada, /ben@example\.com has no seat any more/)
      await ben.goto('/account')
      t.regex(await mainText(ben), /Your groups\s+Reading Circle\s+2 of 3 seats taken/)

      await ada.getByLabel('Paid seats').fill('4')
      await ada.getByRole('button', { name: 'Review price' }).click()
      t.regex(await mainText(ada), /4 × Reading Circle, monthly: €16 per month/)
      await look('more-seats')

      await ben.getByRole('button', { name: /^Leave the group/ }).click()
      await status(ben, /You gave up your seat\./)
      t.false(await isOpen(ben))
      t.deepEqual(problems, [])
      t.deepEqual(log, [])
    },
  )

  walk(`a gift on a ${size}: ordered for a day, printed, redeemed, sent again`, async (t) => {
    const problems: string[] = []
    const { meet, log } = await open(t, { viewport })
    const [ada, ben] = [await meet(), await meet()]
    const look = createLook(ada, { size: `gift-${size}`, widths, problems })
    await ada.goto('/pricing')
    await ada.getByRole('link', { name: /^Give as a gift/ }).click()
    await look('give')
    await ada.getByLabel('E-mail of the recipient').fill('ben@example.com')
    await ada.getByLabel('Send it on').fill('2026-03-13')
    await ada.getByLabel('Your message').fill('For the long evenings.')
    await ada.getByRole('button', { name: 'Continue to payment' }).click()
    await order(ada)
    await pay(ada, 'ada@example.com')
    await ada.getByRole('link', { name: 'See the gift and print it' }).click()
    await ada.getByRole('heading', { name: 'Your gift: Pro' }).waitFor()
    t.regex(await mainText(ada), /It will be sent to ben@example\.com on 13 March/)
    t.regex(await mainText(ada), /For the long evenings\.[\s\S]*[0-9A-Z]{5}(-[0-9A-Z]{5}){3}/)
    await look('print')
    await ada.emulateMedia({ media: 'print' })
    t.false(await ada.getByRole('button', { name: 'Send' }).isVisible(), 'paper has no buttons')
    await ada.emulateMedia({ media: 'screen' })

    await press(ada, 'One week forward')
    await ada.reload()
    t.regex(await mainText(ada), /Sent to ben@example\.com on 13 March\. Not redeemed yet\./)
    await ada.getByRole('button', { name: 'Send', exact: true }).click()
    await status(ada, /The gift was sent to ben@example\.com/)
    await ada.goto('/account')
    t.regex(await mainText(ada), /Gifts that you bought\s+Pro, 12 months/)
    await look('account')

    const seen = createLook(ben, { size: `gift-${size}`, widths, problems })
    await openMail(ben, /gift/i)
    await seen('mail')
    const link = await linkIn(ben, /\/membership\/redeem\//)
    await ben.goto(link)
    await seen('redeem-login')
    await logInHere(ben, 'ben@example.com')
    await ben.goto(link)
    t.regex(await mainText(ben), /Your membership starts now and runs until 17 March 2027/)
    await seen('redeem')
    await ben.getByRole('button', { name: 'Redeem it' }).click()
    await status(ben, /The gift is yours now\./)
    await standing(ben, /Pro\s+A gift, until 17 March 2027/)
    t.true(await isOpen(ben))
    await ben.goto(link)
    t.regex(await mainText(ben), /This gift has been redeemed already/)
    await ada.reload()
    t.regex(await mainText(ada), /Pro, 12 months for ben@example\.com\s+Redeemed\./)
    t.deepEqual(problems, [])
    t.deepEqual(log, [])
  })

  walk(`a limit on a ${size}: used, reached, topped up`, async (t) => {
    const problems: string[] = []
    const { meet, log } = await open(t, { viewport })
    const page = await meet()
    const look = createLook(page, { size: `limit-${size}`, widths, problems })
    await page.goto('/pricing?every=year')
    await page.getByRole('button', { name: /^Subscribe ?: Pro, Yearly/ }).click()
    await order(page)
    await pay(page, 'ada@example.com')
    const print = async (path: string): Promise<void> => {
      await page.goto(path)
      await page.getByRole('button', { name: 'Printable page' }).click()
    }
    await print(lockedArticle)
    await status(page, /1 of 2 used, 1 left\. Resets on 1 April\./)
    await look('print')
    await print(lockedArticle)
    await status(page, /1 of 2 used/)
    await print('/articles/an-oven-cooling')
    await status(page, /2 of 2 used, 0 left/)
    await print('/articles/the-book-that-knows-the-sea')
    await page.getByRole('heading', { name: 'You have reached your limit' }).waitFor()
    const offers = await mainText(page)
    t.regex(offers, /2 of 2 used, 0 left/)
    t.regex(offers, /Reading Circle/, 'a plan with more')
    t.regex(offers, /Articles to print, 10 more\s+€3/, 'and a top-up')
    await look('reached')
    await page.getByRole('button', { name: /^Buy for €3/ }).click()
    await order(page)
    await pay(page, null)
    await page.getByRole('link', { name: 'Continue' }).click()
    await print('/articles/the-book-that-knows-the-sea')
    await status(page, /2 of 2 used, 0 left\. 9 more from top-ups\./)
    await page.goto('/account')
    t.regex(await mainText(page), /Usage\s+Articles to print[\s\S]*9 more from top-ups/)
    await look('account')
    t.deepEqual(problems, [])
    t.deepEqual(log, [])
  })

  walk(
    `a supporter on a ${size}: the amount chosen, paid, on the receipt and in the office, changed later`,
    async (t) => {
      const problems: string[] = []
      const { meet, log } = await open(t, { viewport })
      const page = await meet()
      const look = createLook(page, { size: `supporter-${size}`, widths, problems })
      await page.goto('/pricing')
      t.regex(await mainText(page), /Supporter[\s\S]*from €3\s+per month incl\. VAT[\s\S]*From €3 to €500/)
      const monthly = page.locator('form[action="/membership/subscribe/supporter"]')
      const more = () => monthly.getByRole('button', { name: /^Continue with this amount/ }).click()
      await look('prices')
      await monthly.getByLabel('Another amount').fill('2,50')
      await more()
      await page.getByRole('heading', { name: 'Please choose another amount' }).waitFor()
      await look('too-little')
      await page.goto('/pricing')
      await monthly.getByLabel('€10').check()
      await more()
      t.regex(await mainText(page), /Supporter[\s\S]*Due today\s+€10, incl\. VAT\s+Then\s+€10 per month/)
      await look('order')
      await order(page)
      t.regex(await mainText(page), /€10/)
      await pay(page, 'ada@example.com')
      await logIn({ t, page, look: quiet }, 'ada@example.com')
      await standing(page, /Supporter, monthly\s+€10 per month\s+Renews on 10 April/)
      await look('account')
      await openMail(page, /Supporter/)
      t.regex(await page.locator('pre').innerText(), /€10/)
      await look('receipt-mail')

      await page.goto('/membership/office/members')
      await page.locator('.o-table th a').first().click()
      t.regex(await mainText(page), /Supporter, monthly[\s\S]*€10/)
      await look('office')

      // More is paid now, as previewed.
      const change = page.locator('form', {
        has: page.getByRole('group', { name: /^Your amount ?: Supporter, Monthly/ }),
      })
      const toForm = async () => {
        await page.goto('/account')
        await page.getByRole('button', { name: /^Change the amount/ }).click()
        await page.waitForURL(/\/pricing/)
      }
      await toForm()
      await change.getByLabel('€20').check()
      await look('change-form')
      await change.getByRole('button', { name: /^Change the amount/ }).click()
      await page.getByRole('heading', { name: 'Change to Supporter, monthly' }).waitFor()
      for (const fact of [
        /You have\s+Supporter, monthly: €10 per month/,
        /You get\s+Supporter, monthly: €20 per month/,
        /Due today\s+€10/,
      ])
        t.regex(await mainText(page), fact)
      await look('change')
      await page.getByRole('button', { name: 'Order with obligation to pay' }).click()
      await standing(page, /Supporter, monthly\s+€20 per month\s+Renews on 10 April/)

      // Less counts from the next payment on.
      await toForm()
      await change.getByLabel('Another amount').fill('4.50')
      await change.getByRole('button', { name: /^Change the amount/ }).click()
      await page.getByRole('heading', { name: 'Change to Supporter, monthly' }).waitFor()
      t.regex(await mainText(page), /You get\s+Supporter, monthly: €4\.50 per month/)
      t.regex(await mainText(page), /Due today\s+€0/)
      await page.locator('form.confirm button').click()
      await standing(page, /€20 per month\s+Changes to Supporter, monthly on 10 April: €4\.50 per month/)
      await look('less-planned')
      await press(page, 'One month forward')
      await standing(page, /Supporter, monthly\s+€4\.50 per month\s+Renews on 10 May/)
      t.regex(await mainText(page), /10 April[\s\S]*€4\.50/)
      await page.goto('/membership/office/members')
      await page.locator('.o-table th a').first().click()
      t.regex(await mainText(page), /Supporter, monthly[\s\S]*€4\.50/)

      // Once, an amount of one's own.
      await page.goto('/pricing')
      const once = page.locator('form', { has: page.locator('input[value="supporter_once"]') })
      await page.locator('summary', { hasText: 'One payment' }).click()
      await once.getByLabel('Amount in EUR').fill('7,50')
      await once.getByRole('button').click()
      t.regex(await mainText(page), /one-time payment[\s\S]*Due today\s+€7\.50, incl\. VAT/)
      await order(page)
      await pay(page, null)
      await page.goto('/account')
      t.regex(await mainText(page), /Supporter\s+€7\.50/)
      await page.getByRole('link', { name: 'Invoice' }).first().click()
      t.regex(await mainText(page), /Supporter[\s\S]*€7\.50/)
      await look('receipt')
      t.deepEqual(problems, [])
      t.deepEqual(log, [])
    },
  )

  walk(`a metered wall on a ${size}: free pages, the closed page, a login, a purchase`, async (t) => {
    const problems: string[] = []
    const { meet, log, site } = await open(t, { viewport })
    const page = await meet()
    const look = createLook(page, { size: `wall-${size}`, widths, problems })
    await page.goto('/')
    t.regex(await mainText(page), /From the archive\s+2 of 2 free pages left\./)
    await look('home')
    await page.getByRole('link', { name: 'Salt' }).click()
    await page.waitForURL(/\/issues\/1$/)
    t.regex(await mainText(page), /the sea was thought to sweat[\s\S]*1 of 2 free pages left\./)
    t.regex(await page.content(), /"isAccessibleForFree":false/)
    await look('open')
    await page.reload()
    await status(page, /1 of 2 free pages left/)
    await page.goto('/issues/2')
    await status(page, /0 of 2 free pages left\. The next ones are free from 9 April\./)
    t.is((await page.goto('/issues/3'))?.status(), 403)
    const closed = await mainText(page)
    t.regex(closed, /You have read your 2 free pages\. The next ones are free from 9 April\./)
    t.false(closed.includes('bird that plants oaks'))
    await look('closed')
    t.is((await page.goto('/issues/1'))?.status(), 200, 'a counted page stays open')

    const crawler = await fetch(new URL('/issues/3', site.url), {
      headers: { accept: 'text/html', 'user-agent': 'Googlebot' },
    })
    t.is(crawler.status, 403)
    t.false(
      (await crawler.text()).includes('bird that plants oaks'),
      'nothing of a closed page is in its HTML',
    )
    const stranger = await meet()
    t.is((await stranger.goto('/issues/3'))?.status(), 200, 'another browser has pages of its own')

    await page.goto('/pricing?every=year')
    await page.getByRole('button', { name: /^Subscribe ?: Pro, Yearly/ }).click()
    await order(page)
    await pay(page, 'ada@example.com')
    t.is((await page.goto('/issues/3'))?.status(), 200, 'members have one more')
    t.is((await page.goto('/issues/4'))?.status(), 403)
    await page.goto('/account')
    t.regex(
      await mainText(page),
      /Free pages and paid time\s+The Archive[\s\S]*0 of 3 free pages left\. The next ones are free from 9 April\./,
    )
    await look('account')
    await page.goto('/issues/4')
    await page.getByRole('button', { name: /^Buy/ }).first().click()
    await order(page)
    await pay(page, null)
    t.is((await page.goto('/issues/4'))?.status(), 200)
    t.false((await mainText(page)).includes('free pages'), 'an owner is not counted')
    t.deepEqual(problems, [])
    t.deepEqual(log, [])
  })
}
