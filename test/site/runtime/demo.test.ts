import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { parse } from 'yaml'
import { packageFolder } from '../../../src/core/package-folder.ts'
import { textsOf } from '../../../src/core/words/language-file.ts'
import { createOperators } from '../../../src/office/operators.ts'
import { createMailbox } from '../../../src/site/runtime/mailbox.ts'
import { startSite } from '../../../src/site/runtime/start.ts'
import { createBrowser, orderForm, tokenOf, until } from '../../support/browser.ts'
import { allDatabases } from '../../support/databases.ts'
import { customerObject, invoiceObject, stripeEvent } from '../../support/stripe-events.ts'
import { prove } from '../../support/visitor.ts'

const secretOfArticle = /the timetable keeps|fast train six hours/ // the teaser; what follows is only for members
const memberOnly = 'class="paywall"'

async function open(
  t: ExecutionContext,
  databaseUrl?: string,
  { config, root }: { config?: Record<string, unknown>; root?: string } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'membership-demo-'))
  if (config) {
    await mkdir(join(folder, 'config'))
    await writeFile(join(folder, 'config', 'membership.json'), JSON.stringify(config))
  }
  const log: string[] = []
  const site = await startSite({
    folder: root ?? folder,
    databaseUrl: databaseUrl ?? `sqlite:${join(folder, 'demo.db')}`,
    port: 0,
    host: '127.0.0.1',
    log: (message) => log.push(message),
  })
  t.teardown(async () => {
    await site.close()
    await rm(folder, { recursive: true, force: true })
  })
  return { site, log, browser: createBrowser(site.url) }
}

async function buy(
  browser: ReturnType<typeof createBrowser>,
  price: string,
  email: string,
  card = '4242 4242 4242 4242',
) {
  await browser.open('/pricing')
  const page = await (price === 'archive_once'
    ? browser.order('/membership/payment', { product: price, redirect: '/archive' })
    : browser.order('/membership/subscribe/pro', { price, redirect: '/articles/the-slow-line-south' }))
  return { page, paid: await browser.submit(page.path, { email, name: 'Ada', card }) }
}

for (const databases of allDatabases)
  test.serial(
    `${databases.name.replace('Databases', '')}: a visitor buys, reaches a page that says paid, and reads the locked page`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const { site, browser, log } = await open(t, await database.url())

      const before = await browser.open('/articles/the-slow-line-south')
      t.true(before.html.includes(memberOnly))
      t.regex(before.html, secretOfArticle)

      const { page, paid } = await buy(browser, 'pro_yearly', 'ada@example.com')
      t.regex(page.html, /Sandbox: no money moves/)
      t.regex(paid.html, /Thank you\. You/)
      t.regex(paid.html, /ada@example\.com/)

      const after = await browser.open('/articles/the-slow-line-south')
      t.false(after.html.includes(memberOnly))
      t.true(after.html.includes('It was to be carried.'), 'the last sentence of the article')
      t.false(before.html.includes('It was to be carried.'))

      const year = new Date().getUTCFullYear() + 1
      const account = await browser.open('/account')
      t.regex(
        account.html,
        new RegExp(`Pro, yearly</a></h3>[\\s\\S]*?€50 per year[\\s\\S]*?Renews on \\d+ \\w+ ${year}`),
      )
      t.regex(account.html, /happened[\s\S]*€50[\s\S]*paid/)

      const events = await until(
        () => site.membership.webhooks.list(),
        (all) => all.length >= 4,
      )
      t.deepEqual(
        events.map((e) => e.type).sort(),
        ['checkout.completed', 'customer.created', 'payment.created', 'subscription.created'],
        'the sandbox sent its webhooks over HTTP',
      )
      t.true(events.every((e) => e.status === 'processed'))
      // On PostgreSQL the demo has no secret of its own: that is said, and nothing else.
      t.deepEqual(
        log.filter((line) => !line.startsWith('membership.secret is not set')),
        [],
      )

      const stranger = createBrowser(site.url)
      t.true((await stranger.open('/articles/the-slow-line-south')).html.includes(memberOnly))
      const answer = await browser.request('/articles/the-slow-line-south')
      t.is(answer.headers.get('cache-control'), 'private, no-store')
    },
  )

for (const [title, copy] of [
  ['in a clone, where the package’s folder is the site’s', false],
  ['in a site that copied templates/', true],
] as const)
  test.serial(`${title}: a login link is mailed and logs in`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'membership-copy-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    if (copy) await cp(join(packageFolder(), 'templates'), join(folder, 'templates'), { recursive: true })
    const { site, browser, log } = await open(t, undefined, { root: copy ? folder : packageFolder() })
    await buy(browser, 'archive_once', 'ada@example.com')
    const visitor = createBrowser(site.url)
    await visitor.open('/membership/login')
    const asked = await visitor.submit('/membership/login', {
      email: 'ada@example.com',
      redirect: '/account',
    })
    t.is(asked.status, 200)
    const inMailbox = /href="(\/demo\/mailbox[^"]+)"[^>]*>\s*<strong[^>]*>Log in to Neap/
    const mailbox = await until(
      async () => (await browser.open('/demo/mailbox')).html,
      (html) => inMailbox.test(html),
      20_000,
    )
    t.deepEqual(log, [])
    t.regex(mailbox, inMailbox)
    const mail = await browser.open(inMailbox.exec(mailbox)?.[1] ?? '/no-mail')
    const link = /https?:\/\/[^"\s<]+(\/membership\/login\/[^"&\s<]+)/.exec(mail.html)?.[1] ?? '/no-link'
    await visitor.open(link)
    const confirmed = await visitor.submit(link, {})
    t.is(confirmed.path, '/account')
    t.regex(confirmed.html, /ada@example\.com/)
  })

test.serial('a mistake in a site’s mails stops the start, and the error names the file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-mistake-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'templates', 'mails'), { recursive: true })
  await writeFile(join(folder, 'templates', 'mails', 'reciept.yml'), 'en: { subject: Paid }')
  const error = await t.throwsAsync(open(t, undefined, { root: folder }), { code: 'ERR_CONFIG' })
  t.regex(String(error?.message), /templates\/mails\/reciept\.yml is not named after a language/)
})

test.serial('a trial opens the gate and costs nothing', async (t) => {
  const { browser } = await open(t)
  const { paid } = await buy(browser, 'pro_monthly', 'tess@example.com')
  t.regex(paid.html, /Your trial has started/)
  const account = await browser.open('/account')
  t.regex(account.html, /Pro, monthly<\/a><\/h3>[\s\S]*?Trial until/)
  t.regex(account.html, /Pro, monthly: trial began/)
  t.false((await browser.open('/articles/the-slow-line-south')).html.includes(memberOnly))
})

test.serial('a one-time purchase opens only its gate', async (t) => {
  const { browser } = await open(t)
  t.is((await browser.open('/archive')).status, 403)
  await buy(browser, 'archive_once', 'otto@example.com')
  t.is((await browser.open('/archive')).status, 200)
  t.true((await browser.open('/articles/the-slow-line-south')).html.includes(memberOnly))
  t.regex((await browser.open('/account')).html, /The Archive<\/a><\/h3>[\s\S]*?Bought on/)
  await browser.open('/pricing')
  const again = await browser.post('/membership/payment', { product: 'archive_once', redirect: '/' })
  t.is(again.status, 409)
})

test.serial(
  'a payment has the sandbox’s own test invoice, in the account, the mail and both languages, for its owner only',
  async (t) => {
    const { site, browser } = await open(t)
    await buy(browser, 'archive_once', 'ada@example.com')
    const user = async () => (await site.membership.users.findByEmail('ada@example.com'))!
    const { invoice_url: url } = (await user()).payments()[0]!
    t.regex(url ?? '', /^\/membership\/invoices\/pay_[\w-]+$/)
    const account = (await browser.open('/account')).html
    t.is(account.split(`href="${url}"`).length, 3, 'beside what she owns, and where it was paid')

    t.is((await browser.open(url!)).path, '/membership/login', 'a purchase proves no address')
    await prove(site.membership, browser)
    const invoice = async (language: string, from = browser) =>
      (await from.request(url!, { headers: { 'accept-language': language } })).text()
    const english =
      /Test invoice TEST-[\w-]+[\s\S]*not valid for tax[\s\S]*Neap Publishing<br>7 Harbour Row[\s\S]*Ada<br>ada@example\.com[\s\S]*Paid on[\s\S]*The Archive[\s\S]*€30[\s\S]*Tax[\s\S]*incl\. VAT[\s\S]*Total paid[\s\S]*€30/
    t.regex(await invoice('en'), english)
    t.regex(
      await invoice('de'),
      /lang="de"[\s\S]*Testrechnung TEST-[\s\S]*Das Archiv[\s\S]*30\s€[\s\S]*Steuer/,
    )

    const inMailbox = /href="(\/demo\/mailbox[^"]+)"[^>]*>\s*<strong[^>]*>[^<]*The Archive/
    const mailbox = await until(
      async () => (await browser.open('/demo/mailbox')).html,
      (html) => inMailbox.test(html),
    )
    const receipt = inMailbox.exec(mailbox)?.[1] ?? ''
    t.true((await browser.open(receipt)).html.includes(`${site.url}${url}`), 'the mail leads there')

    const stranger = createBrowser(site.url)
    t.is((await stranger.open(url!)).path, '/membership/login')
    await buy(stranger, 'archive_once', 'eve@example.com')
    await prove(site.membership, stranger)
    const refused = await stranger.open(url!)
    t.is(refused.status, 404, 'logged in as somebody else')
    t.notRegex(refused.html, /ada@example|TEST-/)
  },
)

test.serial('a declined card says so and can be replaced', async (t) => {
  const { browser } = await open(t)
  const { page, paid } = await buy(browser, 'pro_yearly', 'dora@example.com', '4000 0000 0000 0002')
  t.is(paid.status, 422)
  t.regex(paid.html, /declined/)
  t.regex(
    (await browser.submit(page.path, { email: 'dora@example.com', name: 'D', card: '4242424242424242' }))
      .html,
    /Thank you\. You/,
  )
})

test.serial('a slow payment says processing, then paid', async (t) => {
  const { browser } = await open(t)
  const { paid } = await buy(browser, 'pro_yearly', 'sue@example.com', '4000 0000 0000 3220')
  t.regex(paid.html, /Your payment is in progress/)
  t.regex(paid.html, /http-equiv="refresh"/)
  const later = await until(
    () => browser.open(paid.path),
    (page) => /Thank you\. You/.test(page.html),
  )
  t.regex(later.html, /Thank you\. You/)
})

test.serial('start over logs the visitor out', async (t) => {
  const { browser } = await open(t)
  await buy(browser, 'pro_yearly', 'nora@example.com')
  t.regex((await browser.open('/account')).html, /nora@example\.com/)
  await browser.submit('/demo/reset', {})
  t.notRegex((await browser.open('/account')).html, /nora@example\.com/)
})

test.serial('a buyer who types another’s address pays for it and is not logged in', async (t) => {
  const { browser, site } = await open(t)
  await site.membership.users.create({ email: 'victim@example.com', verified: true })
  const { paid } = await buy(browser, 'pro_yearly', 'Victim@example.com')
  t.regex(paid.html, /You are not logged in, because/)
  t.true((await browser.open('/articles/the-slow-line-south')).html.includes(memberOnly))
  const owner = await site.membership.users.findByEmail('victim@example.com')
  t.true(owner?.hasGate('pro'), 'the purchase is the account’s')
})

test.serial('the confirmation page logs in only the browser that began the checkout', async (t) => {
  const { browser, site } = await open(t)
  const { paid } = await buy(browser, 'pro_yearly', 'link@example.com')
  const thief = createBrowser(site.url)
  const seen = await thief.open(paid.path)
  t.notRegex(seen.html, /link@example\.com/)
  t.regex((await thief.open('/account')).html, /You are not logged in/)
})

test.serial('a form from another site, another browser or without a token is refused', async (t) => {
  const { browser, site } = await open(t)
  await browser.open('/pricing')
  const fields = { price: 'pro_yearly', redirect: '/' }
  t.is((await browser.post('/membership/subscribe/pro', { ...fields, token: '' })).status, 403)
  t.is((await browser.post('/membership/subscribe/pro', { ...fields, token: 'x'.repeat(43) })).status, 403)
  const other = createBrowser(site.url)
  const foreign = /name="token" value="([^"]*)"/.exec((await other.open('/pricing')).html)?.[1] ?? ''
  t.is((await browser.post('/membership/subscribe/pro', { ...fields, token: foreign })).status, 403)
  await browser.open('/pricing')
  const token = /name="token" value="([^"]*)"/.exec((await browser.open('/pricing')).html)?.[1] ?? ''
  const crossSite = await browser.request('/membership/subscribe/pro', {
    method: 'POST',
    headers: { origin: 'https://evil.example', accept: 'application/json' },
    body: new URLSearchParams({ ...fields, token }),
  })
  t.is(crossSite.status, 403)
  t.is(((await crossSite.json()) as { code: string }).code, 'ERR_CSRF')
})

test.serial('nobody is redirected to another site', async (t) => {
  const { browser } = await open(t)
  await browser.open('/pricing')
  for (const redirect of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\/evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/..//evil.example',
  ])
    t.is(
      (await browser.post('/membership/subscribe/pro', { price: 'pro_yearly', redirect })).status,
      400,
      redirect,
    )
})

test.serial('a member who has the plan is told so instead of paying twice', async (t) => {
  const { browser } = await open(t)
  await buy(browser, 'pro_yearly', 'twice@example.com')
  await browser.open('/pricing')
  const second = await browser.post('/membership/subscribe/pro', { price: 'pro_monthly', redirect: '/' })
  t.is(second.status, 409)
  t.regex(await second.text(), /already/)
})

test.serial('checkout answers programs in JSON', async (t) => {
  const { browser } = await open(t)
  const token = /name="token" value="([^"]*)"/.exec((await browser.open('/pricing')).html)?.[1] ?? ''
  const begun = await browser.request('/membership/subscribe/pro', {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ price: 'pro_yearly', redirect: '/', token }),
  })
  t.is(begun.status, 201)
  const { url, intent_id } = (await begun.json()) as { url: string; intent_id: string }
  t.regex(url, /^\/membership\/sandbox\/checkout\//)
  const state = await browser.request(`/membership/subscribe/${intent_id}`, {
    headers: { accept: 'application/json' },
  })
  t.deepEqual(await state.json(), { status: 'open', redirect: '/' })
  const unknown = await browser.request('/membership/subscribe/nothing', {
    headers: { accept: 'application/json' },
  })
  t.is(unknown.status, 404)
})

test.serial('an unknown page and an unknown checkout of the test shop are pages too', async (t) => {
  const { browser } = await open(t)
  const missing = await browser.open('/nowhere')
  t.is(missing.status, 404)
  t.regex(missing.html, /<html/)
  const checkout = await browser.open('/membership/sandbox/checkout/nothing')
  t.is(checkout.status, 404)
  t.regex(
    checkout.html,
    /<h1[^>]*>[^<]+<.*ERR_NOT_FOUND/s,
    "the test shop's own pages say it to people as well",
  )
})

test.serial('a German reader gets German, from the front page to the mail', async (t) => {
  const { browser } = await open(t)
  const headers = { accept: 'text/html', 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' }
  const read = async (path: string) => {
    const html = await (await browser.request(path, { headers })).text()
    t.regex(html, /<html lang="de" dir="ltr">/, path)
    const spoken = html.replace(/<(\w+)[^>]* lang="en"[\s\S]*?<\/\1>/g, '')
    for (const text of englishOnly) t.false(spoken.includes(`>${text}<`), `${path} says "${text}"`)
    t.notRegex(spoken, />[^<]*\{\w+\}[^<]*</, path)
    return html
  }
  const send = (path: string, fields: Record<string, string>) =>
    browser.request(path, { method: 'POST', headers, body: new URLSearchParams({ token, ...fields }) })
  t.regex(await read('/'), /Nur für|Für Mitglieder/)
  await read('/pricing')
  await read('/archive')
  t.regex(await read('/nowhere'), /Seite nicht gefunden/)
  t.regex(await read('/membership/subscribe/unknown'), /Kauf nicht gefunden/)
  const token = tokenOf(await read('/membership/login'))
  const begun = await send('/membership/subscribe/pro', { price: 'pro_yearly', redirect: '/account' })
  const order = await read(String(begun.headers.get('location')))
  t.regex(order, /Zahlungspflichtig bestellen[\s\S]*Zurück, ohne zu bestellen/)
  const checkout = String((await send(...orderForm(order))).headers.get('location'))
  t.regex(await read(checkout), /50\s€ bezahlen/)
  const declined = await send(checkout, {
    email: 'ada@example.com',
    name: 'Ada',
    card: '4000 0000 0000 0002',
  })
  t.regex(await declined.text(), /Die Karte wurde abgelehnt/)
  const paid = await send(checkout, { email: 'ada@example.com', name: 'Ada', card: '4242 4242 4242 4242' })
  t.regex(await read(String(paid.headers.get('location'))), /Vielen Dank\. Sie sind dabei\./)
  await read('/demo/mailbox')
})

function textsOfPages(lang: string) {
  return new Map(
    textsOf(parse(readFileSync(join(packageFolder(), 'templates', 'words', `${lang}.yml`), 'utf8')), ''),
  )
}
const german = textsOfPages('de')
// The archive is a plan, too, whose name is the site's.
const spokenHere = /^(page|login|demo|magazine|mailbox|return|error|sandbox)\./
const englishOnly = [...textsOfPages('en')].flatMap(([key, text]) =>
  typeof text === 'string' &&
  spokenHere.test(key) &&
  !/^(magazine.archive|sandbox.start)$/.test(key) &&
  german.get(key) !== text &&
  !text.includes('{')
    ? [text]
    : [],
)

function price(id: string, amount: number, interval = 'month') {
  return { id, amount, currency: 'EUR', interval }
}
const ownConfig = {
  'membership.provider.handler': 'sandbox',
  'membership.providers.sandbox.pause': { max_days: 30 },
  'membership.providers.sandbox.plans': {
    basic: { name: 'Basic', group: 'membership', prices: [price('basic', 500)] },
    alps: { name: 'Alps', prices: [{ ...price('quarter', 7005), currency: 'CHF', interval_count: 3 }] },
    full: { name: 'Full', group: 'membership', prices: [price('full', 2000), price('year', 20_000, 'year')] },
  },
}

async function buyFull(browser: ReturnType<typeof createBrowser>) {
  await browser.open('/pricing')
  const checkout = await browser.submit('/membership/subscribe/full', { price: 'full', redirect: '/account' })
  return browser.submit(checkout.path, { email: 'ada@example.com', name: 'Ada', card: '4242 4242 4242 4242' })
}

test.serial(
  'in the account a cheaper plan waits and is undone, a dearer one is paid, a pause begins and ends',
  async (t) => {
    const { site, browser } = await open(t, undefined, { config: ownConfig })
    await buyFull(browser)
    await prove(site.membership, browser)
    const account = () => browser.open('/account')
    /** Presses the button with that label on the page that was opened last. */
    const press = async (page: { html: string }, label: RegExp) => {
      const form = (page.html.match(/<form[\s\S]*?<\/form>/g) ?? []).find((item) => label.test(item))
      if (form === undefined) throw new TypeError(`no button ${label} in ${page.html}`)
      const fields = [...form.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g)]
      const action = /action="([^"]+)"/.exec(form)![1]!
      const sent = Object.fromEntries(fields.map(([, name, value]) => [name, value]))
      return /method="get"/.test(form)
        ? browser.open(`${action}?${new URLSearchParams(sent)}`)
        : browser.submit(action, sent)
    }
    const paid = async () => {
      const user = await site.membership.users.findByEmail('ada@example.com')
      return user!.payments().filter(({ status }) => status === 'paid').length
    }
    t.regex((await account()).html, /Full, monthly<\/h3>[\s\S]*?Renews on/)
    t.regex(
      (await browser.open('/pricing')).html,
      />Every 3 months<[\s\S]*?CHF\s70\.05<\/b> <span>every 3 months</,
    )

    const cheaper = await press(await account(), /Change to Basic, monthly/)
    t.regex(cheaper.html, /Due today<\/dt><dd>€0</)
    const waits = (await press(cheaper, /Change to Basic, monthly on/)).html
    t.regex(waits, /Changes to Basic, monthly on \d+ \w+( \d{4})?: €5 per month\./)
    t.notRegex(waits, /Renews on/, 'what changes then does not renew')
    t.is(waits.match(/name="price" value="full"/g)?.length, 1, 'one way back to what is had')
    const kept = await press(await press(await account(), /Keep my current plan/), /Keep Full, monthly/)
    t.notRegex(kept.html, /Changes to Basic/)
    t.is(await paid(), 1)

    const dearer = await press(await account(), /Change to Full, yearly/)
    t.regex(dearer.html, /Due today<\/dt><dd>€1\d\d/)
    t.regex(dearer.html, /Unused time of Full, monthly[\s\S]*<p>Full, yearly<\/p>[\s\S]*€200/)
    const { id } = (await site.membership.users.findByEmail('ada@example.com'))!.subscriptions()[0]!
    const german = await browser.request(`/membership/change/${id}?price=year`, {
      headers: { 'accept-language': 'de' },
    })
    t.regex(await german.text(), /Nicht genutzte Zeit von Full, monatlich[\s\S]*<p>Full, jährlich<\/p>/)
    t.regex(
      (await press(dearer, /Pay €1[\d.]+ and change to Full, yearly/)).html,
      /Full, yearly<\/h3>[\s\S]*?Renews on/,
    )
    t.is(await until(paid, (count) => count === 2), 2)

    const pause = await press(await account(), /Pause/)
    t.regex((await press(pause, /Pause from .+ to/)).html, /Paid until .+, then paused until/)
    t.notRegex((await account()).html, /Change to/, 'nothing is changed in a pause')
    const goOn = await press(await account(), /Resume/)
    t.regex((await press(goOn, /Keep Full, yearly/)).html, /Full, yearly<\/h3>[\s\S]*?Renews on/)
    t.is(await paid(), 2)
  },
)

test.serial(
  'data from signed events on the account page is neither a link nor a direction override',
  async (t) => {
    const { site, browser } = await open(t, undefined, {
      config: { ...ownConfig, 'membership.providers.stripe.webhook': 'whsec_page' },
    })
    await buyFull(browser)
    await prove(site.membership, browser)
    const [own] = (await site.membership.users.findByEmail('ada@example.com'))!.payments()
    const invoices = [
      'javascript:alert(document.cookie)',
      'http://evil.example/pay',
      '//evil.example/pay',
      '/membership/logout',
      '/membership/invoices/../logout',
      `/membership/invoices/${own!.id}`,
      'https://invoice.stripe.com/i/1',
    ]
    const events = [
      stripeEvent(
        'customer.created',
        customerObject({ email: 'ada@example.com', name: 'Ada\u202eLLIB\u2066 <b>' }),
      ),
      ...invoices.map((hosted_invoice_url, i) =>
        stripeEvent('invoice.paid', invoiceObject({ id: `in_${i + 1}`, hosted_invoice_url })),
      ),
    ]
    for (const [i, event] of events.entries()) {
      const body = Buffer.from(JSON.stringify({ ...event, id: `evt_${i}\n17 evt_forged` }))
      const headers = site.membership.webhooks.sign('stripe', body)
      const url = `${site.url}/membership/webhooks/stripe`
      t.is((await fetch(url, { method: 'POST', body, headers })).status, 200)
    }
    const user = await site.membership.users.findByEmail('ada@example.com')
    const payments = user!.payments().filter(({ provider }) => provider === 'stripe')
    t.is(payments.length, invoices.length, 'they are hers, and stand on the page')
    const [payment] = payments
    t.deepEqual(
      payments.flatMap(({ invoice_url }) => invoice_url ?? []),
      ['https://invoice.stripe.com/i/1'],
      'neither another scheme nor an address of this site: no page of another payment, and nothing that acts',
    )
    const { html } = await browser.open('/account')
    t.true(html.includes(payment!.currency ?? 'EUR') || html.includes('€'))
    t.notRegex(html, /javascript:|evil\.example|\/invoices\/\.\.|href="\/membership\/logout/)
    t.is(html.split(`/membership/invoices/${own!.id}`).length, 2, 'her own payment alone has that page')
    t.notRegex(html, /[\u202a-\u202e\u2066-\u2069]/)
    t.notRegex(html, /LLIB <b>/)
  },
)

test.serial(
  'a code typed on the checkout takes a fifth off the first payment, and an unknown one nothing',
  async (t) => {
    const { browser } = await open(t)
    await browser.open('/pricing?every=year')
    const checkout = await browser.order('/membership/subscribe/pro', {
      price: 'pro_yearly',
      redirect: '/account',
    })
    t.regex(checkout.html, /Discount code/)
    const wrong = await browser.submit(checkout.path, { do: 'code', code: 'NOPE' })
    t.is(wrong.status, 422)
    t.regex(wrong.html, /This code is not valid\.[\s\S]*Pay €50</)
    const right = await browser.submit(checkout.path, { do: 'code', code: ' tide ' })
    t.regex(right.html, /Discount code TIDE<\/dt><dd>-€10<[\s\S]*Due today<\/dt><dd>€40</)
    await browser.submit(checkout.path, {
      email: 'ada@example.com',
      name: 'Ada',
      card: '4242 4242 4242 4242',
    })
    const { html } = await browser.open('/account')
    t.regex(html, /€50 per year/, 'the next payment is the whole one')
    t.regex(html, /<th scope="row">Pro, yearly<\/th>\s*<td class="num">€40</)
  },
)

test.serial(
  'prices switch between months and years with the saving, recommend a plan, and list its features',
  async (t) => {
    const { browser, site } = await open(t)
    const monthly = (await browser.open('/pricing')).html
    t.regex(monthly, /aria-current="true">Monthly<[\s\S]*Yearly, save up to 17%/)
    t.regex(monthly, /Pro <span class="tag tag-open">Recommended</)
    t.true(monthly.includes('value="pro_monthly"') && !monthly.includes('value="pro_yearly"'))
    t.true(monthly.includes('value="archive_once"'), 'a single price stays')
    const yearly = (await browser.open('/pricing?every=year')).html
    t.true(yearly.includes('value="pro_yearly"') && !yearly.includes('value="pro_monthly"'))
    t.regex(
      yearly,
      /What each plan opens[\s\S]*Every article[\s\S]*Articles to print<\/th><td[^>]*>2 a month</,
    )
    const german = await browser.request('/pricing', { headers: { 'accept-language': 'de' } })
    t.regex(await german.text(), /Jährlich, bis zu 17 % sparen[\s\S]*Empfohlen[\s\S]*Lesekreis/)
    t.regex(String((await fetch(`${site.url}/favicon.ico`)).headers.get('content-type')), /svg/)
  },
)

test.serial('everybody may look into the demo’s office, and nobody changes anything there', async (t) => {
  const { site, browser } = await open(t)
  await buy(browser, 'pro_yearly', 'ada@example.com')
  // An operator in the database opens no other door: every login link can be read in the mailbox.
  await createOperators({ storage: site.membership.storage, now: () => new Date() }).add({
    email: 'ada@example.com',
    role: 'owner',
    by: 'test',
  })
  await prove(site.membership, browser)
  const { id } = (await site.membership.users.findByEmail('ada@example.com'))!
  const check = await browser.open('/membership/office/check')
  t.regex(check.html, /<tr><th scope="row">sandbox ?<\/th><td>\d/, 'Check knows the sandbox’s deliveries')
  for (const visitor of [browser, createBrowser(site.url)]) {
    t.regex((await visitor.open('/')).html, /href="\/membership\/office"/)
    for (const path of ['', '/members', `/members/${id}`, '/money', '/gifts', '/groups', '/deliveries']) {
      const { status, html } = await visitor.open(`/membership/office${path}`)
      t.is(status, 200, path)
      t.notRegex(html, /\/do\/|method="post"/, `${path} has nothing to press`)
    }
    for (const path of ['/operators', `/members/${id}/export`, `/members/${id}/do/grant?gate=pro`])
      t.is((await visitor.open(`/membership/office${path}`)).status, 403, path)
    await visitor.open('/')
    for (const path of [`/members/${id}/do/grant`, '/gifts/revoke', '/operators/invite'])
      t.is((await visitor.submit(`/membership/office${path}`, { key: 'k'.repeat(20) })).status, 403, path)
  }
})

test('two simultaneous mails both arrive in the mailbox', async (t) => {
  const kept = new Map<string, unknown>()
  const store = {
    get: async (key: string) => {
      await pause(5)
      return kept.get(key) ?? null
    },
    put: async (key: string, value: unknown) => void kept.set(key, value),
    clear: async () => kept.clear(),
  }
  const { transport } = createMailbox(
    () => store as never,
    () => new Date(0),
  )
  await Promise.all(['1', '2', '3'].map((id) => transport({ id, subject: id } as never)))
  t.deepEqual(
    (kept.get('mails') as { id: string }[]).map(({ id }) => id),
    ['3', '2', '1'],
  )
})
