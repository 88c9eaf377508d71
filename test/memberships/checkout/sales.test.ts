import test from 'ava'
import type { PlanConfig } from '../../../src/core/config/index.ts'
import type { Price } from '../../../src/core/dto/index.ts'
import type { FakePaddle } from '../../../src/fakes/paddle/index.ts'
import { createMembership, isMembershipError } from '../../../src/index.ts'
import { type OfferHistory, withOffers, withSales } from '../../../src/memberships/catalogue/sales.ts'
import { createClock } from '../../../src/testkit/index.ts'
import { lemonsqueezy } from '../../providers/lemonsqueezy/selling.ts'
import { ask, memberOf, openMollieSite, settled } from '../../providers/mollie/site.ts'
import { paddle } from '../../providers/paddle/selling.ts'
import type { SellingCase } from '../../providers/selling-case.ts'
import { freshDatabase } from '../../support/databases.ts'
import { choose, openSellingSite } from '../../support/selling-site.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { createMailbox, createVisitor } from '../../support/visitor.ts'

function price(id: string, amount: number, more: Partial<Price> = {}): Price {
  return {
    id,
    plan: 'pro',
    provider: 'stripe',
    type: 'recurring',
    currency: 'EUR',
    amount,
    interval: 'year',
    interval_count: 1,
    trial_days: null,
    trial_amount: null,
    label: null,
    lookup_key: null,
    retired: false,
    ...more,
  }
}
function planWith(...prices: Price[]): PlanConfig {
  return {
    id: 'pro',
    provider: 'stripe',
    name: 'Pro',
    description: null,
    lines: [],
    features: [],
    group: null,
    quantity: { min: 1, max: 1 },
    trial: 'once',
    supply: null,
    prices,
  }
}
function at(day: string) {
  return new Date(`2026-${day}T00:00:00.000Z`)
}
/** What was on offer on each of these days. */
function historyOf(days: Record<string, readonly Price[]>): OfferHistory {
  return Object.entries(days).reduce<OfferHistory>(
    (history, [day, prices]) =>
      withOffers(
        history,
        prices.map(({ id, amount }) => ({
          offer: 'stripe pro recurring year 1 EUR',
          price: id,
          amount: amount!,
        })),
        at(day),
      ),
    {},
  )
}
function wasOf(history: OfferHistory, sale: Price, day: string) {
  return withSales([planWith(price('regular', 9000), sale)], history, at(day))[0]?.prices[1]?.was
}

// Directive 98/6/EC, article 6a (2): the lowest price during at least 30 days before the reduction.
test('the old price is the lowest of the 30 days before the sale, and never above what the site wrote', (t) => {
  const sale = price('sale', 6000, { was: 9000 })
  const regular = price('regular', 9000)
  t.is(wasOf({}, sale, '03-01'), 9000, 'a new site has no history')
  const cheaper = historyOf({ '01-01': [price('regular', 8000)], '02-10': [regular], '03-01': [sale] })
  t.is(wasOf(cheaper, sale, '03-02'), 8000)
  t.is(wasOf(cheaper, sale, '05-30'), 8000, 'it stays the same while the sale runs')
  const longAgo = historyOf({ '01-01': [price('regular', 8000)], '01-20': [regular], '03-01': [sale] })
  t.is(wasOf(longAgo, sale, '03-02'), 9000, 'more than 30 days before')
  const dearer = historyOf({ '01-01': [price('regular', 12000)], '03-01': [sale] })
  t.is(wasOf(dearer, sale, '03-02'), 9000)
  const again = historyOf({ '01-01': [regular], '02-01': [sale], '02-10': [regular], '03-01': [sale] })
  t.is(wasOf(again, sale, '03-02'), undefined, 'a sale of three weeks ago was as low: nothing is reduced')
  const deployed = historyOf({ '01-01': [regular], '03-01': [sale], '03-02': [regular] })
  const back = withOffers(
    deployed,
    [{ offer: 'stripe pro recurring year 1 EUR', price: 'sale', amount: 6000 }],
    new Date('2026-03-02T01:00:00.000Z'),
  )
  t.is(wasOf(back, sale, '03-03'), 9000, 'an old process that ran beside a new one begins no new sale')
})

test('a sale that names a price stands in its place, and gives it back', (t) => {
  const sale = price('sale', 6000, { stands_for: 'regular', until: at('02-01').toISOString() })
  const plans = [planWith(price('regular', 9000), sale)]
  const sold = (now: Date) =>
    withSales(plans, {}, now)[0]
      ?.prices.filter(({ retired }) => !retired)
      .map(({ id }) => id)
  t.deepEqual(sold(at('01-31')), ['sale'])
  t.deepEqual(sold(new Date(at('02-01').getTime() - 1)), ['sale'])
  t.deepEqual(sold(at('02-01')), ['regular'])
})

test('a sale ends in two processes at the same moment, and is not sold after it', async (t) => {
  const clock = createClock(at('01-15'))
  const database = await freshDatabase()
  const open = () =>
    createMembership({
      ...database,
      'membership.providers.sandbox.plans': {
        pro: {
          prices: [
            { id: 'yearly', amount: 9000, currency: 'EUR', interval: 'year' },
            {
              id: 'winter',
              amount: 6000,
              currency: 'EUR',
              interval: 'year',
              label: 'Winter',
              was: 'yearly',
              until: '2026-02-01T00:00:00+01:00',
            },
          ],
        },
      },
      'membership.provider.handler': 'sandbox',
      'membership.url': 'https://example.com',
      'membership.secret': 'x'.repeat(32),
      install: false,
      root: false,
      log: () => {},
      now: clock.now,
    })
  const [membership, two] = [await open(), await open()]
  t.teardown(() => Promise.all([membership.close(), two.close()]))
  const sold = async (m: typeof membership) =>
    (await m.viewOf(null)).products().flatMap(({ prices }) => prices.map(({ id, was }) => [id, was]))
  clock.set(new Date('2026-01-31T22:59:59.999Z'))
  t.deepEqual(await sold(membership), [['winter', 9000]])
  t.deepEqual(await sold(two), [['winter', 9000]])
  const user = await membership.users.create({ email: 'ann@example.com', verified: true })
  await t.notThrowsAsync(two.checkout.start({ user, price: 'winter' }))
  clock.set(new Date('2026-01-31T23:00:00.000Z'))
  t.deepEqual(await sold(membership), [['yearly', undefined]])
  t.deepEqual(await sold(two), [['yearly', undefined]])
  const error = await t.throwsAsync(two.checkout.start({ user, price: 'winter' }))
  t.true(isMembershipError(error, 'ERR_PLAN_UNKNOWN'))
})

test('the price page, the order page and the mail say the same of a sale', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.shop.country': 'DE',
    'membership.providers.stripe.plans': {
      book: {
        prices: [
          { id: 'price_book', amount: 1900, currency: 'EUR' },
          {
            id: 'price_book_sale',
            amount: 1500,
            currency: 'EUR',
            was: 'price_book',
            until: '2027-02-01T00:00:00Z',
          },
        ],
      },
    },
  })
  opened.fake.addPrice({ id: 'price_book_sale', unit_amount: 1500, currency: 'eur' })
  await opened.m.operator.catalogue.refresh('stripe')
  const visitor = createVisitor(opened.site)
  const html = { accept: 'text/html' }
  const said = /Reduced until 1 Feb 2027, 00:00 UTC from €19, the lowest price of the 30 days before\./
  const prices = await visitor.get('/membership/prices', html)
  t.regex(prices.text, said)
  t.regex(prices.text, /<s>€19<\/s> <b>€15<\/b>/)
  const led = await visitor.send('/membership/payment', { product: 'price_book_sale' }, html)
  const order = await visitor.get(led.location ?? '', html)
  t.regex(order.text, said)
  const fields = Object.fromEntries(
    [
      ...order.text.split('class="confirm"')[1]!.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g),
    ].map(([, name, value]) => [name!, value!]),
  )
  await visitor.send('/membership/payment', fields, html)
  const session = opened.fake.objects.list('checkout.session').at(-1)!
  await opened.fake.pay(session.id, { email: 'ann@example.com' })
  await opened.fake.advance({ ms: 5000 })
  await visitor.get(new URL(String(session.success_url)).pathname)
  await opened.fake.deliver()
  await opened.m.runDueJobs()
  t.true(mailbox.sent.some(({ text }) => said.test(text.replace(/\s+/g, ' '))))
})

/** A year at 90 euros, at 60 until 1 February. Stripe has both prices. */
async function openSale(t: Parameters<typeof openStripeSite>[0]) {
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.plans': {
      pro: {
        prices: [
          { id: 'price_year', amount: 9000, currency: 'EUR', interval: 'year' },
          {
            id: 'price_winter',
            amount: 6000,
            currency: 'EUR',
            interval: 'year',
            was: 'price_year',
            until: '2026-02-01T00:00:00Z',
          },
        ],
      },
    },
  })
  opened.fake.addPrice({
    id: 'price_winter',
    unit_amount: 6000,
    currency: 'eur',
    recurring: { interval: 'year' },
  })
  await opened.m.operator.catalogue.refresh('stripe')
  return opened
}
async function begin({ m, fake, site }: Awaited<ReturnType<typeof openSale>>, price = 'price_winter') {
  const visitor = createVisitor(site)
  const begun = await visitor.send('/membership/subscribe/pro', { price })
  const session = fake.objects.list('checkout.session').find(({ url }) => url === begun.json.url)!
  await m.runDueJobs()
  const { id } = session
  const now = () => fake.objects.list('checkout.session').find((each) => each.id === id)
  return { visitor, id, status: () => now()?.status, expires_at: session.expires_at }
}
const until = Date.parse('2026-02-01T00:00:00Z')

test('an open checkout of a sale ends with it, and one that is paid before stays paid', async (t) => {
  const opened = await openSale(t)
  const { m, fake } = opened
  const left = await begin(opened)
  const paid = await begin(opened)
  const days = (until - fake.now().getTime()) / 86_400_000
  // Stripe ends a page by itself after a day at most, so these are as old as they get.
  await fake.advance({ days: days - 0.5 })
  const fresh = await begin(opened)
  const soon = await begin(opened)
  t.is(fresh.expires_at, until / 1000, 'Stripe ends it at that second')
  t.is(left.status(), 'expired')
  t.is(paid.status(), 'expired')
  await fake.advance({ ms: until - fake.now().getTime() - 20 * 60_000 })
  const last = await begin(opened)
  const other = await begin(opened)
  t.not(last.expires_at, until / 1000, 'too late for Stripe to know it')
  await fake.pay(soon.id, { email: 'ann@example.com' })
  await fake.pay(other.id, { email: 'ben@example.com' })
  await fake.advance({ ms: until - 1 - fake.now().getTime() })
  await m.runDueJobs()
  t.is(last.status(), 'open')
  await fake.advance({ ms: 1 })
  // Two processes look at the same moment.
  const { m: second } = await opened.another()
  await Promise.all([m.runDueJobs(), second.runDueJobs()])
  t.is(last.status(), 'expired')
  t.is(fresh.status(), 'expired')
  await t.throwsAsync(fake.pay(last.id, { email: 'cleo@example.com' }))
  await fake.deliver()
  await m.runDueJobs()
  for (const email of ['ann@example.com', 'ben@example.com'])
    t.is((await m.users.findByEmail(email))?.subscriptions()[0]?.price_id, 'price_winter', email)
  const asked = await m.storage.read((db) =>
    db.selectFrom('change_requests').select(['object_id', 'requester']).where('kind', '=', 'expireCheckout'),
  )
  t.is(new Set(asked.map(({ object_id }) => object_id)).size, asked.length, 'each is asked for once')
  t.true(asked.length > 0 && asked.every(({ requester }) => requester === 'sale-closes-checkouts'))
})

test('the end of a sale reaches the provider although its answers are lost or it is away', async (t) => {
  for (const kind of ['after', '503'] as const) {
    const opened = await openSale(t)
    const { m, fake } = opened
    await fake.advance({ ms: until - fake.now().getTime() - 20 * 60_000 })
    const last = await begin(opened)
    await fake.advance({ ms: until - fake.now().getTime() })
    const end = fake.outage({ kind })
    await m.runDueJobs()
    end()
    for (let minute = 0; minute < 8; minute++) {
      await fake.advance({ ms: 60_000 })
      await m.runDueJobs()
    }
    t.is(last.status(), 'expired', kind)
    const again = await last.visitor.send('/membership/subscribe/pro', { price: 'price_year' })
    t.is(again.status, 201, again.text)
  }
})

// https://docs.mollie.com/reference/cancel-payment: a call ends an open payment.
test('Mollie is asked to end the open checkout of a sale, and not one that is paid', async (t) => {
  const opened = await openMollieSite(t, {
    'membership.providers.mollie.plans': {
      tale: {
        prices: [
          { id: 'tale', amount: 1900, currency: 'EUR' },
          { id: 'tale_winter', amount: 1500, currency: 'EUR', was: 'tale', until: '2026-02-01T00:00:00Z' },
        ],
      },
    },
  })
  const { m, fake, visitorOf } = opened
  const begin = async (email: string) => {
    const visitor = await visitorOf(email)
    const { json } = await visitor.send('/membership/payment', { product: 'tale_winter' })
    return { visitor, id: new URL(json.url).pathname.split('/').at(-1)! }
  }
  const statusOf = async (id: string) => (await ask(opened, `/payments/${id}`)).status
  // Its page is open for a quarter of an hour.
  await fake.advance({ ms: until - fake.now().getTime() - 10 * 60_000 })
  const [left, paid] = [await begin('ann@example.com'), await begin('ben@example.com')]
  await fake.pay(paid.id)
  await fake.advance({ ms: until - 1 - fake.now().getTime() })
  await m.runDueJobs()
  t.is(await statusOf(left.id), 'open')
  await fake.advance({ ms: 1 })
  await m.runDueJobs()
  t.is(await statusOf(left.id), 'canceled', 'by a call: a page whose time is over is expired')
  t.is(await statusOf(paid.id), 'paid')
  await t.throwsAsync(fake.pay(left.id))
  await settled(opened)
  t.is((await memberOf(m, 'ben@example.com')).payments()[0]?.price_id, 'tale_winter')
  t.false((await memberOf(m, 'ann@example.com')).hasGate('tale' as never))
  const later = await left.visitor.send('/membership/payment', { product: 'tale_winter' })
  t.is(later.code, 'ERR_PLAN_UNKNOWN')
  t.is((await left.visitor.send('/membership/payment', { product: 'tale' })).status, 201)
})

/** The same seller with a sale: the monthly price in place of the dearer one, until 1 February. */
function onSale(sellingCase: SellingCase): SellingCase {
  return {
    ...sellingCase,
    settings: (fake) => ({
      ...sellingCase.settings?.(fake),
      plans: {
        pro: {
          prices: [
            { id: sellingCase.prices.team, amount: 2500, currency: 'EUR', interval: 'month' },
            {
              id: sellingCase.prices.month,
              amount: 900,
              currency: 'EUR',
              interval: 'month',
              was: sellingCase.prices.team,
              until: '2026-02-01T00:00:00Z',
            },
          ],
        },
      },
    }),
  }
}
/** Two checkouts of a sale, begun an hour before its end; the second is paid. */
async function twoOfSale(t: Parameters<typeof openSellingSite>[0], sellingCase: SellingCase) {
  const opened = await openSellingSite(t, onSale(sellingCase))
  const { m, fake } = opened
  await fake.advance({ ms: until - fake.now().getTime() - 3_600_000 })
  const fields = { price: sellingCase.prices.month }
  const left = await choose(opened, 'pro', undefined, fields)
  const paid = await choose(opened, 'pro', undefined, fields)
  await fake.pay(paid.url, { email: 'ben@example.com' })
  await fake.deliver()
  await fake.advance({ ms: until - 1 - fake.now().getTime() })
  await m.runDueJobs()
  const boughtBy = async (email: string) => (await m.users.findByEmail(email))?.subscriptions()[0]?.price_id
  const end = async () => {
    await fake.advance({ ms: 1 })
    await m.runDueJobs()
  }
  return { ...opened, left, paid, end, boughtBy }
}

// https://docs.lemonsqueezy.com/api/checkouts/create-checkout: `expires_at`, after which the page takes no payment.
test('the page of a sale ends by itself at Lemon Squeezy, at the second of the sale', async (t) => {
  const opened = await twoOfSale(t, lemonsqueezy)
  const { m, fake, left, end, boughtBy, sellingCase } = opened
  const last = await choose(opened, 'pro', undefined, { price: sellingCase.prices.month })
  await fake.pay(last.url, { email: 'cleo@example.com' })
  await end()
  await t.throwsAsync(fake.pay(left.url, { email: 'ann@example.com' }))
  await fake.deliver()
  await m.runDueJobs()
  for (const email of ['ben@example.com', 'cleo@example.com'])
    t.is(await boughtBy(email), sellingCase.prices.month, email)
  t.is(await boughtBy('ann@example.com'), undefined)
  const later = await left.visitor.send('/membership/subscribe/pro', { price: sellingCase.prices.month })
  t.is(later.code, 'ERR_PLAN_UNKNOWN')
})

// Paddle cancels no page that nobody began to pay, so the page is marked, and ours no longer shows it.
// https://developer.paddle.com/errors/transactions/transaction_invalid_status_change
test('the page of a sale is marked as closed at Paddle when the sale ends, and not one that is paid', async (t) => {
  const { fake, left, paid, end, boughtBy, sellingCase } = await twoOfSale(t, paddle)
  const isMarked = (checkout: string): boolean => {
    const { objects } = fake as unknown as FakePaddle
    const found = objects.list('transaction').find(({ id }) => id === checkout)!
    return 'membership_closed' in (found.custom_data as object)
  }
  t.false(isMarked(left.checkout), 'a millisecond before the end')
  await end()
  t.true(isMarked(left.checkout))
  t.false(isMarked(paid.checkout))
  t.is(await boughtBy('ben@example.com'), sellingCase.prices.month)
  const later = await left.visitor.send('/membership/subscribe/pro', { price: sellingCase.prices.month })
  t.is(later.code, 'ERR_PLAN_UNKNOWN')
})
