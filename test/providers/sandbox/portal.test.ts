import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import Koa from 'koa'
import { createMembership } from '../../../src/index.ts'
import type { Provider } from '../../../src/providers/contract.ts'
import { createSandbox, sandbox } from '../../../src/providers/sandbox/index.ts'
import { createClock } from '../../../src/testkit/index.ts'
import { createBrowser } from '../../support/browser.ts'
import { cards } from './support.ts'

const start = '2026-04-01T00:00:00.000Z'

/** A site that sells through the sandbox, and the sandbox itself. */
async function openSite(t: ExecutionContext) {
  const clock = createClock(start)
  let provider: ReturnType<typeof createSandbox> | undefined
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans.pro.prices': [
      { id: 'month', amount: 1000, currency: 'EUR', interval: 'month' },
      { id: 'large', amount: 2000, currency: 'EUR', interval: 'month' },
      { id: 'yen', amount: 2000, currency: 'JPY', interval: 'month' },
    ],
    'membership.providers.sandbox.plans.other.prices': [
      { id: 'other', amount: 1, currency: 'EUR', interval: 'month' },
    ],
    customProviders: [
      {
        ...sandbox,
        create: (context) => {
          provider = createSandbox(context)
          return provider
        },
      },
    ],
    now: clock.now,
    install: false,
    root: false,
    log: () => {},
  })
  const app = new Koa()
  app.silent = true
  app.use(m.koa())
  app.use((ctx) => {
    ctx.type = 'html'
    ctx.body = `<input name="token" value="${m.pages.formToken(ctx)}">`
  })
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await m.close()
  })
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const shop = provider as Provider & ReturnType<typeof createSandbox>

  /** A buyer's browser, and the way into their portal. */
  const buyer = async (email: string, card = cards.works) => {
    const browser = createBrowser(site)
    await browser.open('/')
    const page = await browser.submit('/membership/subscribe/pro', { price: 'month', redirect: '/' })
    await browser.submit(page.path, { email, name: 'A', card })
    const user = await m.users.findByEmail(email)
    const [subscription] = user!.subscriptions()
    const open = (idempotencyKey = `open ${email} ${clock.now().toISOString()}`) =>
      shop.portal!({
        customerId: subscription!.customer_id!,
        returnUrl: `${site}/account`,
        localUrl: site,
        idempotencyKey,
      })
    return { browser, id: subscription!.id, open, url: (await open()).url }
  }
  const moveTo = async (moment: string) => {
    await shop.controls.offered()
    clock.set(moment)
    await m.runDueJobs()
  }
  const subscriptionOf = async (email: string) => {
    await shop.controls.offered()
    return (await m.users.findByEmail(email))!.subscriptions()[0]!
  }
  return { m, clock, site, shop, buyer, moveTo, subscriptionOf }
}

test.serial('a member cancels, resumes, changes plan and pauses', async (t) => {
  const { buyer, moveTo, subscriptionOf } = await openSite(t)
  const { browser, id, open } = await buyer('ada@example.com')
  await moveTo('2026-04-16T00:00:00.000Z')
  const { url: again } = await open()
  const page = await browser.open(again)
  t.regex(page.html, /ada@example\.com/)
  t.regex(page.html, /Renews on 1 May/)
  t.regex(page.html, /value="large" checked>[^<]*€20 per month, €5 today/)
  t.notRegex(page.html, /value="(yen|other|month)"/)
  t.regex(page.html, /href="http:\/\/127\.0\.0\.1:\d+\/account"/)
  t.notRegex(page.html, /<script/)

  t.regex(
    (await browser.submit(again, { action: 'cancel', subscription: id })).html,
    /Cancelled, paid until 1 May/,
  )
  t.true((await subscriptionOf('ada@example.com')).on_grace_period, 'the site was told')
  t.regex((await browser.submit(again, { action: 'keep', subscription: id })).html, /Renews on 1 May/)
  const changed = await browser.submit(again, { action: 'change', subscription: id, price: 'large' })
  t.regex(changed.html, /€20 per month/)
  t.regex(changed.html, /€5</, 'the payment is listed')
  t.is((await subscriptionOf('ada@example.com')).price_id, 'large')
  const paused = await browser.submit(again, { action: 'pause', subscription: id, months: '1' })
  t.regex(paused.html, /Paid until 1 May, then paused until 1 June/)
  t.like(await subscriptionOf('ada@example.com'), {
    status: 'active',
    paused_at: '2026-05-01T00:00:00.000Z',
    resumes_at: '2026-06-01T00:00:00.000Z',
  })
  t.regex((await browser.submit(again, { action: 'resume', subscription: id })).html, /Renews on 1 May/)
})

test.serial('a failing card, and the open payment afterwards', async (t) => {
  const { buyer, moveTo, shop, subscriptionOf } = await openSite(t)
  const { browser, id, url } = await buyer('ada@example.com')
  t.regex((await browser.open(url)).html, /Your saved card works/)
  t.regex(
    (await browser.submit(url, { action: 'card', card: 'fails' })).html,
    /will fail at the next payment\./,
  )
  const declined = await browser.submit(url, { action: 'change', subscription: id, price: 'large' })
  t.is(declined.status, 422)
  t.regex(declined.html, /role="alert">The payment was declined/)

  await moveTo('2026-05-01T00:00:00.000Z')
  t.is((await subscriptionOf('ada@example.com')).status, 'past_due')
  const pay = (await shop.payUrl!(id))!
  const paying = (await browser.open(pay)).html
  t.regex(paying, /<h1>Pay the open amount<\/h1>[\s\S]*>Pay €/)
  t.notRegex(paying, /Another plan|Your saved card/, 'and nothing else')
  t.is((await browser.submit(pay, { action: 'pay', subscription: id })).status, 422)
  await browser.submit(pay, { action: 'card', card: 'works' })
  const paid = (await browser.submit(pay, { action: 'pay', subscription: id })).html
  t.regex(paid, /Renews on 1 June/)
  t.regex(paid, /role="status">Paid\. Your membership goes on\. <a href="[^"]*account">To your account</)
  t.is((await subscriptionOf('ada@example.com')).status, 'active')
  t.is(await shop.payUrl!(id), null)
})

test.serial('the same call opens the same page, and another call another', async (t) => {
  const { buyer } = await openSite(t)
  const { open } = await buyer('ada@example.com')
  t.is((await open('one')).url, (await open('one')).url)
  t.not((await open('one')).url, (await open('two')).url)
})

test.serial(
  'nobody can change another’s subscription, without the address, or from another site',
  async (t) => {
    const { buyer, clock, subscriptionOf, site } = await openSite(t)
    const ada = await buyer('ada@example.com')
    const eve = await buyer('eve@example.com')
    await eve.browser.open(eve.url)
    for (const action of ['cancel', 'keep', 'pause', 'resume', 'change', 'pay']) {
      const answer = await eve.browser.post(eve.url, { action, subscription: ada.id, price: 'large' })
      t.is(answer.status, 404, action)
    }
    await eve.browser.open(eve.url)
    for (const price of ['yen', 'other', 'nothing', ''])
      t.is(
        (await eve.browser.post(eve.url, { action: 'change', subscription: eve.id, price })).status,
        422,
        price,
      )
    t.is((await eve.browser.post(eve.url, { action: 'steal', subscription: eve.id })).status, 422)

    t.is((await eve.browser.post(eve.url, { action: 'cancel', subscription: eve.id, token: '' })).status, 403)
    const foreign = await eve.browser.request(eve.url, {
      method: 'POST',
      headers: { origin: 'https://evil.example' },
      body: new URLSearchParams({ action: 'cancel', subscription: eve.id }),
    })
    t.is(foreign.status, 403)

    const shown = await fetch(new URL(eve.url, site))
    t.is(shown.headers.get('cache-control'), 'private, no-store')
    t.is(shown.headers.get('referrer-policy'), 'no-referrer', 'the address is the key')
    t.is((await fetch(new URL('/membership/sandbox/portal/guess', site))).status, 404)
    t.regex(eve.url, /^\/membership\/sandbox\/portal\/[\w-]{24}$/)
    clock.advance({ minutes: 60 })
    t.is((await eve.browser.open(eve.url)).status, 404)
    for (const email of ['ada@example.com', 'eve@example.com'])
      t.like(await subscriptionOf(email), {
        status: 'active',
        price_id: 'month',
        cancel_at_period_end: false,
      })
  },
)
