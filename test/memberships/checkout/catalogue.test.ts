import test from 'ava'
import { createWords } from '../../../src/core/words/index.ts'
import { defineProvider, MembershipError } from '../../../src/index.ts'
import { stripe } from '../../../src/providers/stripe/index.ts'
import { accountForPage } from '../../../src/site/pages/account-words.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor } from '../../support/visitor.ts'

test('a plan with lookup keys sells and opens by them after prices were read', async (t) => {
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.plans': { pro: { prices: ['pro_month'] } },
  })
  const { m, fake } = opened
  await m.operator.catalogue.refresh('stripe')
  const [plan] = m.plans()
  t.is(plan?.prices[0]?.id, 'price_month')
  t.is(plan?.prices[0]?.amount, 900)
  t.false(m.operator.catalogue.isStale('stripe'))
  const { user } = await buy(opened, 'ann@example.com', { price: 'pro_month' })
  t.true(user.hasGate('pro' as never))
  t.true(user.hasGate('pro_month' as never), 'by its key')
  t.is(fake.objects.list('subscription')[0]?.items.data[0]?.price.id, 'price_month')
})

test('Stripe’s prices are sold when no plans are configured', async (t) => {
  const opened = await openStripeSite(t, { 'membership.providers.stripe.plans': undefined })
  const { m, fake, site } = opened
  fake.addPrice({ id: 'price_yen', unit_amount: 1200, currency: 'jpy', recurring: { interval: 'month' } })
  fake.addPrice({ id: 'price_dinar', unit_amount: 4500, currency: 'kwd', recurring: { interval: 'month' } })
  await m.operator.catalogue.refresh('stripe')
  const prices = m.plans().flatMap((plan) => plan.prices)
  t.true(prices.some(({ id }) => id === 'price_month'))
  t.like(
    prices.find(({ id }) => id === 'price_yen'),
    { amount: 1200, currency: 'JPY' },
  )
  for (const [id, text] of [
    ['price_yen', 1200],
    ['price_dinar', 4500],
  ] as const) {
    const plan = m.plans().find((plan) => plan.prices.some((price) => price.id === id))!
    const visitor = createVisitor(site)
    const begun = await visitor.send(`/membership/subscribe/${plan.id}`, { price: id })
    t.is(begun.status, 201, begun.text)
    t.is(fake.objects.list('checkout.session').at(-1)?.amount_total, text)
  }
})

test('prices that could not be refreshed are marked stale and still shown', async (t) => {
  const { m, fake, site } = await openStripeSite(t)
  await m.operator.catalogue.refresh('stripe')
  fake.outage({ kind: '500' })
  await fake.advance({ days: 2 })
  t.true(m.operator.catalogue.isStale('stripe'))
  t.true(m.plans().length > 0)
  t.is((await createVisitor(site).send('/membership/subscribe/team')).status, 502)
})

test('a page’s offer for a price matches its form’s action', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake, site } = opened
  const offer = async (user: Parameters<typeof m.viewOf>[0], price: string) =>
    (await m.viewOf(user)).provider().subscriptionAction(price as never)
  const stranger = createVisitor(site)
  for (const [price, action] of [
    ['price_month', 'subscribe'],
    ['price_book', 'buy'],
  ] as const) {
    const shown = await offer(null, price)
    t.is(shown.action, action)
    t.is((await stranger.send(shown.url!, { ...('fields' in shown && shown.fields) })).status, 201)
  }
  const { visitor } = await buy(opened, 'ann@example.com')
  const ann = () => m.users.findByEmail('ann@example.com')
  await fake.advance({ ms: 10_000 })
  const act = async (price: string, action: string) => {
    const shown = await offer(await ann(), price)
    t.is(shown.action, action as never, price)
    const answer = await visitor.send(shown.url!, { ...('fields' in shown && shown.fields) })
    t.true([200, 201].includes(answer.status), answer.text)
    await fake.deliver()
    await fake.advance({ ms: 10_000 })
    return (await ann())!.subscriptions()[0]!
  }
  t.is((await act('price_team', 'change')).price_id, 'price_team')
  t.true((await act('price_team', 'cancel')).cancel_at_period_end)
  t.false((await act('price_team', 'renew')).cancel_at_period_end)
  const book = await buy(opened, 'ann@example.com', {
    path: '/membership/payment',
    product: 'price_book',
    visitor,
  })
  const bought = await offer(book.user, 'price_book')
  t.like(bought, { action: 'none', reason: 'bought', url: null })
  t.is(
    (await visitor.send('/membership/payment', { product: 'price_book' })).json.code,
    'ERR_CHECKOUT_REFUSED',
  )
  t.like(await offer(book.user, 'price_unknown'), { action: 'none', reason: 'not_sold' })
})

test('a purchase keeps the name it was bought under in each language, when its plan is renamed, changed or removed', async (t) => {
  const mailbox = createMailbox()
  const price = { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' as const }
  const plans = (name: string, german: string) => ({
    pro: { name, words: { de: { name: german } }, group: 'a', prices: [price] },
    team: { group: 'a', prices: ['price_team'] },
  })
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.plans': plans('Reader', 'Leserin'),
  })
  const { fake } = opened
  const { user, id } = await buy(opened, 'ann@example.com')
  const settle = async (m: typeof opened.m) => {
    await fake.deliver()
    await m.runDueJobs()
  }
  // Started anew, while the process of before still runs.
  const { m, site } = await opened.another({
    'membership.providers.stripe.plans': plans('Patron', 'Förderin'),
  })
  await settle(opened.m)
  // Where no address is configured, the first request tells it.
  await fetch(site)
  await fake.advance({ months: 1, ms: 7_200_000 })
  await settle(m)
  await opened.m.operator.catalogue.refresh('stripe')
  const wish = { plan: 'team', price: null, quantity: null, proration: null, prorationAt: null }
  const renewed = (await m.users.findById(user.id))!
  await m.subscriptions.change({ user: renewed, subscriptionId: id, ...wish })
  await fake.advance({ ms: 60_000 })
  await settle(m)
  // Given up altogether: nobody sells it any more.
  const { m: last } = await opened.another({
    'membership.providers.stripe.plans': { team: { group: 'a', prices: ['price_team'] } },
  })
  const view = await last.viewOf((await last.users.findById(user.id))!)
  const words = createWords({ root: false, defaultLanguage: 'en', site: 'Neap' })
  const history = (language: string) => {
    const page = accountForPage(view, { voice: words.voiceFor([language]), now: fake.now(), page: 1 })
    return page.history !== undefined ? page.history.rows.map(({ text }) => text) : []
  }
  t.deepEqual(history('en'), ['Team, monthly', 'Patron, monthly', 'Reader, monthly began', 'Reader, monthly'])
  t.deepEqual(history('de').slice(1), [
    'Förderin, monatlich',
    'Leserin, monatlich begann',
    'Leserin, monatlich',
  ])
  const receipts = mailbox.of('ann@example.com', 'receipt').map(({ subject }) => subject)
  t.deepEqual(receipts.slice(0, 2), ['Receipt: Reader, monthly', 'Receipt: Patron, monthly'])
})

test('a provider that is down is no busy shop: the purchase says so with Retry-After, and sells once the price was read', async (t) => {
  const { fake, site, log } = await openStripeSite(t, {
    'membership.providers.stripe.plans': { guide: { prices: ['price_book'] } },
  })
  const down = fake.outage({ kind: '500', requests: 1000 })
  const visitor = createVisitor(site)
  for (const [accept, says] of [
    ['application/json', /ERR_PROVIDER_ANSWER.*try again in a moment/i],
    ['text/html', /The payment provider isn’t responding/],
  ] as const) {
    const early = await visitor.send('/membership/payment', { product: 'price_book' }, { accept })
    t.is(early.status, 502, early.text)
    t.is(early.headers.get('retry-after'), '5')
    t.regex(early.text, says)
  }
  t.true(log.some((line) => line.includes('prices could not be read')))
  t.is(fake.objects.list('checkout.session').length, 0)
  down()
  const begun = await visitor.send('/membership/payment', { product: 'price_book' })
  t.is(begun.status, 201, begun.text)
  t.is(fake.objects.list('checkout.session').at(-1)?.mode, 'payment')
})

test('a price that the provider does not have is named in the log, with the other mode as its likely reason', async (t) => {
  const { m, log } = await openStripeSite(t, {
    'membership.providers.stripe.plans': { guide: { prices: ['price_of_live_mode'] } },
  })
  for (const _ of [1, 2]) await m.operator.catalogue.refresh('stripe')
  t.deepEqual(
    log.filter((line) => line.includes('price_of_live_mode')),
    [
      'membership.providers.stripe.plans.guide.prices names "price_of_live_mode", and stripe has no price of that id: it is not sold. Its id may be of the other mode, or of another account {}',
    ],
  )
})

test('a package that is missing is no busy shop: the purchase says what to install', async (t) => {
  const prices = async (): Promise<never> => {
    throw new MembershipError('ERR_CONFIG', 'The package "stripe" could not be loaded', {
      action: 'npm install stripe',
    })
  }
  const without = defineProvider({
    ...stripe,
    create: (context) => Object.assign(stripe.create(context), { prices }),
  })
  const { site } = await openStripeSite(t, {
    customProviders: [without],
    'membership.providers.stripe.plans': { guide: { prices: ['price_book'] } },
  })
  const answer = await createVisitor(site).send('/membership/payment', { product: 'price_book' })
  t.is(answer.json.code, 'ERR_CONFIG', answer.text)
  t.is(answer.headers.get('retry-after'), null)
})

test('a fresh site reads its prices at once, offers one-time prices as such, and shows no missing text', async (t) => {
  const { m, site } = await openStripeSite(t, {
    'membership.providers.stripe.plans': {
      guide: { prices: ['price_book'] },
      pro: { prices: ['price_month'] },
    },
  })
  const page = async () => (await createVisitor(site).get('/membership/prices')).text
  t.regex(await page(), /Guide|guide/)
  t.notRegex(await page(), /shop\.label|null/)
  for (let waited = 0; m.plans()[0]?.prices[0]?.amount === null && waited < 200; waited++)
    await new Promise((next) => setTimeout(next, 25))
  t.like(m.plans()[0]?.prices[0], { type: 'one_time', amount: 1900 })
})
