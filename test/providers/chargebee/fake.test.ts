import test from 'ava'
import type { FakeChargebee } from '../../../src/fakes/chargebee/index.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import { chargebee as definition } from '../../../src/providers/chargebee/index.ts'
import { createFakeServer, providerContract } from '../../../src/testkit/index.ts'
import { choose, memberOf, openSellingSite, passing, purchase } from '../../support/selling-site.ts'
import { createVisitor } from '../../support/visitor.ts'
import { chargebee } from './selling.ts'

const ann = 'ann@example.com'
const { month } = chargebee.prices

/** What Chargebee is asked as somebody else with its key: its own people, or a page that it offers to everybody. */
async function ask(fake: { url: string; secret: string }, path: string, fields?: Record<string, string>) {
  const answer = await fetch(`${fake.url}/api/v2${path}`, {
    method: fields === undefined ? 'GET' : 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${fake.secret}:`).toString('base64')}` },
    ...(fields === undefined ? {} : { body: new URLSearchParams(fields) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests read what Chargebee answers
  return { status: answer.status, json: (await answer.json()) as any }
}

test('the fake server’s events pass the provider contract', async (t) => {
  const fake = await createFakeServer('chargebee', { seed: 1, start: new Date('2026-01-15T12:00:00Z') })
  t.teardown(fake.close)
  fake.addPrice({ id: month, unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
  const opened = await ask(fake, '/hosted_pages/checkout_new_for_items', {
    'subscription_items[item_price_id][0]': month,
    'subscription[id]': `${'i'.repeat(24)}.${'t'.repeat(22)}`,
    pass_thru_content: 'an intent',
  })
  await fake.pay(opened.json.hosted_page.id, { email: ann })
  fake.refund(String((fake as FakeChargebee).objects.list('invoice')[0]!.id), 100)
  await fake.advance({ months: 1, days: 1 })
  for (const check of providerContract(definition, { events: fake.events() }))
    await t.notThrowsAsync(async () => check.run(), check.title)
})

test('a member buys as the customer of their own address, whatever they type, even after closing the tab', async (t) => {
  const opened = await openSellingSite(t, chargebee)
  const { m, fake } = opened
  await purchase(opened, ann)
  await m.users.create({ email: 'eve@example.com', verified: true })
  const visitor = await opened.visitorOf('eve@example.com')
  const { checkout } = await choose(opened, 'book', visitor)
  await fake.pay(checkout, { email: ann })
  await fake.deliver()
  await passing(fake)
  await m.runDueJobs()
  const has = async (email: string) =>
    (await memberOf(m, email)).payments().map((payment) => payment.price_id)
  t.deepEqual([await has(ann), await has('eve@example.com')], [[month], [chargebee.prices.book]])
  // Two pages within half an hour are one customer's.
  await choose(opened, 'team', visitor)
  t.is((fake as FakeChargebee).objects.list('customer').length, 2)
})

test('a subscription event settles its purchase; one with a cheaper price under the same name does not', async (t) => {
  const opened = await openSellingSite(t, chargebee)
  const { m, fake, site } = opened
  const status = async ({ visitor, back }: Awaited<ReturnType<typeof choose>>) =>
    (
      await m.storage.read((db) =>
        db.selectFrom('intents').select('status').where('id', '=', back.split('/').at(-1)!),
      )
    )[0]?.status ?? (await visitor.get(back)).text
  const arrive = async () => {
    await fake.deliver()
    await passing(fake)
    await m.runDueJobs()
  }
  const honest = await choose(opened, 'team', createVisitor(site))
  await fake.pay(honest.checkout, { email: ann })
  await arrive()
  t.is(await status(honest), 'complete', 'nobody has looked at the page')

  const begun = await choose(opened, 'team', createVisitor(site))
  const name = fake.requests().findLast(({ params }) => params['subscription[id]'])!.params[
    'subscription[id]'
  ]
  const cheaper = await ask(fake, '/hosted_pages/checkout_new_for_items', {
    'subscription_items[item_price_id][0]': month,
    'subscription[id]': String(name),
    pass_thru_content: begun.intentId,
  })
  await fake.pay(cheaper.json.hosted_page.id, { email: 'mallory@example.com' })
  await arrive()
  t.is(await status(begun), 'open')
  t.false((await memberOf(m, 'mallory@example.com')).hasGate('team' as never))
  // Whoever paid on the site's own page has it, whatever it is called.
  t.is((await begun.visitor.get(begun.back, { accept: 'application/json' })).json.status, 'open')
})

test('another’s note on a page is ignored: only the page opened for the purchase counts', async (t) => {
  const opened = await openSellingSite(t, chargebee)
  const { m, fake } = opened
  const begun = await choose(opened, 'book')
  const other = await ask(fake, '/hosted_pages/checkout_one_time_for_items', {
    'item_prices[item_price_id][0]': chargebee.prices.book,
    pass_thru_content: begun.intentId,
  })
  await fake.pay(other.json.hosted_page.id, { email: ann })
  await fake.deliver()
  await passing(fake)
  await m.runDueJobs()
  t.is((await begun.visitor.get(begun.back, { accept: 'application/json' })).json.status, 'open')
  t.true((await memberOf(m, ann)).hasGate('book' as never), 'who paid has it')
})

test('an unpaid page expires, and another is opened', async (t) => {
  const opened = await openSellingSite(t, chargebee)
  const { m, fake } = opened
  const visitor = createVisitor(opened.site)
  const first = await choose(opened, 'pro', visitor)
  await fake.advance({ ms: 3 * 3_600_000 + 60_000 })
  await m.runDueJobs()
  t.not((await choose(opened, 'pro', visitor)).url, first.url)
})

test('a refund happens once, even if repeated after Chargebee forgot the key', async (t) => {
  const opened = await openSellingSite(t, chargebee)
  const { m, fake } = opened
  await purchase(opened, ann, 'book')
  const refund = async () =>
    m.payments.refund({ payment: (await memberOf(m, ann)).payments()[0]!, amount: 500, key: 'ticket 7' })
  await refund()
  await fake.advance({ ms: 3_600_000 })
  await refund()
  t.deepEqual(chargebee.moved(fake).back, [500])
})

test('a scheduled change is shown with its price, undone, and makes way for an end', async (t) => {
  const opened = await openSellingSite(t, chargebee)
  const { m, fake } = opened
  const { visitor, id } = await purchase(opened, ann, 'team')
  const own = async () => (await memberOf(m, ann)).subscriptions()[0]!
  const act = async (what: string, fields: Record<string, string> = {}) => {
    await passing(fake)
    const { status, text } = await visitor.send(`/membership/${what}/${id}`, fields)
    t.is(status, 200, text)
  }
  const planned = { price_id: month, quantity: 1, at: '2026-02-15T12:00:00.000Z', unit_amount: 900 }
  await act('change', { plan: 'pro' })
  t.deepEqual((await own()).scheduled_change, planned, 'by the answer')
  await fake.deliver()
  await passing(fake)
  await m.runDueJobs()
  t.deepEqual((await own()).scheduled_change, planned, 'by the message')
  await act('change', { plan: 'team' })
  t.is((await own()).scheduled_change, null, 'taken back')
  await act('change', { plan: 'pro' })
  await act('cancel')
  t.like(await own(), { scheduled_change: null, cancel_at: planned.at })
})

test('the site decides about free days, whatever the price says; a code must be valid', async (t) => {
  const priced = { id: 'trial-EUR-monthly', amount: 900, currency: 'EUR', interval: 'month', trial_days: 14 }
  const opened = await openSellingSite(t, {
    ...chargebee,
    settings: () => ({ plans: { pro: { group: 'membership', trial: 'once', prices: [priced] } } }),
  })
  const { m, fake } = opened
  fake.addPrice({
    id: priced.id,
    unit_amount: 900,
    currency: 'eur',
    recurring: { interval: 'month' },
    trial_days: 30,
  })
  fake.addCoupon({ id: 'WELCOME', percent_off: 50 })
  const { visitor, id } = await purchase(opened, ann)
  t.like((await memberOf(m, ann)).subscriptions()[0], {
    status: 'trialing',
    trial_ends_at: '2026-01-29T12:00:00.000Z',
  })
  t.deepEqual(chargebee.moved(fake).charged, [])
  await passing(fake)
  t.is((await visitor.send(`/membership/cancel/${id}`, { when: 'now' })).status, 200)
  await passing(fake)
  const wrong = await visitor.send('/membership/subscribe/pro', { code: 'NOBODYS' })
  t.is(wrong.json.code, 'ERR_FORM', wrong.text)
  const again = await choose(opened, 'pro', visitor, { code: 'WELCOME' })
  await fake.pay(again.checkout, { email: ann })
  await passing(fake)
  await visitor.get(again.back)
  t.deepEqual(chargebee.moved(fake).charged, [450], 'no second trial')
})

test('an unknown object is null; a rejected key is an error without the key; a key needs its site', async (t) => {
  const { provider, fake } = await openSellingSite(t, chargebee)
  for (const kind of [
    'customer',
    'subscription',
    'payment',
    'checkout',
    'refund',
    'dispute',
    'link',
  ] as const)
    for (const id of ['none', '../customers'])
      t.is(await provider().fetch!({ kind, id }), null, `${kind} ${id}`)
  const other = bareProvider(definition, { secret: 'test_do_not_print', api_base: fake.url })
  const error = await t.throwsAsync(other.fetch!({ kind: 'customer', id: 'cus_none' }))
  t.regex(error?.message ?? '', /status 401/)
  t.notRegex(JSON.stringify([error?.message, (error as { action?: string }).action]), /do_not_print/)
  t.throws(() => bareProvider(definition, { secret: 'test_key' }), { code: 'ERR_CONFIG' })
  const keys = { main: 'live_key', staging: 'test_key' }
  t.throws(() => bareProvider(definition, { secret: keys, site: { main: 'acme' } }), { code: 'ERR_CONFIG' })
  const two = bareProvider(definition, { secret: keys, site: { main: 'acme', staging: 'acme-test' } })
  t.deepEqual([two.livemode, two.accounts?.get('staging')?.livemode], [true, false])
})

test('resuming within the paid time costs nothing', async (t) => {
  const opened = await openSellingSite(t, chargebee)
  const { m, fake } = opened
  const { id } = await purchase(opened, ann)
  await ask(fake, `/subscriptions/${id}/pause`, { pause_option: 'immediately' })
  await passing(fake)
  const visitor = await opened.visitorOf(ann)
  const resumed = await visitor.send(`/membership/resume/${id}`)
  t.is(resumed.json.subscription?.status, 'active', resumed.text)
  t.deepEqual(chargebee.moved(fake).charged, [900])
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
})
