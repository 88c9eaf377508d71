import test, { type ExecutionContext } from 'ava'
import { dodo as definition } from '../../../src/providers/dodo/index.ts'
import { providerContract } from '../../../src/testkit/index.ts'
import { choose, memberOf, openSellingSite, passing, purchase } from '../../support/selling-site.ts'
import { dodo } from './selling.ts'

const ann = 'ann@example.com'

function open(t: ExecutionContext, settings: Readonly<Record<string, unknown>> = {}) {
  return openSellingSite(t, { ...dodo, settings: () => settings })
}

test('the fake server’s events pass the provider contract', async (t) => {
  const opened = await open(t)
  const { fake } = opened
  await purchase(opened, ann)
  await purchase(opened, 'ben@example.com', 'book')
  const [first, second] = fake.books.list('charge')
  fake.refund(first!.id)
  fake.dispute(second!.id)
  await fake.advance({ months: 1, days: 1 })
  const events = fake.events()
  t.true(events.some(({ type }) => type === 'dispute.opened'))
  for (const check of providerContract(definition, { events }))
    await t.notThrowsAsync(async () => check.run(), check.title)
})

test('a buyer’s own note on a link opens nothing that it names', async (t) => {
  const opened = await open(t)
  const { m, fake } = opened
  await m.users.create({ email: ann, verified: true })
  const visitor = await opened.visitorOf(ann)
  const { back, intentId } = await choose(opened, 'team', visitor)
  const asked = fake.requests().find(({ path }) => path === '/checkouts')
  const { membership_intent: signed } = asked!.params.metadata as Record<string, string>
  // Bare it is anybody's guess; signed, at a cheaper product, somebody read it.
  for (const [product_id, membership_intent] of [
    ['pdt_team', intentId],
    ['pdt_month', signed],
  ]) {
    const answer = await fetch(`${fake.url}/checkouts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fake.secret}` },
      body: JSON.stringify({ product_cart: [{ product_id, quantity: 1 }], metadata: { membership_intent } }),
    })
    const { session_id } = (await answer.json()) as { session_id: string }
    await fake.pay(session_id, { email: `eve-${product_id}@example.com` })
    await passing(fake)
    await fake.deliver()
    t.is((await visitor.get(back, { accept: 'application/json' })).json.status, 'open', product_id)
  }
  t.deepEqual((await memberOf(m, ann)).subscriptions(), [])
  t.false((await memberOf(m, 'eve-pdt_month@example.com')).hasGate('team' as never))
})

test('a change with the next payment is refused before Dodo is asked', async (t) => {
  const opened = await open(t, { change: { proration: ['next'] } })
  const { fake } = opened
  const { visitor, id } = await purchase(opened, ann)
  const refused = await visitor.send(`/membership/change/${id}`, { plan: 'team', proration: 'next' })
  t.is(refused.json.code, 'ERR_PROVIDER_UNSUPPORTED', refused.text)
  t.false(fake.requests().some(({ path }) => path.endsWith('/change-plan')))
  t.deepEqual(dodo.moved(fake).charged, [900])
})

test('a pause made there closes access at once, and ends there', async (t) => {
  const opened = await open(t)
  const { m, fake } = opened
  const { visitor, id } = await purchase(opened, ann)
  const [{ subscription_id } = {}] = (
    fake as unknown as { objects: { list(kind: string): Record<string, string>[] } }
  ).objects.list('subscription')
  await fetch(`${fake.url}/subscriptions/${subscription_id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${fake.secret}` },
    body: JSON.stringify({ status: 'paused' }),
  })
  await fake.deliver()
  t.false((await memberOf(m, ann)).hasGate('pro' as never))
  const resumed = await visitor.send(`/membership/resume/${id}`)
  t.is(resumed.json.code, 'ERR_PROVIDER_UNSUPPORTED', resumed.text)
})
