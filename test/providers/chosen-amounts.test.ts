import test, { type ExecutionContext } from 'ava'
import { createClock } from '../../src/testkit/index.ts'
import { until } from '../support/browser.ts'
import { openHost } from '../support/host.ts'
import { choose, comeBack, memberOf, openSellingSite, passing } from '../support/selling-site.ts'
import { createMailbox, createVisitor, logIn, prove, type Visitor } from '../support/visitor.ts'
import { chargebee } from './chargebee/selling.ts'
import { creem } from './creem/selling.ts'
import { dodo } from './dodo/selling.ts'
import { lemonsqueezy } from './lemonsqueezy/selling.ts'
import { ask, charged, openMollieSite, settled } from './mollie/site.ts'
import { paddle } from './paddle/selling.ts'
import { ann, askPayPal, openPayPalSite } from './paypal/site.ts'
import { polar } from './polar/selling.ts'
import type { SellingCase } from './selling-case.ts'
import { stripe } from './stripe/selling.ts'

/** The same seller with a tip in place of the book, and supporters beside it. */
function withTip(sellingCase: SellingCase): SellingCase {
  const tip = sellingCase.key === 'lemonsqueezy' ? '2094' : `${sellingCase.prices.book}tip`
  const support = sellingCase.key === 'lemonsqueezy' ? '2095' : `${sellingCase.prices.month}support`
  const choice = { choose: { min: 300, suggested: [500], max: 50_000 }, currency: 'EUR' }
  return {
    ...sellingCase,
    prices: { ...sellingCase.prices, book: tip, team: support },
    settings: (fake) => {
      fake.addPrice({
        id: `${tip}`,
        unit_amount: 300,
        currency: 'eur',
        metadata: { pay_what_you_want: 'true' },
      })
      return {
        ...sellingCase.settings?.(fake),
        plans: {
          tip: { prices: [{ id: tip, ...choice }] },
          supporter: { prices: [{ id: support, ...choice, interval: 'month' }] },
        },
      }
    },
  }
}

// openSellingSite makes prices of the ids that the case names; the tip is made with its metadata instead.
const cases = [chargebee, creem, dodo, lemonsqueezy, paddle, polar, stripe]
const can: Readonly<Record<string, boolean | 'once'>> = {
  chargebee: true,
  paddle: true,
  polar: true,
  stripe: true,
  creem: 'once',
  dodo: 'once',
  lemonsqueezy: 'once',
}

for (const sellingCase of cases)
  test(`${sellingCase.key}: a tip is sold at the chosen amount, or clearly not at all`, async (t) => {
    const opened = await openSellingSite(t, withTip(sellingCase))
    const { m, fake, site } = opened
    t.is(opened.provider().capabilities?.choose_amount ?? false, can[sellingCase.key]!)
    const visitor = createVisitor(site)
    const price = opened.sellingCase.prices.team
    if (can[sellingCase.key] !== true) {
      const regular = await visitor.send('/membership/subscribe/supporter', { price, amount: '700' })
      t.is(regular.code, 'ERR_PROVIDER_UNSUPPORTED', regular.text)
    }
    if (!can[sellingCase.key]) {
      const once = await visitor.send('/membership/payment', {
        product: opened.sellingCase.prices.book,
        amount: '700',
      })
      t.is(once.code, 'ERR_PROVIDER_UNSUPPORTED', once.text)
      const list = await visitor.get('/membership/prices', { accept: 'text/html' })
      t.notRegex(list.text, /name="own_amount"/)
      return
    }
    const begun = await choose(opened, 'book', visitor, { amount: '777' })
    await fake.pay(begun.url, { email: 'ann@example.com' })
    await passing(fake)
    await comeBack(opened, begun)
    await fake.deliver()
    await prove(m, visitor)
    await m.runDueJobs()
    t.deepEqual(sellingCase.moved(fake).charged, [777])
    const user = await memberOf(m, 'ann@example.com')
    t.deepEqual(
      user.payments().map(({ amount, price_id }) => [amount, price_id]),
      [[777, opened.sellingCase.prices.book]],
    )
    t.true(user.hasGate('tip' as never))
  })

// Charged at the renewal, and changed by the member with a preview.
for (const sellingCase of [chargebee, paddle, polar, stripe])
  test(`${sellingCase.key}: a monthly support is charged at the chosen amount, and more and less as previewed`, async (t) => {
    const opened = await openSellingSite(t, withTip(sellingCase))
    const { m, fake, site } = opened
    const visitor = createVisitor(site)
    const price = opened.sellingCase.prices.team
    const begun = await visitor.send('/membership/subscribe/supporter', { price, amount: '1000' })
    t.is(begun.status, 201, begun.text)
    await fake.pay(begun.json.url, { email: 'ann@example.com' })
    await passing(fake)
    const back = `/membership/subscribe/${begun.json.intent_id}`
    await comeBack(opened, { visitor, checkout: sellingCase.checkoutIn(begun.json.url), back })
    await fake.deliver()
    await prove(m, visitor)
    await m.runDueJobs()
    const held = async () => {
      await passing(fake)
      await fake.deliver()
      await m.runDueJobs()
      return (await memberOf(m, 'ann@example.com')).subscriptions()[0]!
    }
    t.like(await held(), { price_id: price, unit_amount: 1000 })
    t.true((await memberOf(m, 'ann@example.com')).hasGate('supporter' as never))
    const { id } = await held()
    if (opened.provider().capabilities?.changes_amount === false) {
      const refused = await visitor.send(`/membership/change/${id}`, { price, amount: '2000' })
      t.is(refused.code, 'ERR_PROVIDER_UNSUPPORTED', refused.text)
      await fake.advance({ days: 32 })
      t.like(await held(), { price_id: price, unit_amount: 1000 })
      t.deepEqual(sellingCase.moved(fake).charged, [1000, 1000])
      return
    }
    const preview = await visitor.send(`/membership/invoice/${id}`, { price, amount: '2000' })
    t.true(preview.json.amount_due >= 998 && preview.json.amount_due <= 1000, preview.text)
    const more = await visitor.send(`/membership/change/${id}`, { price, amount: '2000' })
    t.is(more.status, 200, more.text)
    t.like(await held(), { price_id: price, unit_amount: 2000 })
    await passing(fake)
    const less = await visitor.send(`/membership/change/${id}`, { price, own_amount: '4' })
    t.is(less.status, 200, less.text)
    if (sellingCase.schedules !== false)
      t.like((await held()).scheduled_change, { price_id: price, unit_amount: 400 })
    await fake.advance({ days: 32 })
    t.like(await held(), { price_id: price, unit_amount: 400 })
    const [first, second, third, ...others] = sellingCase.moved(fake).charged
    t.deepEqual([first, third, others], [1000, 400, []])
    t.is(second, preview.json.amount_due)
    const payments = (await memberOf(m, 'ann@example.com')).payments()
    t.true(
      payments.every(({ price_id }) => price_id === price),
      JSON.stringify(payments),
    )
  })

function choice(currency: string) {
  return { choose: { min: 300, suggested: [500], max: 50_000 }, currency }
}
/** A tip that is paid once, and supporters who pay each month. */
function plansIn(currency: string) {
  return {
    tip: { prices: [{ id: 'tip', ...choice(currency) }] },
    supporter: { prices: [{ id: 'support', ...choice(currency), interval: 'month' as const }] },
  }
}
function once(visitor: Visitor, fields: Record<string, string>) {
  return visitor.send('/membership/payment', { product: 'tip', ...fields })
}
function regularly(visitor: Visitor, fields: Record<string, string>) {
  return visitor.send('/membership/subscribe/supporter', { price: 'support', ...fields })
}

/** The last amount below the range, the first above it, and none. */
const outside: readonly Record<string, string>[] = [{ amount: '299' }, { own_amount: '500.01' }, {}]
async function refusesOutside(t: ExecutionContext, visitor: Visitor, buy: typeof once) {
  for (const fields of outside) {
    const refused = await buy(visitor, fields)
    t.is(refused.code, 'ERR_FORM', `${JSON.stringify(fields)} ${refused.text}`)
    t.like(refused.json, { min: 300, max: 50_000 })
  }
}

test('mollie: a tip and a monthly support are charged at the chosen amount, within the range only', async (t) => {
  const opened = await openMollieSite(t, { 'membership.providers.mollie.plans': plansIn('EUR') })
  const { m, fake, visitorOf } = opened
  const visitor = await visitorOf(ann)
  for (const buy of [once, regularly]) await refusesOutside(t, visitor, buy)
  t.deepEqual((await ask(opened, '/payments'))._embedded.payments, [], 'Mollie is not asked')
  for (const [buy, fields] of [
    [once, { own_amount: '500' }],
    [regularly, { own_amount: '7,50' }],
  ] as const) {
    const begun = await buy(visitor, fields)
    t.is(begun.status, 201, begun.text)
    await fake.pay(new URL(begun.json.url).pathname.split('/').at(-1)!)
    await settled(opened)
  }
  const { _embedded } = await ask(opened, '/subscriptions')
  t.deepEqual(
    _embedded.subscriptions.map(({ amount }: { amount: object }) => amount),
    [{ value: '7.50', currency: 'EUR' }],
  )
  await fake.advance({ days: 32 })
  await settled(opened)
  t.deepEqual(await charged(opened), ['500.00', '7.50', '7.50'])
  const user = (await m.users.findByEmail(ann))!
  t.like(user.subscriptions()[0], { price_id: 'support', unit_amount: 750 })
  t.deepEqual(
    user.payments().map(({ amount, price_id }) => [price_id, amount]),
    [
      ['support', 750],
      ['support', 750],
      ['tip', 50_000],
    ],
  )
  for (const gate of ['tip', 'supporter']) t.true(user.hasGate(gate as never), gate)
})

test('paypal: a tip is charged at the chosen amount, within the range only, and a support is not sold', async (t) => {
  const site = await openPayPalSite(t, { settings: { plans: plansIn('USD') } })
  const { paypal, choose: begin, lookAt, settle, memberOf, opens } = site
  const visitor = createVisitor(site.site)
  await refusesOutside(t, visitor, once)
  t.is((await regularly(visitor, { amount: '700' })).code, 'ERR_PROVIDER_UNSUPPORTED')
  const tip = await begin('/membership/payment', { product: 'tip', own_amount: '7.77' }, visitor)
  const { json } = await askPayPal(paypal, 'GET', `/v2/checkout/orders/${tip.id}`)
  t.like(json.purchase_units[0].amount, { value: '7.77', currency_code: 'USD' })
  await paypal.pay(tip.id, { email: ann })
  t.is(await lookAt(visitor, tip.back), 'paid')
  await settle()
  t.deepEqual(
    (await memberOf())!.payments().map(({ amount, currency, price_id }) => [amount, currency, price_id]),
    [[777, 'USD', 'tip']],
  )
  t.true(await opens('tip'))
})

test('sandbox: a tip and a monthly support are charged at the chosen amount, within the range only', async (t) => {
  const clock = createClock('2026-01-15T12:00:00Z')
  const mailbox = createMailbox()
  const opened = await openHost(t, {
    ...mailbox.options,
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': plansIn('EUR'),
    'membership.ratelimit.limit': 10_000,
    now: clock.now,
  })
  const { m, site } = opened
  await m.users.create({ email: ann, verified: true })
  const visitor = await logIn(opened, mailbox, ann)
  const own = async () => (await m.users.findByEmail(ann))!
  for (const buy of [once, regularly]) await refusesOutside(t, visitor, buy)
  for (const [buy, fields, shown] of [
    [once, { own_amount: '3' }, /€3(\.00)?\b/],
    [regularly, { own_amount: '7,50' }, /€7\.50/],
  ] as const) {
    const begun = await buy(visitor, fields)
    t.is(begun.status, 201, begun.text)
    const path = new URL(begun.json.url, site).pathname
    t.regex((await visitor.get(path)).text, shown, 'the page of the sandbox')
    const paid = await visitor.send(path, { email: ann, name: 'Ann', card: '4242 4242 4242 4242' })
    t.is(paid.status, 303, paid.text)
    await visitor.get(paid.location!)
    await m.runDueJobs()
    clock.advance({ minutes: 1 })
  }
  t.true(await until(async () => (await own()).hasGate('supporter' as never), Boolean))
  t.like((await own()).subscriptions()[0], { price_id: 'support', unit_amount: 750 })
  clock.advance({ days: 32 })
  await m.runDueJobs()
  const payments = await until(
    async () => (await own()).payments().map(({ amount, price_id }) => [price_id, amount]),
    (list) => list.length === 3,
  )
  t.deepEqual(payments, [
    ['support', 750],
    ['support', 750],
    ['tip', 300],
  ])
  t.true((await own()).hasGate('tip' as never))

  // A day and some minutes of the 28 are over: the rest of the difference is due.
  const { id } = (await own()).subscriptions()[0]!
  const more = { price: 'support', amount: '1500' }
  const back = await logIn(opened, mailbox, ann)
  const { json, text } = await back.send(`/membership/invoice/${id}`, more)
  t.true(json.amount_due > (750 * 26) / 28 && json.amount_due < (750 * 27.1) / 28, text)
  t.is((await back.send(`/membership/change/${id}`, more)).status, 200)
  await m.runDueJobs()
  const after = await until(
    async () => (await own()).payments().map(({ amount }) => amount),
    (list) => list.length === 4,
  )
  t.deepEqual(after, [json.amount_due, 750, 750, 300])
  t.is((await own()).subscriptions()[0]?.unit_amount, 1500)
})
