import test from 'ava'
import { polarEndpoints } from '../../../src/providers/polar/endpoints.ts'
import { polar as definition } from '../../../src/providers/polar/index.ts'
import { providerContract } from '../../../src/testkit/index.ts'
import { payload } from '../../support/payload.ts'
import { choose, memberOf, openSellingSite, passing, purchase } from '../../support/selling-site.ts'
import { createVisitor } from '../../support/visitor.ts'
import { polar } from './selling.ts'

const ann = 'ann@example.com'

test('the fake server’s events pass the provider contract', async (t) => {
  const opened = await openSellingSite(t, polar)
  const { fake, m } = opened
  await purchase(opened, ann, 'book')
  await m.payments.refund({ payment: (await memberOf(m, ann)).payments()[0]!, amount: 100 })
  const { visitor, id } = await purchase(opened, 'ben@example.com')
  await visitor.send(`/membership/cancel/${id}`)
  await fake.advance({ months: 1, days: 1 })
  // A page that this site did not open says nothing.
  const events = fake.events().filter(({ type }) => type !== 'checkout.created')
  t.true(events.length > 15)
  for (const check of providerContract(definition, { events }))
    await t.notThrowsAsync(async () => check.run(), check.title)
})

test('a refund includes the tax, never exceeds the request, and finally reaches the last cent', async (t) => {
  const opened = await openSellingSite(t, polar, {}, { tax: { percent: 19, included: true } })
  const { fake, m } = opened
  await purchase(opened, ann, 'book')
  await passing(fake)
  const payment = (await memberOf(m, ann)).payments()[0]!
  t.is(payment.amount, 1900)
  await m.payments.refund({ payment, amount: 1000, key: 'a' })
  // 303 of 1 900 are tax: 840 and 159 with it, or 841 and 160.
  t.deepEqual(polar.moved(fake).back, [999])
  await passing(fake)
  await m.payments.refund({ payment })
  t.deepEqual(polar.moved(fake).back, [999, 901])
  await fake.deliver()
  t.like((await memberOf(m, ann)).payments()[0], { status: 'refunded', amount_refunded: 1900 })
  await t.throwsAsync(m.payments.refund({ payment, amount: 1, key: 'b' }), { code: 'ERR_ACTION_REFUSED' })
})

test('an abandoned page cannot be closed, and counts if it is paid', async (t) => {
  const opened = await openSellingSite(t, polar)
  const { m, fake } = opened
  const visitor = createVisitor(opened.site)
  const left = await choose(opened, 'pro', visitor)
  const other = await choose(opened, 'book', visitor)
  t.not(left.checkout, other.checkout)
  await fake.pay(left.checkout, { email: ann })
  await fake.deliver()
  await m.runDueJobs()
  t.true((await memberOf(m, ann)).hasGate('pro' as never))
  t.regex((await visitor.get(left.back)).text, /Paid|Thank you/)
})

test('another product and other seats cannot be scheduled together, and nothing happens then', async (t) => {
  const opened = await openSellingSite(t, polar)
  const { m, fake } = opened
  const { visitor, id } = await purchase(opened, ann, 'team')
  const dearer = await visitor.send(`/membership/change/${id}`, { quantity: '3' })
  t.is(dearer.status, 200, dearer.text)
  await passing(fake)
  const both = await visitor.send(`/membership/change/${id}`, { plan: 'pro', quantity: '1' })
  t.is(both.json.code, 'ERR_PROVIDER_UNSUPPORTED', both.text)
  const seats = await visitor.send(`/membership/change/${id}`, { quantity: '2' })
  t.is(seats.status, 200, seats.text)
  t.like((await memberOf(m, ann)).subscriptions()[0], {
    quantity: 3,
    scheduled_change: { price_id: polar.prices.team, quantity: 2 },
  })
  await passing(fake)
  const kept = await visitor.send(`/membership/change/${id}`, { quantity: '3' })
  t.is(kept.status, 200, kept.text)
  await fake.deliver()
  t.is((await memberOf(m, ann)).subscriptions()[0]?.scheduled_change, null)
})

test('a code is found by name, and an unknown one is the buyer’s mistake', async (t) => {
  const opened = await openSellingSite(t, polar)
  const { fake } = opened
  fake.addCoupon({ percent_off: 50, code: 'SPRING' })
  const wrong = await createVisitor(opened.site).send('/membership/subscribe/pro', { code: 'NONE' })
  t.is(wrong.json.code, 'ERR_FORM')
  const { checkout } = await choose(opened, 'pro', createVisitor(opened.site), { code: 'spring' })
  await fake.pay(checkout, { email: ann })
  t.deepEqual(polar.moved(fake).charged, [450])
})

test('the webhook endpoint is checked: enabled, and which events are missing', async (t) => {
  const { provider, site } = await openSellingSite(t, polar)
  const url = `${site}/membership/webhooks/polar`
  t.like(await provider().endpoints!(), [{ url, isEnabled: true, missing: [] }])
  // As documented: https://polar.sh/docs/api-reference/webhooks/endpoints/list
  const all = [{ url, enabled: false, events: ['order.paid', 'subscription.created'] }]
  t.deepEqual(await polarEndpoints({ all: async () => payload({ all, at: '' }) }), [
    {
      id: null,
      url,
      isEnabled: false,
      missing: ['subscription.updated', 'refund.created', 'refund.updated'],
    },
  ])
})
