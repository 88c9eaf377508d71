import test from 'ava'
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { findChromium, launchChromium, visitor } from '../support/chromium.ts'
import { openOfficeSite } from '../support/office.ts'
import { thorough } from '../support/parts.ts'
import { buy } from '../support/visitor.ts'
import { kirbyPage, startWeb } from '../support/web.ts'
import { tabTo } from './keyboard.ts'
import { createLook } from './looks.ts'
import { addPartner, walkPartnerPages } from './partner-walk.ts'

const chromium = findChromium()
const browsers: Browser[] = []
const walk = chromium === null ? test.skip : thorough(test).serial
const office = '/membership/office'

test.before(async () => {
  if (chromium !== null) browsers.push(await launchChromium(chromium))
})
test.after.always(async () => {
  for (const browser of browsers) await browser.close()
})

walk(
  'the office on a desktop and on a phone, in English and German, with a keyboard and without JavaScript',
  async (t) => {
    const web = await startWeb({
      'a.example': { '/': kirbyPage('Site A') },
      'b.example': {
        '/': kirbyPage('Site B, whose title is a long one: Donaudampfschifffahrtsgesellschaft'),
      },
    })
    t.teardown(web.close)
    const opened = await openOfficeSite(t, {
      'membership.reports.system': 'kirby',
      'membership.reports.contact': 'index@operator.example',
      'membership.reports.crawl.enabled': false,
      'membership.reports.crawl.pause_seconds': 0,
      reports: web.options,
      office: {
        pages: [{ path: 'letters', title: 'Letters', render: () => '<h1>Letters</h1><p>None.</p>' }],
      },
    })
    const { m, fake, site, operators, mailbox } = opened
    const { user: ann } = await buy(opened, 'ann@example.com')
    await buy(opened, 'bob@example.com', { path: '/membership/subscribe/team' })
    await operators.add({ email: 'ada@example.com', role: 'operator', by: 'test' })
    await m.users.create({ email: 'ada@example.com', name: 'Ada' })
    const problems: string[] = []
    const partner = await addPartner(m, site)
    await m.reports.operator.exclude('kept-out.example', 'asked for')
    const file = Buffer.from('email,plan\nnot-an-address,pro\ncleo@example.com,Platinum')
    await m.operator.import({ file, map: { email: 'email', price_id: 'plan' }, write: true })

    /** Logs in by the newest link. */
    const logIn = async (page: Page): Promise<void> => {
      await page.goto(office)
      await page.locator('input[type=email]').fill('ada@example.com')
      await page.locator('main form button').click()
      await page.waitForLoadState()
      await m.runDueJobs()
      await page.goto(mailbox.link('ada@example.com'))
      await page.locator('main form button').click()
      await page.waitForURL(/\/membership\/office/)
    }
    const pages = [
      ['', 'today'],
      ['/members', 'members'],
      [`/members/${ann.id}`, 'member'],
      [`/members/${ann.id}/do/grant?gate=team&until=2026-12-31`, 'confirm'],
      ['/money', 'money'],
      ['/money/list?kind=received&month=2026-01', 'money-list'],
      ['/plans', 'plans'],
      ['/deliveries', 'deliveries'],
      ['/deliveries/1', 'delivery'],
      ['/messages', 'messages'],
      ['/unclaimed', 'unclaimed'],
      ['/check', 'check'],
      ['/log', 'log'],
      ['/members?q=nobody', 'members-none'],
      ['/money/list?kind=recovered&month=2026-01', 'money-none'],
      ['/leftovers', 'leftovers'],
      ['/index', 'index'],
      ['/index/websites', 'index-websites'],
      ['/index/relink', 'index-relink'],
      ['/own/letters', 'own'],
      ['/members/nobody', 'problem'],
    ] as const
    const narrow: ReadonlySet<string> = new Set([
      'today',
      'members',
      'member',
      'money',
      'money-list',
      'deliveries',
      'delivery',
      'plans',
      'check',
      'log',
      'index',
      'index-websites',
      'index-relink',
      'leftovers',
      'confirm',
    ])
    /** What is seen on a phone in the dark is seen on a desktop in the light; of the few others both are like those. */
    const look = async (page: Page, size: string, widths: readonly number[]): Promise<void> => {
      const isNarrow = widths.includes(360)
      const [light, dark] = (['light', 'dark'] as const).map((scheme) =>
        createLook(page, { size, widths, problems, schemes: [scheme], isSeenElsewhere: isNarrow }),
      )
      for (const [path, name] of pages.filter(([, item]) => !isNarrow || narrow.has(item))) {
        await page.goto(office + path)
        await (isNarrow || !narrow.has(name) ? dark! : light!)(name)
      }
    }

    // Others' pages, and nobody waits for them before the end.
    const partners = walkPartnerPages({ browser: browsers[0]!, site, ...partner, problems })
    partners.catch(() => undefined)
    const desk = await visitor(browsers[0]!, {
      baseURL: site,
      viewport: { width: 1280, height: 800 },
      bypassCSP: true,
    })
    t.teardown(desk.close)
    const { page } = desk
    await logIn(page)
    const see = createLook(page, {
      size: 'office-door',
      widths: [1280, 360, 320],
      problems,
      schemes: ['dark'] as const,
    })
    await see('enrol')
    const typed = await page.locator('.o-secret').innerText()
    const totp = new TOTP({ secret: Secret.fromBase32(typed.replaceAll(' ', '')) })
    const code = () => totp.generate({ timestamp: fake.now().getTime() })
    await page.getByLabel('The code that the app shows now').fill(code())
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('heading', { name: 'Save these recovery codes' }).waitFor()
    await see('codes')
    await page.getByRole('link', { name: 'I have saved them' }).click()
    await page.getByRole('heading', { name: /2 people are members/ }).waitFor()
    await look(page, 'office-desktop', [1280])

    // From the search to access given, with the keyboard alone.
    await page.goto(`${office}/log`)
    await page.keyboard.press('/')
    await page.keyboard.type('ann')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=ann/)
    await tabTo(page, page.getByRole('link', { name: 'ann@example.com' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByLabel('Grant access to'))
    await page.keyboard.press('t')
    await tabTo(page, page.getByRole('button', { name: 'Grant', exact: true }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Grant access' }))
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'Access granted.' }).waitFor()
    t.true((await m.users.findById(ann.id))?.hasGate('team' as never))

    await fake.advance({ ms: 60_000 })
    const phone = await visitor(browsers[0]!, {
      baseURL: site,
      viewport: { width: 360, height: 740 },
      bypassCSP: true,
      locale: 'de-DE',
    })
    t.teardown(phone.close)
    await logIn(phone.page)
    await phone.page.getByLabel(/^Code aus Ihrer Authenticator-App/).fill(code())
    await phone.page.getByRole('button', { name: 'Anmelden' }).click()
    await phone.page.getByRole('heading', { name: /2 Menschen sind Mitglied/ }).waitFor()
    // A menu that opens, and a card for each row.
    const menu = phone.page.locator('.o-head nav')
    t.false(await menu.isVisible())
    await phone.page.locator('label.o-menu').click()
    t.true(await menu.isVisible())
    await phone.page.goto(`${office}/members`)
    const shape = "getComputedStyle(document.querySelector('.o-table tbody tr')).display"
    t.is(await phone.page.evaluate<string>(shape), 'block')
    const high = "document.querySelector('.o-table tbody tr').getBoundingClientRect().height"
    t.true((await phone.page.evaluate<number>(high)) < 240, 'a card is as high as its text')
    await phone.page.goto(`${office}/deliveries`)
    const rows = await phone.page.locator('.o-table tbody tr').count()
    t.true(rows > 0 && rows <= 20, String(rows))
    await look(phone.page, 'office-phone', [360, 320])

    const plain = await visitor(browsers[0]!, {
      baseURL: site,
      viewport: { width: 1280, height: 800 },
      javaScriptEnabled: false,
      storageState: await page.context().storageState(),
    })
    t.teardown(plain.close)
    await plain.page.goto(`${office}/members/${ann.id}`)
    await plain.page.getByLabel('Note', { exact: true }).fill('called, all is well')
    await plain.page.getByRole('button', { name: 'Add note' }).click()
    await plain.page.getByRole('button', { name: 'Add the note' }).click()
    await plain.page.getByText('“called, all is well”').waitFor()
    await partners
    t.deepEqual(plain.complaints, [])
    t.deepEqual(problems, [])
  },
)
