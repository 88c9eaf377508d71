import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startSite } from '../../../src/site/runtime/start.ts'
import { createClock } from '../../../src/testkit/index.ts'
import { createBrowser } from '../../support/browser.ts'
import { postgresDatabases } from '../../support/databases.ts'
import { thorough } from '../../support/parts.ts'
import { prove } from '../../support/visitor.ts'

// A month of 31 days lies ahead: longer than a session lasts.
const start = '2026-07-31T09:00:00.000Z'
type Browser = ReturnType<typeof createBrowser>

async function open(t: ExecutionContext, given: { databaseUrl?: string } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'membership-bar-'))
  const clock = createClock(start)
  const log: string[] = []
  const begin = () =>
    startSite({
      folder,
      databaseUrl: given.databaseUrl ?? `sqlite:${join(folder, 'demo.db')}`,
      port: 0,
      host: '127.0.0.1',
      now: clock.now,
      log: (message, details) => log.push(`${message} ${JSON.stringify(details ?? {})}`),
    })
  let site = await begin()
  t.teardown(async () => {
    await site.close()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    folder,
    clock,
    log,
    site: () => site,
    restart: async () => {
      await site.close()
      site = await begin()
    },
  }
}

async function buy(browser: Browser, price: string, email: string, card = '4242 4242 4242 4242') {
  await browser.open('/pricing')
  const page =
    price === 'archive_once'
      ? await browser.order('/membership/payment', { product: price, redirect: '/archive' })
      : await browser.order('/membership/subscribe/pro', { price, redirect: '/account' })
  await browser.submit(page.path, { email, name: 'Ada', card })
  return browser.open('/account')
}
async function press(browser: Browser, button: string) {
  return browser.submit(`/demo/${button}`, { redirect: '/account' })
}
function today(html: string): string {
  return /<time datetime="(\d{4}-\d\d-\d\d)">/.exec(html)?.[1] ?? ''
}

test.serial('the bar shows today’s date, and moves a calendar month ahead with everything due', async (t) => {
  const { site, log } = await open(t)
  const browser = createBrowser(site().url)
  const before = await buy(browser, 'pro_monthly', 'ada@example.com')
  t.is(today(before.html), '2026-07-31')
  t.regex(before.html, /Today is/)
  t.regex(before.html, /Trial until 7 August/)

  const august = await press(browser, 'month')
  t.is(august.path, '/account')
  t.is(today(august.html), '2026-08-31')
  t.regex(august.html, /The demo’s date is/)
  t.regex(august.html, /ada@example\.com/, 'still logged in after 31 days')
  t.regex(august.html, /Renews on 7 September/, 'the trial has become a membership')
  t.regex(august.html, /Pro, monthly<\/th>\s*<td class="num">€5/)

  const september = await press(browser, 'month')
  t.is(today(september.html), '2026-09-30', 'the 31st is the last day of September')
  t.regex(september.html, /Renews on 7 October/)
  t.is(september.html.match(/<th scope="row">Pro, monthly<\/th>\s*<td class="num">€5</g)?.length, 2)
  t.deepEqual(log, [])
})

test.serial(
  'the bar moves time by a day, a week, or to the next event, and mails leave on their day',
  async (t) => {
    const { site } = await open(t)
    const browser = createBrowser(site().url)
    t.regex((await browser.open('/')).html, /<button[^>]* disabled>To the next event/)
    await buy(browser, 'pro_monthly', 'ada@example.com')
    t.is(today((await press(browser, 'day')).html), '2026-08-01')
    let page = await press(browser, 'next')
    // A reminder may come first.
    while (today(page.html) < '2026-08-07') page = await press(browser, 'next')
    t.is(today(page.html), '2026-08-07', 'the trial has ended')
    t.regex(page.html, /Renews on 7 September/)
    t.regex(page.html, /ada@example\.com/, 'still logged in')
    t.is(today((await press(browser, 'week')).html), '2026-08-14')
    t.is(today((await press(browser, 'month')).html), '2026-09-14')
  },
)

test.serial('moving the clock logs nobody out, whoever moves it', async (t) => {
  const { site } = await open(t)
  const [ada, bob] = [createBrowser(site().url), createBrowser(site().url)]
  await buy(ada, 'archive_once', 'ada@example.com')
  await buy(bob, 'archive_once', 'bob@example.com')
  for (let month = 1; month <= 3; month++) await press(ada, 'month')
  t.regex((await bob.open('/account')).html, /bob@example\.com/)
  await ada.submit('/demo/reset', {})
  t.regex((await bob.open('/account')).html, /bob@example\.com/, 'nor does going back')
})

test.serial('a trial keeps its original name after another plan was chosen', async (t) => {
  const { site } = await open(t)
  const browser = createBrowser(site().url)
  await buy(browser, 'pro_monthly', 'ada@example.com')
  await prove(site().membership, browser)
  const user = await site().membership.users.findByEmail('ada@example.com')
  const change = `/membership/change/${user!.subscriptions()[0]!.id}`
  await browser.open('/account')
  const shown = await browser.submit(change, { price: 'pro_yearly', redirect: '/account' })
  const [, promise = ''] = /name="shown" value="([^"]*)"/.exec(shown.html) ?? []
  await browser.submit(change, { price: 'pro_yearly', redirect: '/account', shown: promise })
  const { html } = await press(browser, 'month')
  const happened = html.slice(html.indexOf('class="happened"'))
  t.regex(
    happened,
    /<th scope="row">Pro, yearly<\/th>\s*<td class="num">€50/,
    'the first payment is for what it became',
  )
  t.regex(happened, /Pro, monthly: trial began/)
})

thorough(test).serial('a year passes month by month, and the visitor stays logged in', async (t) => {
  const { site, log } = await open(t)
  const browser = createBrowser(site().url)
  await buy(browser, 'pro_yearly', 'ada@example.com')
  for (let month = 1; month <= 11; month++) await press(browser, 'month')
  t.regex((await browser.open('/account')).html, /Renews on 31 July/)
  t.regex((await press(browser, 'month')).html, /ada@example\.com/)
  t.regex((await browser.open('/account')).html, /Renews on/)
  const [, reminded = ''] =
    /Renews on 31 July[\s\S]*?<time datetime="([^"]+)"/.exec((await browser.open('/demo/mailbox')).html) ?? []
  t.regex(reminded, /^2027-07-0[12]/, 'the reminder left thirty days before')
  t.deepEqual(log, [])
})

test.serial('the next renewal fails on request', async (t) => {
  const { site } = await open(t)
  const browser = createBrowser(site().url)
  t.regex((await browser.open('/')).html, /<button[^>]* disabled>Make the next renewal fail/)
  await buy(browser, 'pro_yearly', 'ada@example.com')
  for (let month = 1; month <= 11; month++) await press(browser, 'month')
  const marked = await press(browser, 'fail')
  t.regex(marked.html, /<button[^>]* disabled>The next payment will fail/)
  const failed = await press(browser, 'month')
  t.regex(failed.html, /Payment failed\. Please check your card/)
  t.regex(failed.html, /payment of €50 for Pro, yearly failed/)
  const [cancel = ''] = /\/membership\/cancel\/[^"]+/.exec(failed.html) ?? []
  await prove(site().membership, browser)
  const leaving = (await browser.open(cancel)).html
  t.regex(leaving, /Next payment<\/dt><dd>only the failed payment stays due</)
  t.regex(leaving, /until 21 August[^<]*, or until 31 July[^<]* once you pay/)
  const [, shown = ''] = /name="shown" value="([^"]*)"/.exec(leaving) ?? []
  const left = await browser.submit(cancel, { shown, redirect: '/account' })
  t.regex(left.html, /is cancelled\. The failed payment stays due, and you won’t be charged after that/)
  t.regex(left.html, /Cancelled\. The last payment failed\./)
  const [keep = ''] = /\/membership\/resume\/[^"]+/.exec(left.html) ?? []
  const [, again = ''] = /name="shown" value="([^"]*)"/.exec(left.html) ?? []
  t.regex((await browser.submit(keep, { shown: again, redirect: '/account' })).html, /Please check your card/)
  const articles = ['/articles/the-slow-line-south', '/archive', '/demo/mailbox']
  for (const page of ['/', '/pricing', '/account', ...articles, '/no-such-page', '/membership/login']) {
    const { html } = await browser.open(page)
    t.regex(
      html,
      /The payment of €50 for [^<]* failed on \d+ \w+ \d{4}\. You keep access until \d+ \w+ \d{4}\./,
      page,
    )
    t.is(html.match(/action="\/membership\/renew\/[^"]*"[\s\S]{0,400}?>Pay €50/g)?.length, 1, page)
  }
  for (const page of ['/', '/account', '/no-such-page', '/membership/login']) {
    const german = await browser.request(page, { headers: { 'accept-language': 'de' } })
    t.regex(
      await german.text(),
      /Die Zahlung von 50\s€ für [^<]* ist am \d+\. \w+ \d{4} fehlgeschlagen/,
      page,
    )
  }
  t.false((await browser.open('/articles/the-slow-line-south')).html.includes('class="paywall"'))
  await browser.open('/account')
  const paid = await press(browser, 'month')
  t.regex(paid.html, /Renews on 31 July/, 'tried again three days later')
  t.is(paid.html.match(/<th scope="row">Pro, yearly<\/th>\s*<td class="num">€50</g)?.length, 2)
})

test.serial('a card whose later payments fail finally ends the subscription', async (t) => {
  const { site } = await open(t)
  const browser = createBrowser(site().url)
  await buy(browser, 'pro_monthly', 'ada@example.com', '4000 0000 0000 0341')
  const ended = await press(browser, 'month')
  // The trial ended on 7 August; tried then, on the 10th, the 15th and the 22nd.
  t.regex(ended.html, /Ended on 22 August/)
  t.true((await browser.open('/articles/the-slow-line-south')).html.includes('class="paywall"'))
})

test.serial('a refund and a dispute close what a payment had opened', async (t) => {
  const { site } = await open(t)
  for (const [button, words] of [
    ['refund', />refunded</],
    ['dispute', />disputed</],
  ] as const) {
    const browser = createBrowser(site().url)
    await buy(browser, 'archive_once', `${button}@example.com`)
    t.is((await browser.open('/archive')).status, 200)
    await browser.open('/account')
    t.regex((await press(browser, button)).html, words)
    t.is((await browser.open('/archive')).status, 403)
  }
})

test.serial('only the visitor’s own subscription and payment are affected', async (t) => {
  const { site } = await open(t)
  const owner = createBrowser(site().url)
  await buy(owner, 'archive_once', 'owner@example.com')
  const subscriber = createBrowser(site().url)
  await buy(subscriber, 'pro_yearly', 'subscriber@example.com')
  const stranger = createBrowser(site().url)
  await stranger.open('/')
  for (const button of ['refund', 'dispute', 'fail']) t.is((await press(stranger, button)).status, 200)
  t.is((await owner.open('/archive')).status, 200)
  t.regex((await subscriber.open('/account')).html, /€50/)
  t.regex((await subscriber.open('/account')).html, /Make the next renewal fail/)
})

test.serial('the buttons need this browser’s form, and lead nowhere else', async (t) => {
  const { site } = await open(t)
  const browser = createBrowser(site().url)
  await browser.open('/')
  for (const button of ['month', 'fail', 'refund', 'dispute', 'reset']) {
    t.is((await browser.post(`/demo/${button}`, { token: '' })).status, 403, button)
    t.is((await browser.post(`/demo/${button}`, { token: 'x'.repeat(43) })).status, 403, button)
  }
  t.is((await browser.post('/demo/month', { redirect: 'https://evil.example' })).status, 400)
  t.is((await browser.post('/demo/nothing', {})).status, 404)
  t.is((await browser.request('/demo/month')).status, 404, 'looking changes nothing')
  t.is(today((await browser.open('/')).html), '2026-07-31')
})

test.serial('the clock continues after a restart, and start over resets it', async (t) => {
  const { site, clock, restart } = await open(t)
  const browser = createBrowser(site().url)
  await buy(browser, 'pro_yearly', 'ada@example.com')
  await press(browser, 'month')
  clock.advance({ days: 1 })
  await restart()
  const after = createBrowser(site().url)
  for (const [name, value] of browser.cookies) after.cookies.set(name, value)
  const page = await after.open('/account')
  t.is(today(page.html), '2026-09-01', 'real time went on meanwhile')
  t.regex(page.html, /ada@example\.com/)

  const reset = await after.submit('/demo/reset', {})
  t.is(reset.path, '/')
  t.is(today(reset.html), '2026-08-01')
  t.regex(reset.html, /Not logged in/)
  t.regex(
    reset.html,
    /Controls <span class="count" title="Received events">0</,
    'what came from the future is forgotten',
  )
  const again = await buy(after, 'pro_monthly', 'new@example.com')
  t.regex(again.html, /Trial until 8 August/)
  await restart()
  t.is(today((await createBrowser(site().url).open('/')).html), '2026-08-01')
})

thorough(test).serial('on PostgreSQL the visitor stays logged in too', async (t) => {
  const database = await postgresDatabases()
  t.teardown(() => database.close())
  const { site, log } = await open(t, { databaseUrl: await database.url() })
  const browser = createBrowser(site().url)
  await buy(browser, 'pro_monthly', 'ada@example.com')
  const page = await press(browser, 'month')
  t.regex(page.html, /ada@example\.com/)
  t.regex(page.html, /Renews on 7 September/)
  // The demo has no secret of its own: that is said, and nothing else.
  t.is(log.length, 1)
  t.regex(log[0]!, /^membership\.secret is not set/)
})

test.serial('a site that sells through another provider has no bar, no buttons and no clock', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-bar-'))
  await mkdir(join(folder, 'config'))
  await writeFile(
    join(folder, 'config', 'membership.yml'),
    `membership:
  database:
    url: sqlite:${join(folder, 'own.db')}
  provider:
    handler: stripe
  providers:
    stripe:
      webhook: whsec_of_the_test
    sandbox:
      plans:
        pro:
          prices: [pro_monthly]
`,
  )
  const clock = createClock(start)
  const site = await startSite({ folder, port: 0, host: '127.0.0.1', now: clock.now, log: () => {} })
  t.teardown(async () => {
    await site.close()
    await rm(folder, { recursive: true, force: true })
  })
  const browser = createBrowser(site.url)
  t.notRegex((await browser.open('/')).html, /class="demo"/)
  const prices = (await browser.open('/pricing')).html
  t.notRegex(prices, /action="\/membership\/subscribe/, 'what its provider does not sell has no button')
  for (const button of ['month', 'fail', 'refund', 'dispute', 'reset']) {
    const token = await formTokenOf(browser)
    t.is((await browser.post(`/demo/${button}`, { token })).status, 404, button)
  }
})

async function formTokenOf(browser: Browser): Promise<string> {
  return /name="token" value="([^"]*)"/.exec((await browser.open('/membership/login')).html)?.[1] ?? ''
}

test.serial(
  'the demo sells like a shop: a named seller, no expired card, a printable receipt, the mailbox one click away',
  async (t) => {
    const { site } = await open(t)
    const browser = createBrowser(site().url)
    t.regex((await browser.open('/pricing')).html, /€5<\/b> <span>per month/)
    t.regex((await browser.open('/pricing?every=year')).html, /€50<\/b> <span>per year/)
    const page = await browser.order('/membership/subscribe/pro', {
      price: 'pro_yearly',
      redirect: '/account',
    })
    t.regex(page.html, /Neap/, 'who sells')
    t.notRegex(page.html, /the shop/i)
    const card = { email: 'ann@example.com', name: 'Ann', card: '4242 4242 4242 4242' }
    const refused = await browser.submit(page.path, { ...card, expiry: '06 / 26' })
    t.is(refused.status, 422)
    t.regex(refused.html, /This card has expired/)
    t.regex((await browser.submit(page.path, { ...card, expiry: '07 / 26' })).html, /Thank you\. You/)

    const sent = await browser.submit('/membership/login', { email: 'ann@example.com', redirect: '/account' })
    const mailbox = /<a class="button" href="(\/demo\/mailbox)">/.exec(sent.html)?.[1]
    t.is(mailbox, '/demo/mailbox', 'from the page that says to look into it')
    await site().membership.runDueJobs()
    const list = await browser.open(mailbox!)
    const mail = await browser.open(/href="(\/demo\/mailbox\/[^"]*link[^"]*)"/.exec(list.html)?.[1] ?? '')
    const link = /https?:\/\/[^\s<]+(\/membership\/login\/[^\s<]+)/.exec(mail.html)?.[1] ?? ''
    await browser.open(link)
    const account = await browser.submit(link, {})
    const receipt = /href="(\/membership\/payments\/[^"]+)"/.exec(account.html)?.[1] ?? ''
    const printed = await browser.open(receipt)
    t.is(printed.status, 200, receipt)
    for (const fact of [
      /Payment receipt/,
      /This receipt is not an invoice/,
      /<dt>Receipt number<\/dt><dd>[^<]+/,
      /<th scope="row">Tax<\/th><td>[^<]+/,
      /Questions about this payment\? Write to <a[^>]+mailto:|Reply to the mail/,
      /Neap Publishing<br>7 Harbour Row<br>Tidewick/,
      /ann@example\.com/,
      /Pro, yearly/,
      /31 July 2026/,
      /€50/,
    ])
      t.regex(printed.html, fact)
  },
)
