import test from 'ava'
import type { Price } from '../../../src/core/dto/index.ts'
import { type AskedAmount, atChosenAmount } from '../../../src/memberships/checkout/chosen-amount.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor } from '../../support/visitor.ts'

const choose = { min: 300, suggested: [500, 1000, 2000], max: 50_000 }
const chosenPlans = {
  supporter: { prices: [{ id: 'price_support', choose, currency: 'EUR', interval: 'month' as const }] },
  tip: { prices: [{ id: 'price_tip', choose, currency: 'EUR' }] },
}
async function openSite(t: Parameters<typeof openStripeSite>[0], options = {}) {
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.plans': chosenPlans,
    ...options,
  })
  opened.fake.addPrice({
    id: 'price_support',
    product: 'prod_support',
    unit_amount: 500,
    currency: 'eur',
    recurring: { interval: 'month' },
  })
  opened.fake.addPrice({ id: 'price_tip', product: 'prod_tip', unit_amount: 500, currency: 'eur' })
  await opened.m.operator.catalogue.refresh('stripe')
  return opened
}
const html = { accept: 'text/html' }

function price(currency: string, provider = 'stripe'): Price {
  return {
    id: 'support',
    plan: 'supporter',
    provider,
    type: 'one_time',
    currency,
    amount: null,
    interval: null,
    interval_count: null,
    trial_days: null,
    trial_amount: null,
    label: null,
    lookup_key: null,
    retired: false,
    choose,
  }
}

test('the server checks the amount: its range, its decimals, its currency, and that there is one', (t) => {
  const amountOf = (amount: AskedAmount, { currency = 'EUR', asked = null as string | null } = {}) =>
    atChosenAmount(price(currency), { amount, currency: asked }, () => undefined).amount
  for (const [given, minor] of [
    [700, 700],
    ['7', 700],
    ['7.5', 750],
    ['7,50', 750],
    [' 12 ', 1200],
    ['500', 50_000],
  ] as const)
    t.is(amountOf(given), minor, String(given))
  t.is(amountOf('700', { currency: 'JPY' }), 700, 'yen have no decimals')
  t.is(amountOf('1.250', { currency: 'KWD' }), 1250, 'dinars have three')
  for (const [given, message] of [
    [299, /must be from €3 to €500/],
    ['500.01', /must be from €3 to €500/],
    [50_001, /must be from €3 to €500/],
    ['5.005', /at most 2 decimals/],
    ['1,000', /at most 2 decimals/],
    ['5e2', /not a number/],
    ['-5', /not a number/],
    ['', /not a number/],
    [5.5, /not a number/],
    [null, /missing/],
  ] as const)
    t.throws(() => amountOf(given), { code: 'ERR_FORM', message }, String(given))
  t.throws(() => amountOf('5.5', { currency: 'JPY' }), { message: /has no decimals/ })
  t.throws(() => amountOf(500, { asked: 'USD' }), { message: /in EUR only/ })
  const { choose: _, ...fixed } = { ...price('EUR'), amount: 900 }
  t.throws(() => atChosenAmount(fixed, { amount: 500 }, () => undefined), { message: /has one amount/ })
})

test('a supporter chooses an amount per month: Stripe charges it at each renewal, and the gate opens', async (t) => {
  const mailbox = createMailbox()
  const opened = await openSite(t, mailbox.options)
  const { m, fake, site } = opened
  const list = await createVisitor(site).get('/membership/prices', html)
  t.regex(list.text, /from €3/)
  t.regex(list.text, /name="amount" value="1000"/)
  const path = '/membership/subscribe/supporter'
  const wrong: Record<string, string>[] = [
    {},
    { amount: '299' },
    { own_amount: '500.01' },
    { amount: '5.5' },
    { own_amount: 'ten' },
  ]
  for (const fields of wrong) {
    const refused = await createVisitor(site).send(path, { price: 'price_support', ...fields })
    t.is(refused.code, 'ERR_FORM', JSON.stringify(fields))
  }
  const foreign = { price: 'price_support', amount: '500', currency: 'USD' }
  t.is((await createVisitor(site).send(path, foreign)).code, 'ERR_FORM')
  const bought = await buy(opened, 'ann@example.com', {
    path,
    price: 'price_support',
    own_amount: '7,50',
  } as never)
  const [s] = bought.user.subscriptions()
  t.is(s?.price_id, 'price_support')
  t.is(s?.unit_amount, 750)
  t.true(bought.user.hasGate('supporter' as never))
  const account = await bought.visitor.get('/membership/account', html)
  t.regex(account.text, /€7\.50/)
  await fake.advance({ days: 32 })
  await fake.deliver()
  await m.runDueJobs()
  const later = (await m.users.findByEmail('ann@example.com'))!
  t.deepEqual(
    later.payments().map(({ amount, price_id }) => [amount, price_id]),
    [
      [750, 'price_support'],
      [750, 'price_support'],
    ],
  )
  const mails = mailbox.of('ann@example.com').map(({ text }) => text)
  t.true(mails.some((text) => /Supporter/.test(text) && /€7\.50/.test(text)))
})

test('a tip is paid once, at the amount that the order page shows', async (t) => {
  const mailbox = createMailbox()
  const opened = await openSite(t, { ...mailbox.options, 'membership.shop.country': 'DE' })
  const { m, fake, site } = opened
  const visitor = createVisitor(site)
  const led = await visitor.send('/membership/payment', { product: 'price_tip', own_amount: '12' }, html)
  const order = await visitor.get(led.location ?? '', html)
  t.regex(order.text, /€12/)
  const fields = Object.fromEntries(
    [
      ...order.text.split('class="confirm"')[1]!.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g),
    ].map(([, name, value]) => [name!, value!]),
  )
  t.is(fields.amount, '1200')
  const changed = await visitor.send('/membership/payment', { ...fields, amount: '1300' }, html)
  t.is(changed.status, 409, 'another amount than the page showed is shown again')
  const begun = await visitor.send('/membership/payment', fields, html)
  t.is(begun.status, 303, begun.text)
  const session = fake.objects.list('checkout.session').at(-1)!
  t.is(session.amount_total, 1200)
  await fake.pay(session.id, { email: 'ann@example.com' })
  await fake.advance({ ms: 5000 })
  await visitor.get(new URL(String(session.success_url)).pathname)
  await fake.deliver()
  await m.runDueJobs()
  const user = (await m.users.findByEmail('ann@example.com'))!
  t.deepEqual(
    user.payments().map((p) => [p.amount, p.price_id, p.items.map(({ price_id }) => price_id)]),
    [[1200, 'price_tip', ['price_tip']]],
  )
  t.true(user.hasGate('tip' as never))
  t.true(mailbox.of('ann@example.com').some(({ text }) => /€12/.test(text)))
})

test('a member changes the amount: more is charged now as previewed, less from the next period on', async (t) => {
  const opened = await openSite(t)
  const { m, fake } = opened
  const path = '/membership/subscribe/supporter'
  const { visitor, id } = await buy(opened, 'ann@example.com', {
    path,
    price: 'price_support',
    amount: '1000',
  } as never)
  const held = async () => {
    await fake.deliver()
    await m.runDueJobs()
    return (await m.users.findByEmail('ann@example.com'))!.subscriptions()[0]!
  }
  const fields = { price: 'price_support', amount: '2000' }
  const look = await visitor.get(`/membership/change/${id}?${new URLSearchParams(fields)}`, html)
  t.regex(look.text, /€20 per month/)
  t.regex(look.text, /name="amount" value="2000"/)
  const preview = await visitor.send(`/membership/invoice/${id}`, fields)
  t.is(preview.json.amount_due, 1000)
  t.true(
    preview.json.lines.every(({ price_id }: { price_id: string }) => price_id === 'price_support'),
    JSON.stringify(preview.json.lines),
  )
  const raised = await visitor.send(`/membership/change/${id}`, fields)
  t.is(raised.status, 200, raised.text)
  t.is((await held()).unit_amount, 2000)
  const lowered = await visitor.send(`/membership/change/${id}`, { price: 'price_support', own_amount: '4' })
  t.is(lowered.status, 200, lowered.text)
  const waiting = await held()
  t.is(waiting.unit_amount, 2000)
  t.like(waiting.scheduled_change, { price_id: 'price_support', unit_amount: 400 })
  const kept = await visitor.send(`/membership/change/${id}`, { price: 'price_support' })
  t.is(kept.status, 200, kept.text)
  t.is((await held()).scheduled_change, null)
  await visitor.send(`/membership/change/${id}`, { price: 'price_support', own_amount: '4' })
  const low = await visitor.send(`/membership/change/${id}`, { price: 'price_support', own_amount: '1' })
  t.is(low.code, 'ERR_FORM')
  await fake.advance({ days: 32 })
  const after = await held()
  t.is(after.unit_amount, 400)
  t.is(after.scheduled_change, null)
  t.is(after.price_id, 'price_support')
  const change = { user: (await m.users.findByEmail('ann@example.com'))!, subscriptionId: id, amount: 700 }
  await t.throwsAsync(m.subscriptions.change({ ...change, amount: 299 }), { code: 'ERR_FORM' })
  await m.subscriptions.change(change)
  t.is((await held()).unit_amount, 700, 'the same from code')
})

test('one order of one amount: the same amount again is the same checkout, another one replaces it', async (t) => {
  const { site, fake } = await openSite(t)
  const visitor = createVisitor(site)
  const begin = (amount: string) =>
    visitor.send('/membership/subscribe/supporter', { price: 'price_support', amount })
  const [first, again, other] = [await begin('500'), await begin('500'), await begin('700')]
  t.is(again.json.url, first.json.url)
  t.not(other.json.url, first.json.url)
  t.deepEqual(
    fake.objects.list('checkout.session').map(({ status, amount_total }) => [amount_total, status]),
    [
      [500, 'expired'],
      [700, 'open'],
    ],
  )
})

test('the configuration refuses a choice beside an amount, without a currency, and with several pieces', async (t) => {
  const open = (plan: object) =>
    openStripeSite(t, { 'membership.providers.stripe.plans': { supporter: plan } })
  const base = { id: 'price_support', choose, currency: 'EUR', interval: 'month' }
  for (const [plan, message] of [
    [{ prices: [{ ...base, amount: 500 }] }, /cannot stand beside amount/],
    [{ prices: [{ ...base, currency: undefined }] }, /is missing beside choose/],
    [{ prices: [{ ...base, choose: { min: 500, max: 300 } }] }, /must not be below min/],
    [{ prices: [{ ...base, choose: { ...choose, suggested: [100] } }] }, /must lie between min and max/],
    [{ prices: [base], quantity: { max: 5 } }, /must be 1 in a plan with a price that has/],
  ] as const)
    await t.throwsAsync(open(plan), { message })
})
