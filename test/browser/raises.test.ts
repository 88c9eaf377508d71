import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { addMonths } from '../../src/providers/sandbox/periods.ts'
import { startSite } from '../../src/site/runtime/start.ts'
import { findChromium, launchChromium, visitor } from '../support/chromium.ts'
import { runCommand } from '../support/command.ts'
import { thorough } from '../support/parts.ts'
import { createLook } from './looks.ts'
import { mainText, order, press, standing } from './walks.ts'

// A raise from the command to the renewal, as its members and an operator see it.

const chromium = findChromium()
const browsers: Browser[] = []
const walk = chromium === null ? test.skip : thorough(test).serial

test.before(async () => {
  if (chromium !== null) browsers.push(await launchChromium(chromium))
})
test.after.always(async () => {
  for (const browser of browsers) await browser.close()
})

const begin = new Date('2026-03-10T09:00:00.000Z')

/** The options of the site and of its commands: a shop of the European Union, mails in a file, time in another. */
function configOf(folder: string): string {
  return `import { appendFileSync, readFileSync } from 'node:fs'
export default {
  'membership.database.url': ${JSON.stringify(`sqlite:${join(folder, 'site.db')}`)},
  'membership.provider.handler': 'sandbox',
  'membership.shop': { country: 'IE', name: 'Neap Publishing', address: ['7 Harbour Row'] },
  'membership.office.enabled': true,
  'membership.providers.sandbox.plans': {
    pro: {
      name: 'Pro',
      prices: [
        { id: 'pro_2026', amount: 500, currency: 'EUR', interval: 'month' },
        { id: 'pro_2027', amount: 650, currency: 'EUR', interval: 'month', label: 'From May' },
      ],
    },
    archive: { prices: [{ id: 'archive_once', amount: 3000, currency: 'EUR' }] },
  },
  mails: {
    siteName: 'Neap',
    transport: async (mail) => appendFileSync(${JSON.stringify(join(folder, 'mails'))}, JSON.stringify(mail) + '\\n'),
  },
  now: () => new Date(readFileSync(${JSON.stringify(join(folder, 'now'))}, 'utf8')),
}
`
}

walk(
  'a raise from the command to the renewal: agreed to, cancelled, ignored, kept, stopped, undone',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'membership-raise-'))
    await writeFile(join(folder, 'membership.config.mjs'), configOf(folder))
    await writeFile(join(folder, 'mails'), '')
    await writeFile(join(folder, 'now'), begin.toISOString())
    const log: string[] = []
    const site = await startSite({
      folder,
      port: 0,
      host: '127.0.0.1',
      now: () => begin,
      log: (message, details) => log.push(`${message} ${JSON.stringify(details ?? {})}`),
    })
    t.teardown(async () => {
      await site.close()
      await rm(folder, { recursive: true, force: true })
    })
    const problems: string[] = []
    const meet = async (options = {}) => {
      const met = await visitor(browsers[0]!, {
        baseURL: site.url,
        bypassCSP: true,
        viewport: { width: 1280, height: 800 },
        ...options,
      })
      t.teardown(met.close)
      const { page } = met
      return { page, look: createLook(page, { size: 'raise', widths: [1280, 390, 320], problems }) }
    }
    const command = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCommand(folder, args)
      t.is(code, 0, stderr)
      return stdout
    }
    /** The mails to an address that match, once there are so many. */
    const mailsTo = async (email: string, words: RegExp, count = 1): Promise<string[]> => {
      for (let tries = 0; ; tries++) {
        const found = (await readFile(join(folder, 'mails'), 'utf8'))
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as { to: string; subject: string; text: string })
          .filter((mail) => mail.to === email && words.test(`${mail.subject}\n${mail.text}`))
          // A text wraps its lines.
          .map(({ text }) => text.replace(/\s+/g, ' '))
        if (found.length >= count || tries === 120) return found
        await new Promise((next) => setTimeout(next, 250))
      }
    }
    const linkIn = (text: string | undefined, path: string): string =>
      new URL(new RegExp(`https?://\\S+/membership/${path}/\\S+`).exec(text ?? '')?.[0] ?? '').pathname

    // Four members at the old price.
    const buy = async (email: string): Promise<Page> => {
      const { page } = await meet()
      await page.goto('/pricing')
      await page.getByRole('button', { name: /^Subscribe ?: Pro, Monthly/ }).click()
      await order(page)
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Name on the card').fill('Ada Lovelace')
      await page.getByRole('button', { name: 'Pay €5' }).click()
      await page.getByRole('heading', { name: /^Thank you\./ }).waitFor()
      await standing(page, /€5 per month\s+Renews on 10 April/)
      return page
    }
    const ann = await buy('ann@example.com')
    const ben = await buy('ben@example.com')
    const cleo = await buy('cleo@example.com')
    const dora = await buy('dora@example.com')

    // The command: first the plan, then the raise.
    await writeFile(join(folder, 'founders.csv'), 'email\nDora@example.com\n')
    const terms = ['--from', 'pro_2026', '--to', 'pro_2027', '--on', '2026-05-01', '--notice', '30d']
    const raise = ['prices', 'raise', ...terms, '--keep', 'founders.csv']
    const plan = await command(...raise)
    t.regex(
      plan,
      /pro_2026 → pro_2027 at sandbox: 3 memberships, from 2026-05-01, 30 days after the notice\./,
    )
    t.regex(plan, /Members have to agree; silence keeps the old price\./)
    t.regex(plan, /ann@example\.com +\S+ +€5(\.00)? → €6\.50 +first on 2026-05-10/)
    t.regex(plan, /1 membership keeps the old price:\s+dora@example\.com +\S+ +exempt/)
    t.regex(await command('prices', 'list'), /No raises\./)
    const begun = await command(...raise, '--write')
    const id = /The raise is called (\S+)\./.exec(begun)?.[1] ?? ''

    const notice = async (email: string) => (await mailsTo(email, /New price from 10 May 2026/))[0]
    const { page: reader, look } = await meet()
    const annsMail = await notice('ann@example.com')
    t.regex(annsMail ?? '', /You pay €5 per month now, and €6\.50 per month from 10 May 2026 on\./)
    t.regex(annsMail ?? '', /If you do nothing, you keep paying €5 per month\./)
    await reader.goto(linkIn(annsMail, 'price'))
    t.regex(await mainText(reader), /you pay €5 per month now, and €6\.50 per month from 10 May( 2026)? on/)
    await look('notice')
    await reader.getByRole('button', { name: 'Agree to €6.50 per month' }).click()
    await reader.getByRole('heading', { name: 'Thank you' }).waitFor()
    await look('agreed')
    await reader.goto(linkIn(await notice('ben@example.com'), 'price'))
    await reader.getByRole('button', { name: 'Cancel my membership' }).click()
    await reader.getByRole('heading', { name: 'Your membership ends' }).waitFor()
    await look('cancelled')
    await standing(ben, /Cancelled, paid until 10 April/)
    const { page: german, look: lookInGerman } = await meet({ locale: 'de-DE' })
    await german.goto(linkIn(await notice('cleo@example.com'), 'price'))
    t.regex(await mainText(german), /Wenn Sie nichts tun, zahlen Sie weiter/)
    await lookInGerman('notice-german')

    // The office.
    await command('operators', 'add', 'olga@example.com', '--role', 'operator')
    const office = await meet()
    let code: () => string
    const enter = async (isFirst: boolean, links: number) => {
      const { page } = office
      await page.goto('/membership/office/raises')
      if (await page.locator('input[type=email]').isVisible()) {
        await page.locator('input[type=email]').fill('olga@example.com')
        await page.locator('main form button').first().click()
        const link = (await mailsTo('olga@example.com', /membership\/login/, links)).at(-1)
        await page.goto(linkIn(link, 'login'))
        await page.getByRole('button', { name: 'Log in' }).click()
      }
      if (isFirst) {
        const typed = await page.locator('.o-secret').innerText()
        const totp = new TOTP({ secret: Secret.fromBase32(typed.replaceAll(' ', '')) })
        code = () => totp.generate({ timestamp: now.getTime() })
        await page.getByLabel('The code that the app shows now').fill(code())
        await page.getByRole('button', { name: 'Set up' }).click()
        await page.getByRole('link', { name: 'I have saved them' }).click()
      } else {
        await page.getByLabel(/^Code from your authenticator app/).fill(code())
        await page.getByRole('button', { name: 'Enter', exact: true }).click()
      }
      await page.waitForURL(/office/)
      await page.goto('/membership/office/raises')
    }
    let now = begin
    const monthForward = async () => {
      await press(cleo, 'One month forward')
      now = addMonths(now, 1)
      await writeFile(join(folder, 'now'), now.toISOString())
    }
    const dayForward = async () => {
      await press(cleo, 'One day forward')
      now = new Date(now.getTime() + 86_400_000)
      await writeFile(join(folder, 'now'), now.toISOString())
    }
    const turn = async (name: string, done: string) => {
      await office.page
        .getByRole('link', { name: new RegExp(`^${name} ?:`) })
        .first()
        .click()
      await office.look(name)
      await office.page.getByRole('button', { name: `${name} the raise` }).click()
      await office.page.getByRole('status').filter({ hasText: done }).waitFor()
      await office.page.getByRole('link', { name: 'Back' }).click()
    }
    await enter(true, 1)
    t.regex(await mainText(office.page), /Under way\.[\s\S]*ann@example\.com\s+agreed/)
    t.regex(await mainText(office.page), /cleo@example\.com\s+waits for the renewal/)
    t.notRegex(await mainText(office.page), /dora@example\.com/)
    await office.look('office')
    await turn('Stop', 'The raise is stopped.')
    t.regex(await command('prices', 'show', id), /stopped/)
    await turn('Resume', 'The raise goes on.')

    // The renewals: the one before the day of the raise, and the first one after it.
    await monthForward()
    await standing(ann, /€5 per month\s+Renews on 10 May/)
    await monthForward()
    await standing(ann, /€6\.50 per month\s+Renews on 10 June/)
    t.regex(await mainText(ann), /10 May 2026[\s\S]*?€6\.50/)
    t.is(
      (await mainText(ann)).match(/€6\.50\s/g)?.length,
      3,
      'the membership, its next charge and one payment',
    )
    await standing(cleo, /€5 per month\s+Renews on 10 June/)
    await standing(dora, /€5 per month\s+Renews on 10 June/)
    await standing(ben, /Ended \(1\)/)
    await dayForward()
    await enter(false, 2)
    for (const row of [
      /ann@example\.com\s+pays the new price/,
      /ben@example\.com\s+no longer affected\s*the membership ended/,
      /cleo@example\.com\s+keeps the old price\s*did not agree/,
    ])
      t.regex(await mainText(office.page), row)
    await office.look('office-after')
    await office.page.getByRole('link', { name: 'ann@example.com' }).click()
    t.regex(await mainText(office.page), /€6\.50/)
    await office.look('office-member')

    // Another raise, for which the terms of the site need no consent, is undone before it takes effect.
    const later = terms.map((term) => (term === '2026-05-01' ? '2026-06-01' : term))
    const next = await command(
      'prices',
      'raise',
      ...later,
      '--keep',
      'founders.csv',
      '--no-consent',
      '--write',
    )
    t.regex(next, /cleo@example\.com/)
    const [, told] = await mailsTo('cleo@example.com', /New price from/, 2)
    t.regex(told ?? '', /You don’t need to do anything\. You pay the new price for the first time on 10 June/)
    await office.page.goto('/membership/office/raises')
    await turn('Undo', 'The raise is undone.')
    t.is((await mailsTo('cleo@example.com', /Your price stays|We withdrew|keep paying/)).length > 0, true)
    await monthForward()
    await monthForward()
    await standing(cleo, /€5 per month\s+Renews on 10 August/)
    await standing(ann, /€6\.50 per month\s+Renews on 10 August/)
    t.deepEqual(problems, [])
    t.deepEqual(log, [])
  },
)
