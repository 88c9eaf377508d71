import { relative } from 'node:path'
import test from 'ava'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { findChromium, launchChromium, visitor } from '../support/chromium.ts'
import { thorough } from '../support/parts.ts'
import { tabTo } from './keyboard.ts'
import { createLook, screenshots } from './looks.ts'
import { longest, openShop, type Shop } from './shop-site.ts'

const chromium = findChromium()
const browsers: Browser[] = []
const shops: Shop[] = []
const closing: (() => unknown)[] = []
const walk = chromium === null ? test.skip : test.serial
const walkThoroughly = chromium === null ? test.skip : thorough(test).serial
const phone = { viewport: { width: 360, height: 740 } }
const desktop = { viewport: { width: 1280, height: 800 } }

test.before(async () => {
  if (chromium === null) return
  const teardown = (close: () => unknown) => void closing.unshift(close)
  const [browser, shop] = await Promise.all([launchChromium(chromium), openShop({ teardown })])
  browsers.push(browser)
  shops.push(shop)
})
test.after.always(async (t) => {
  for (const browser of browsers) await browser.close()
  for (const close of closing) await close()
  t.log(`Screenshots: ${relative(process.cwd(), screenshots)}/`)
})

async function meet(options: BrowserContextOptions) {
  const met = await visitor(browsers[0]!, { baseURL: shops[0]!.site, bypassCSP: true, ...options })
  closing.unshift(met.close)
  return met
}

/** Logs the member of many years in, by a link. */
async function logIn(page: Page): Promise<void> {
  const { m, ann, mailbox } = shops[0]!
  await page.goto('/membership/login')
  await page.locator('#login-email').fill(ann.email!)
  await page.locator('main form button').click()
  await page.waitForLoadState()
  await m.runDueJobs()
  await page.goto(mailbox.link(ann.email!))
  await page.locator('main form button').click()
  await page.waitForURL(/\/account$/)
}

walkThoroughly(
  'an account with twelve memberships and sixty payments reads on a phone, in the light and in the dark',
  async (t) => {
    const problems: string[] = []
    const { page } = await meet({ ...phone, locale: 'de-DE' })
    const look = createLook(page, { size: 'shop-phone', widths: [360, 320], problems })
    await logIn(page)
    await look('account')
    const cards = page.locator('.own')
    t.is(await cards.count(), 13, 'twelve memberships and what was bought once')
    for (const card of await cards.all()) {
      t.true(
        (await card.locator('.own-what > p:not(.own-pill)').last().innerText()).length > 5,
        'each says where it stands',
      )
      t.true((await card.locator('.own-first').count()) <= 1, 'one thing to do first')
    }
    t.regex(
      await cards.first().innerText(),
      /Förderkreis[\s\S]*Zahlung fehlgeschlagen/,
      'what has to be paid',
    )
    t.regex(await cards.last().innerText(), /Atlas[\s\S]*Gekauft am[\s\S]*Beleg/)
    t.is(await cards.last().locator('.own-first a').getAttribute('href'), '/archive')
    const rows = page.locator('.happened tbody tr')
    t.true(await rows.first().isVisible(), 'payments and invoices are open')
    t.is(await rows.count(), 10)
    await page.locator('#history .pager a').click()
    t.regex(await page.locator('.pager span').innerText(), /^Seite 2 von [6-9]$/)
    t.true(await rows.first().isVisible())
    t.is(await rows.count(), 10)
    t.regex(
      (await rows.first().locator('a').first().getAttribute('href')) ?? '',
      /^https:/,
      'the provider’s invoice',
    )
    await look('history')
    t.deepEqual(problems, [])
  },
)

const named = { name: `Ann ${longest}`, contract: 'Leserunde', email: `${longest}@example.com` }

walkThoroughly(
  'ordering, cancelling and withdrawing: in German on a phone and in English on a desktop, long names and all',
  async (t) => {
    const problems: string[] = []
    const sizes = [
      { size: 'shop-phone', options: { ...phone, locale: 'de-DE' }, widths: [360, 320] },
      { size: 'shop-desktop', options: { ...desktop, locale: 'en-GB' }, widths: [1280] },
    ]
    for (const { size, options, widths } of sizes) {
      const { page } = await meet(options)
      const look = createLook(page, { size, widths, problems })
      await page.goto('/membership/order?plan=plan3&price=price_3')
      await look('order')
      for (const kind of ['cancel', 'withdraw']) {
        await page.goto('/')
        await page.locator(`footer a[href="/membership/${kind}"]`).click()
        await look(kind)
        for (const [name, value] of Object.entries(named)) await page.locator(`#d-${name}`).fill(value)
        await page.locator('.declaration button').click()
        await page.getByRole('status').waitFor()
        await look(`${kind}-receipt`)
      }
      if (size === 'shop-phone') {
        await page.goto('/nowhere')
        await look('error')
        await page.goto('/membership/login/a-link-that-is-none')
        await look('dead-link')
      }
      await page.goto('/archive')
      await look('locked')
      await page.goto(shops[0]!.pay)
      await look('pay-link')
    }
    t.deepEqual(problems, [])
  },
)

walk('one account of two, its pages and what is done to a membership, on a phone', async (t) => {
  const problems: string[] = []
  const { m, mailbox, settle, ann } = shops[0]!
  const other = `ann@${longest.toLowerCase()}.example`
  await m.users.create({ email: other, name: 'Ann', verified: true })
  const { page } = await meet({ ...phone, locale: 'de-DE' })
  const look = createLook(page, { size: 'shop-phone', widths: [360, 320], problems })
  await logIn(page)
  await page.getByText('Ein anderes Konto zusammenführen').click()
  await page.locator('#join-email').fill(other)
  await page.getByRole('button', { name: 'Konten zusammenführen' }).click()
  await settle()
  await page.goto(mailbox.link(ann.email!))
  await look('merge-own')
  await page.locator('main form button').last().click()
  await page.waitForLoadState()
  await settle()
  await page.goto(mailbox.link(other))
  await look('merge-other')
  await page.locator('main form button').last().click()
  await page.waitForLoadState()
  await settle()
  await look('merged')
  await page.goto(mailbox.link(ann.email!))
  await look('merge-back')
  const { id } = ann.subscriptions().find(({ price_id }) => price_id === 'price_3')!
  const paid = ann.payments().find(({ price_id, status }) => price_id === 'price_3' && status === 'paid')!
  for (const [path, step] of [
    [`/membership/cancel/${id}`, 'cancel-one'],
    [`/membership/payments/${paid.id}`, 'receipt'],
  ] as const) {
    await page.goto(path)
    await look(step)
  }
  t.deepEqual(problems, [])
})

walkThoroughly(
  'writing from right to left overflows nowhere, neither in an account nor where a contract is cancelled',
  async (t) => {
    const problems: string[] = []
    const { page } = await meet({ ...phone, locale: 'he-IL' })
    const look = createLook(page, { size: 'shop-rtl', widths: [360, 320], problems })
    await page.goto('/membership/cancel')
    t.is(await page.locator('html').getAttribute('dir'), 'rtl')
    await look('cancel')
    await page.goto('/membership/order?plan=plan3&price=price_3')
    await look('order')
    await logIn(page)
    await look('account')
    t.deepEqual(problems, [])
  },
)

walk(
  'a contract is cancelled, withdrawn from and ordered with the keyboard alone, and without JavaScript',
  async (t) => {
    const { page, complaints } = await meet({ ...desktop, javaScriptEnabled: true })
    await page.goto('/membership/cancel')
    await page.keyboard.press('Tab')
    for (const [name, value] of [
      ['name', 'Ann'],
      ['contract', 'Chor'],
      ['email', 'ann@example.com'],
    ] as const) {
      await tabTo(page, page.locator(`#d-${name}`))
      await page.keyboard.type(value)
    }
    await tabTo(page, page.locator('.declaration button'))
    await page.keyboard.press('Enter')
    await page.getByRole('status').waitFor()
    await page.goto('/membership/order?plan=plan3&price=price_3')
    await tabTo(page, page.locator('#agree'))
    await page.keyboard.press('Space')
    await tabTo(page, page.locator('form.confirm button'))
    t.is(await page.locator(':focus').innerText(), 'Order with obligation to pay')
    t.deepEqual(complaints, [])

    const plain = await meet({ ...phone, javaScriptEnabled: false })
    for (const kind of ['cancel', 'withdraw']) {
      await plain.page.goto(`/membership/${kind}`)
      for (const [name, value] of Object.entries(named)) await plain.page.locator(`#d-${name}`).fill(value)
      await plain.page.locator('.declaration button').click()
      await plain.page.getByRole('status').waitFor()
    }
    await plain.page.goto('/membership/order?plan=plan3&price=price_3')
    await plain.page.locator('#agree').check()
    await Promise.all([
      plain.page.waitForRequest((request) => request.method() === 'POST' && /subscribe/.test(request.url())),
      plain.page.locator('form.confirm button').click(),
    ])
    t.deepEqual(plain.complaints, [])
  },
)
