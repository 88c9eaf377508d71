import test, { type ExecutionContext } from 'ava'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import { until } from '../support/browser.ts'
import { servePages } from '../support/pages.ts'

// A site as somebody makes it who reads one page: nothing is configured but what is sold, and it has no page of its own
// but those of `servePages`.
async function openSite(t: ExecutionContext, options: MembershipOptions = {}) {
  const mails: { to: string; text: string }[] = []
  const served = await servePages(t, 'Koa', (site) =>
    createMembership({
      'membership.database.url': 'sqlite::memory:',
      'membership.url': site,
      'membership.provider.handler': 'sandbox',
      'membership.providers.sandbox.plans': {
        pro: { prices: [{ id: 'pro_monthly', amount: 900, currency: 'EUR', interval: 'month' }] },
      },
      'membership.compare.automatic': false,
      mails: { transport: async (mail) => void mails.push(mail) },
      install: false,
      root: false,
      log: () => {},
      ...options,
    }),
  )
  return { ...served, mails }
}

/** Buys in a browser of one's own. */
async function buyIn({ m, site, browse }: Awaited<ReturnType<typeof openSite>>) {
  const browser = browse()
  await browser.open('/membership/prices')
  const checkout = await browser.post('/membership/subscribe/pro', { price: 'pro_monthly' })
  const page = new URL(checkout.headers.get('location') ?? '', site).pathname
  await browser.open(page)
  const back = await browser.submit(page, {
    email: 'ann@example.com',
    name: 'Ann',
    card: '4242424242424242',
  })
  await until(
    async () => (await m.users.findByEmail('ann@example.com'))?.subscriptions().length ?? 0,
    (count) => count === 1,
  )
  return { browser, back }
}

/** The addresses of this site that a page loads and leads to. */
function addressesIn(html: string): string[] {
  return [
    ...new Set(
      [...html.matchAll(/<(?:a|link|img|script)\b[^>]*?\b(?:href|src)="([^"]+)"/g)]
        .map(([, address = '']) => address.replaceAll('&amp;', '&'))
        .filter((address) => address.startsWith('/')),
    ),
  ]
}

test('on a site with only the README’s code, every page has its styles and no broken link', async (t) => {
  const site = await openSite(t)
  const { browser, back } = await buyIn(site)
  const [subscription] = (await site.m.users.findByEmail('ann@example.com'))!.subscriptions()
  const own = [
    '/membership/prices',
    '/membership/login',
    '/membership/account',
    `/membership/cancel/${subscription!.id}`,
    '/membership/nothing-here',
    '/paid',
  ]
  const shown = [back.html]
  for (const visitor of [browser, site.browse()])
    for (const path of own) shown.push(await (await visitor.request(path)).text())
  const addresses = new Set(shown.flatMap(addressesIn))
  t.true([...addresses].some((address) => address.startsWith('/membership/assets/site.css?v=')))
  t.true(addresses.has('/membership/account'))
  // The site's own first page, which these hosts do not have.
  addresses.delete('/')
  for (const address of addresses) t.true((await browser.request(address)).status < 400, address)
})

test('the account shows current and paid purchases, and asks nobody to log in', async (t) => {
  const site = await openSite(t)
  const stranger = await site.browse().open('/membership/account')
  t.is(stranger.status, 200)
  t.regex(stranger.html, /action="\/membership\/login"[\s\S]*name="redirect" value="\/membership\/account"/)
  const { browser } = await buyIn(site)
  const account = await browser.request('/membership/account')
  t.is(account.headers.get('cache-control'), 'private, no-store')
  const html = await account.text()
  t.regex(html, /ann@example\.com/)
  t.regex(html, /Pro, monthly[\s\S]*€9 per month/)
  t.regex(html, /href="\/membership\/payments\//, 'the receipt')
  t.is((await browser.request('/membership/account?history=2')).status, 200)
})

test('mails, forms without a target, and the package’s pages lead to the existing account', async (t) => {
  for (const [options, account] of [
    [{ 'membership.pages.account': '/me' }, '/me'],
    [{}, '/membership/account'],
  ] as const) {
    const site = await openSite(t, options)
    const { browser } = await buyIn(site)
    const said = await until(
      async () => {
        await site.m.runDueJobs()
        return site.mails.map(({ text }) => text).join()
      },
      (text) => text.includes(`${site.site}${account}\n`),
    )
    t.true(said.includes(`${site.site}${account}\n`), said)
    await browser.open('/membership/prices')
    const saved = await browser.post('/membership/account', { email: 'ann@example.com' })
    t.is(saved.headers.get('location'), account)
  }
})

test('a site’s own pages replace ours', async (t) => {
  const { browse } = await openSite(t, {
    membership: { pages: { account: '/me', prices: '/join', home: '/de' } },
  })
  const browser = browse()
  for (const [ours, own] of [
    ['/membership/account', '/me'],
    ['/membership/prices', '/join'],
  ] as const) {
    const { status, headers } = await browser.request(ours)
    t.deepEqual([status, headers.get('location')], [302, own])
  }
  t.regex(
    (await browser.open('/membership/login')).html,
    /class="wordmark" href="\/de"[\s\S]*href="\/join"[\s\S]*href="\/me"/,
  )
})

test('a page that the site lacks is refused with advice', async (t) => {
  for (const account of ['https://elsewhere.example/', '//elsewhere.example', 'account', '/a\\b', '/a b'])
    await t.throwsAsync(
      createMembership({ 'membership.pages.account': account, install: false, root: false }),
      {
        code: 'ERR_CONFIG',
        message: /membership\.pages\.account must be a path of the site, such as \/account/,
      },
    )
})
