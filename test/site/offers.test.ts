import test, { type ExecutionContext } from 'ava'
import { createMembership } from '../../src/index.ts'
import { createFakeStripe } from '../../src/testkit/index.ts'

/** A site with these options on a database of its own, and its log. */
async function siteWith(t: ExecutionContext, options: Record<string, unknown>) {
  const log: string[] = []
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.compare.automatic': false,
    'membership.provider.handler': 'stripe',
    mails: { transport: async () => undefined },
    root: false,
    install: false,
    log: (message: string) => log.push(message),
    ...options,
  })
  t.teardown(() => m.close())
  const page = async (path: string) =>
    (await m.fetch(new Request(`http://localhost:3000${path}`, { headers: { accept: 'text/html' } }))).text()
  return { m, log, page }
}

async function fakeWith(t: ExecutionContext) {
  const fake = await createFakeStripe({ seed: 1 })
  t.teardown(() => fake.close())
  fake.addPrice({
    id: 'price_month',
    unit_amount: 900,
    currency: 'eur',
    recurring: { interval: 'month' },
  })
  fake.addPrice({ id: 'price_book', unit_amount: 1900, currency: 'eur' })
  return fake
}
function settings(fake: { secret: string; url: string }, prices: readonly string[]) {
  return {
    'membership.providers.stripe': {
      secret: fake.secret,
      webhook: 'whsec_1',
      api_base: fake.url,
      plans: { pro: { name: 'Pro', prices } },
    },
  }
}

test('the first page of a fresh site offers each price as what it is, and none that the provider lacks', async (t) => {
  const fake = await fakeWith(t)
  const names = ['price_month', 'price_book', 'price_typo']
  const { page, log, m } = await siteWith(t, settings(fake, names))
  const html = await page('/membership/prices')
  t.regex(html, /€9<\/b>\s*<span>per month/)
  t.regex(html, /action="\/membership\/payment">\s*<input type="hidden" name="product" value="price_book"/)
  t.false(html.includes('price_typo'))
  t.true(log.some((line) => line.includes('names "price_typo", and stripe has no price of that id')))
  const view = await m.viewOf(null)
  t.is(view.provider().subscriptionAction('price_typo').action, 'none')
  t.is(view.provider().subscriptionAction('price_month').action, 'subscribe')
})

test('prices that cannot be read are not offered, and no page waits for them twice', async (t) => {
  const fake = await fakeWith(t)
  const { page } = await siteWith(t, settings({ ...fake, url: 'http://127.0.0.1:9' }, ['price_month']))
  t.regex(await page('/membership/prices'), /Nothing is for sale right now\./)
  const began = Date.now()
  await page('/membership/prices')
  t.true(Date.now() - began < 2000)
})

test('a provider without its API key is named at the start, and offers nothing', async (t) => {
  const { page, log } = await siteWith(t, {
    'membership.providers.stripe': {
      webhook: 'whsec_1',
      plans: { pro: { prices: [{ id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' }] } },
    },
  })
  t.true(log.some((line) => line.startsWith('New checkouts go to stripe, which takes none here')))
  const html = await page('/membership/prices')
  t.regex(html, /Nothing is for sale right now\./)
  t.false(html.includes('<button>Subscribe'))
})

test('a product named as a price is told at the start', async (t) => {
  const { log } = await siteWith(t, {
    'membership.providers.stripe': { webhook: 'whsec_1', plans: { pro: { prices: ['prod_1'] } } },
  })
  t.true(log.some((line) => line.includes('names "prod_1", which is a product: nobody can buy it.')))
})

test('a site without mails offers no login by a link', async (t) => {
  const paths = ['/membership/account', '/membership/login', '/membership/account/export']
  const without = await siteWith(t, { 'membership.providers.stripe.webhook': 'whsec_1', mails: undefined })
  for (const path of paths) t.false((await without.page(path)).includes('name="email"'), path)
  t.regex(await without.page('/membership/login'), /This site does not send login links yet\./)
  const withMails = await siteWith(t, { 'membership.providers.stripe.webhook': 'whsec_1' })
  t.true((await withMails.page('/membership/login')).includes('name="email"'))
})
