import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { plainVoice } from '../../src/core/words/index.ts'
import type { MembershipOptions } from '../../src/index.ts'
import { accountForPage } from '../../src/site/pages/account-words.ts'
import { formsFor, plansForPage } from '../../src/site/pages/page-forms.ts'
import { viewFrom } from '../../src/testkit/index.ts'
import { choose, memberOf, openSellingSite, passing, type SellingSite } from '../support/selling-site.ts'
import { createVisitor, prove, type Visitor } from '../support/visitor.ts'
import { paddle } from './paddle/selling.ts'
import type { SellingCase } from './selling-case.ts'
import { stripe } from './stripe/selling.ts'

// A site that sells through two providers at once; Stripe is the one for new checkouts unless a test says otherwise.

const ann = 'ann@example.com'

/** Beside what both sell alike, Paddle has a plan that stands beside every other. */
const letters = { id: 'pri_letters', amount: 500, currency: 'EUR', interval: 'month' as const }

async function openBoth(t: ExecutionContext, options: MembershipOptions = {}) {
  const opened = await openSellingSite(
    t,
    stripe,
    {
      'membership.provider.choices': ['stripe', 'paddle'],
      'membership.providers.paddle.plans.letters': { prices: [letters] },
      ...options,
    },
    {},
    [paddle],
  )
  const [atStripe, atPaddle] = [opened.fakes[0], opened.fakes[1]!]
  atPaddle.addPrice({
    id: letters.id,
    unit_amount: letters.amount,
    currency: 'eur',
    recurring: { interval: 'month' },
  })
  return { ...opened, atStripe, atPaddle }
}
type Both = Awaited<ReturnType<typeof openBoth>>

/** Time goes on at both providers. */
async function later({ fakes }: Pick<Both, 'fakes'>): Promise<void> {
  for (const fake of fakes) await passing(fake)
}

/** What is bought at one of them, up to the messages about it. */
async function buyAt(
  opened: Both,
  sellingCase: SellingCase,
  what: 'pro' | 'team' | 'book',
  visitor: Visitor = createVisitor(opened.site),
  fields: Record<string, string> = {},
): Promise<Visitor> {
  const fake = sellingCase === stripe ? opened.atStripe : opened.atPaddle
  const { checkout, back } = await choose({ sellingCase, site: opened.site }, what, visitor, {
    provider: sellingCase.key,
    ...fields,
  })
  await fake.pay(checkout, { email: ann })
  await later(opened)
  await visitor.get(back)
  await fake.deliver()
  await opened.m.runDueJobs()
  await prove(opened.m, visitor)
  await later(opened)
  return visitor
}

/** Buys the letters, which Paddle alone has. */
async function buyLetters(opened: Both, visitor: Visitor): Promise<void> {
  const begun = await visitor.send('/membership/subscribe/letters', { provider: 'paddle' })
  await opened.atPaddle.pay(paddle.checkoutIn(begun.json.url), { email: ann })
  await later(opened)
  await visitor.get(`/membership/subscribe/${begun.json.intent_id}`)
  await opened.atPaddle.deliver()
  await later(opened)
}

async function viewOf({ m }: Pick<SellingSite, 'm'>) {
  return m.viewOf(await memberOf(m, ann))
}

async function at(opened: Pick<SellingSite, 'm'>, key: string) {
  return (await memberOf(opened.m, ann)).subscriptions().find(({ provider }) => provider === key)!
}

function words(now: Date) {
  return { voice: plainVoice(), now }
}

test('with a subscription at each provider, gates, account and actions cover both', async (t) => {
  const opened = await openBoth(t)
  const { atStripe, atPaddle } = opened
  const visitor = await buyAt(opened, stripe, 'pro')
  await buyLetters(opened, visitor)
  const view = await viewOf(opened)
  t.true(view.allows('pro' as never))
  t.true(view.allows('letters' as never))
  t.deepEqual(
    ['stripe', 'paddle'].map((key) => view.provider(key).subscriptions().length),
    [1, 1],
  )
  t.is(view.provider('paddle').subscriptionForPrice('pro' as never), null)
  const ids = { stripe: (await at(opened, 'stripe')).id, paddle: (await at(opened, 'paddle')).id }

  const page = accountForPage(view, words(atStripe.now()))
  t.deepEqual(page.subscriptions?.map(({ title }) => title).sort(), ['Letters, monthly', 'Pro, monthly'])
  t.deepEqual(page.payments?.map(({ text, amount }) => `${text} ${amount}`).sort(), [
    'Letters, monthly €5',
    'Pro, monthly €9',
  ])

  for (const [key, fake] of [
    ['stripe', atStripe],
    ['paddle', atPaddle],
  ] as const) {
    const other = fake === atStripe ? atPaddle : atStripe
    const asked = other.requests().length
    const portal = await visitor.send('/membership/portal', { subscription: ids[key] })
    t.is(new URL(portal.json.url).origin, new URL(fake.url).origin, portal.text)
    const cancelled = await visitor.send(`/membership/cancel/${ids[key]}`)
    t.is(cancelled.json.subscription?.provider, key, cancelled.text)
    t.true((await at(opened, key)).on_grace_period, key)
    await later(opened)
    const renewed = await visitor.send(`/membership/renew/${ids[key]}`)
    t.is(renewed.status, 200, renewed.text)
    await later(opened)
    t.is(other.requests().length, asked, `${key} alone is asked`)
  }
  const changed = await visitor.send(`/membership/change/${ids.stripe}`, { plan: 'team' })
  t.like(changed.json.subscription, { provider: 'stripe', price_id: stripe.prices.team }, changed.text)
  // A plan of the group that Paddle sells is none that Stripe's subscription can become.
  const across = await visitor.send(`/membership/change/${ids.stripe}`, { price: paddle.prices.month })
  t.is(across.json.code, 'ERR_PLAN_UNKNOWN')

  const after = await viewOf(opened)
  const portals = after
    .user()!
    .subscriptions()
    .flatMap((s) => formsFor(s, after, plainVoice()).filter(({ url }) => url === '/membership/portal'))
  t.not(accountForPage(after, words(atStripe.now())).portal, null)
  t.is(portals.length, 1, 'the one provider’s page on top, the other’s beside its subscription')
})

test('of two subscriptions for one plan the better one is found, at any provider', async (t) => {
  const opened = await openBoth(t)
  const visitor = await buyAt(opened, stripe, 'pro')
  const first = await at(opened, 'stripe')
  t.is((await visitor.send(`/membership/cancel/${first.id}`, { when: 'now' })).status, 200)
  await later(opened)
  await buyAt(opened, paddle, 'pro', visitor)
  const view = await viewOf(opened)
  t.like(view.user()!.subscriptionForPrice('pro' as never), { provider: 'paddle', active: true })
  t.is(view.provider('stripe').subscriptionForPrice('pro' as never), null, 'it ended')
  t.like(view.provider('stripe').subscriptions({ price: 'pro' as never })[0], { id: first.id, ended: true })
  t.like(view.provider('paddle').subscriptionForPrice('pro' as never), { provider: 'paddle' })
  t.true(view.allows('pro' as never))

  const { id } = await at(opened, 'paddle')
  t.is((await visitor.send(`/membership/cancel/${id}`, { when: 'now' })).status, 200)
  await later(opened)
  const again = await visitor.send(`/membership/renew/${id}`)
  t.true(new URL(again.json.url).searchParams.has('_ptxn'), 'bought again where it was bought')
})

test('payments are one list, newest first, each in its provider’s minor units', async (t) => {
  const opened = await openBoth(t, {
    'membership.providers.stripe.plans.calendar': {
      prices: [{ id: 'price_calendar', amount: 100_000, currency: 'ISK' }],
    },
    'membership.providers.stripe.plans.tea': { prices: [{ id: 'price_tea', amount: 500, currency: 'JPY' }] },
    'membership.providers.paddle.plans.fan': { prices: [{ id: 'pri_fan', amount: 1000, currency: 'JPY' }] },
  })
  // Króna in hundredths and whole yen at Stripe: https://docs.stripe.com/currencies#special-cases; whole yen at Paddle, too:
  // https://developer.paddle.com/api-reference/currencies
  opened.atStripe.addPrice({ id: 'price_calendar', unit_amount: 100_000, currency: 'isk' })
  opened.atStripe.addPrice({ id: 'price_tea', unit_amount: 500, currency: 'jpy' })
  opened.atPaddle.addPrice({ id: 'pri_fan', unit_amount: 1000, currency: 'jpy' })
  const visitor = await buyAt(opened, stripe, 'book', undefined, { product: 'price_calendar' })
  await buyAt(opened, paddle, 'book', visitor, { product: 'pri_fan' })
  await buyAt(opened, stripe, 'book', visitor, { product: 'price_tea' })
  const shown = accountForPage(await viewOf(opened), words(opened.atStripe.now())).payments
  t.deepEqual(
    shown?.map(({ text, amount }) => [text, amount.replaceAll(/\s/g, ' ')]),
    [
      ['Tea', 'JP¥500'],
      ['Fan', 'JP¥1,000'],
      ['Calendar', 'ISK 1,000'],
    ],
  )
  // Whole krónur at Mollie: https://docs.mollie.com/docs/multicurrency
  const paid = { currency: 'ISK', status: 'paid' } as const
  const view = viewFrom({
    user: {
      payments: [
        { ...paid, provider: 'stripe', amount: 100_000 },
        { ...paid, provider: 'mollie', amount: 1000 },
      ],
    },
  })
  t.deepEqual(
    accountForPage(view, words(new Date())).payments?.map(({ amount }) => amount.replaceAll(/\s/g, ' ')),
    ['ISK 1,000', 'ISK 1,000'],
  )
})

test('after a switch of the provider for new checkouts, earlier buyers keep everything', async (t) => {
  const opened = await openBoth(t, {
    'membership.database.url': `sqlite:${join(mkdtempSync(join(tmpdir(), 'several-')), 'site.db')}`,
    'membership.provider.choices': [],
  })
  await buyAt(opened, stripe, 'pro', undefined, { provider: '' })
  const { id } = await at(opened, 'stripe')
  const toPaddle = { 'membership.provider.handler': 'paddle' } as const
  const now = { ...opened, ...(await opened.restart(toPaddle)) }
  t.true((await viewOf(now)).allows('pro' as never))
  const visitor = await now.visitorOf(ann)
  const again = await visitor.send('/membership/subscribe/pro')
  t.like(again.json, { code: 'ERR_CHECKOUT_REFUSED', subscription_id: id }, 'nobody pays at both')
  const changed = await visitor.send(`/membership/change/${id}`, { plan: 'team' })
  t.like(changed.json.subscription, { provider: 'stripe', price_id: stripe.prices.team }, changed.text)
  await later(now)
  const portal = await visitor.send('/membership/portal')
  t.is(new URL(portal.json.url).origin, new URL(now.atStripe.url).origin, portal.text)
  // Renewals of what was bought before arrive as ever.
  for (const fake of now.fakes) await fake.advance({ months: 1, days: 1 })
  await now.atStripe.deliver()
  await now.m.runDueJobs()
  t.like(await at(now, 'stripe'), { status: 'active', current_period_end: '2026-03-15T12:00:00.000Z' })
  const offers = plansForPage(await viewOf(now), words(now.atStripe.now())).flatMap(({ prices }) => prices)
  t.deepEqual(
    offers.filter(({ action }) => action?.name === 'subscribe').map(({ id }) => id),
    [paddle.prices.book, letters.id],
    'what is of Stripe is changed, and sold to nobody anew',
  )
  // What has ended is bought again where things are sold now.
  const member = await now.visitorOf(ann)
  t.is((await member.send(`/membership/cancel/${id}`, { when: 'now' })).status, 200)
  const bought = await member.send(`/membership/renew/${id}`)
  t.is(bought.status, 201, bought.text)
  t.true(new URL(bought.json.url).searchParams.has('_ptxn'), 'at Paddle')

  const without = {
    ...now,
    ...(await now.restart({ ...toPaddle, 'membership.providers.stripe': undefined })),
  }
  const left = await viewOf(without)
  t.is(
    accountForPage(left, words(now.atStripe.now())).subscriptions?.length,
    1,
    'still told where Stripe is gone',
  )
  t.throws(() => left.provider('mollie'), { code: 'ERR_PROVIDER_UNKNOWN' })
})

test('a purchase held at one provider is not sold at another, one-time prices included', async (t) => {
  const opened = await openBoth(t)
  const visitor = await buyAt(opened, stripe, 'pro')
  await buyAt(opened, stripe, 'book', visitor)
  const { id } = await at(opened, 'stripe')
  const paid = opened.atPaddle.requests().length
  for (const what of ['pro', 'team']) {
    const refused = await visitor.send(`/membership/subscribe/${what}`, { provider: 'paddle' })
    t.like(refused.json, { code: 'ERR_CHECKOUT_REFUSED', subscription_id: id }, what)
  }
  const product = paddle.prices.book
  const book = await visitor.send('/membership/payment', { provider: 'paddle', product })
  t.is(book.json.code, 'ERR_CHECKOUT_REFUSED', book.text)
  t.is(opened.atPaddle.requests().length, paid, 'and Paddle is not even asked')
  const { subscriptionAction } = (await viewOf(opened)).provider('paddle')
  t.like(subscriptionAction(paddle.prices.month as never), { action: 'none', reason: 'elsewhere' })
  t.like(subscriptionAction(product as never), { action: 'none', reason: 'bought' })
})

test('a buyer has one open checkout per plan group, across all providers', async (t) => {
  const opened = await openBoth(t)
  const open = () => [stripe.openCheckouts(opened.atStripe), paddle.openCheckouts(opened.atPaddle)]
  const visitor = createVisitor(opened.site)
  const first = await choose({ sellingCase: stripe, site: opened.site }, 'pro', visitor)
  t.deepEqual(open(), [1, 0], 'without a word where it is sold as ever')
  await choose({ sellingCase: paddle, site: opened.site }, 'pro', visitor, { provider: 'paddle' })
  t.deepEqual(open(), [0, 1])
  t.not((await choose({ sellingCase: stripe, site: opened.site }, 'pro', visitor)).url, first.url)
  t.deepEqual(open(), [1, 0])
  await choose({ sellingCase: stripe, site: opened.site }, 'book', visitor)
  await choose({ sellingCase: paddle, site: opened.site }, 'book', visitor, { provider: 'paddle' })
  t.deepEqual(open(), [1, 1], 'the same book once')

  // Two tabs at once: whoever comes second closes what the first one opened, or waits.
  const other = createVisitor(opened.site)
  await other.formToken()
  const [stripes, paddles] = open()
  await Promise.all(
    ['stripe', 'paddle', 'stripe', 'paddle'].map((provider) =>
      other.send('/membership/subscribe/team', { provider }),
    ),
  )
  t.is(open()[0]! + open()[1]! - stripes! - paddles!, 1)
})

test('a provider that is not allowed is refused, and so is a price that it lacks', async (t) => {
  const opened = await openBoth(t, { 'membership.provider.choices': [] })
  const visitor = createVisitor(opened.site)
  for (const provider of ['paddle', 'mollie', '__proto__']) {
    const refused = await visitor.send('/membership/subscribe/pro', { provider })
    t.is(refused.status, 400, provider)
    t.like(refused.json, {
      code: 'ERR_FORM',
      detail: `Nothing is sold through "${provider}" here.`,
      action: 'Send a provider that is: stripe; or none, for the usual one.',
    })
  }
  t.is((await visitor.send('/membership/subscribe/pro', { provider: 'stripe' })).status, 201)
  const view = await opened.m.viewOf(null)
  t.like(view.provider('paddle').subscriptionAction(letters.id as never), {
    action: 'none',
    reason: 'not_sold',
  })

  const choosing = await openBoth(t)
  const buyer = createVisitor(choosing.site)
  for (const [provider, price] of [
    ['paddle', stripe.prices.month],
    ['stripe', paddle.prices.month],
  ] as const) {
    const refused = await buyer.send('/membership/subscribe/pro', { provider, price })
    t.is(refused.json.code, 'ERR_PLAN_UNKNOWN', `${price} at ${provider}`)
  }
  const offered = (await choosing.m.viewOf(null)).provider('paddle').subscriptionAction(letters.id as never)
  const fields = { price: letters.id, provider: 'paddle' }
  t.like(offered, { action: 'subscribe', fields })
  t.is((await buyer.send(offered.url!, fields)).status, 201, 'the form says where')
  t.is(paddle.openCheckouts(choosing.atPaddle), 1)
})
