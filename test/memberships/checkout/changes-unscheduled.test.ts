import test, { type ExecutionContext } from 'ava'
import { defineProvider, type Provider } from '../../../src/index.ts'
import { stripe } from '../../../src/providers/stripe/index.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { askFake, buy } from '../../support/visitor.ts'

/** A provider that changes prices but cannot plan a change. */
const unscheduled = defineProvider({
  ...stripe,
  create: (context) => {
    const { schedule: _, unschedule: __, ...provider } = stripe.create(context)
    return provider
  },
})

/** A member of the dear plan, paid for a month; each step some days later, and what is had and was paid after it. */
async function openTeam(t: ExecutionContext) {
  const opened = await openStripeSite(t, { customProviders: [unscheduled] })
  const { fake, m } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com', { path: '/membership/subscribe/team' })
  const held = async () => {
    await fake.deliver()
    await m.runDueJobs()
    const user = (await m.users.findByEmail('ann@example.com'))!
    const [subscription] = user.subscriptions()
    const gates = ['pro', 'team'].filter((gate) => user.hasGate(gate as never)).join(' ')
    return { price: subscription!.price_id, gates, paid: paid() }
  }
  const paid = () =>
    fake.objects
      .list('invoice')
      .filter(({ status, amount_paid }) => status === 'paid' && amount_paid > 0)
      .map(({ amount_paid }) => amount_paid)
  const send = async (path: string, fields: Record<string, string> = {}) => {
    await fake.advance({ days: 1 })
    return visitor.send(`/membership/${path}/${id}`, fields)
  }
  return { opened, fake, held, send }
}

test('without schedules a cheaper price is set without billing, and paid access stays to its end', async (t) => {
  const { fake, held, send } = await openTeam(t)
  const down = await send('change', { price: 'price_month' })
  t.is(down.status, 200, down.text)
  t.deepEqual(await held(), { price: 'price_month', gates: 'pro team', paid: [2500] })
  t.is((await send('change', { price: 'price_month' })).status, 200, 'the same again')
  await fake.advance(new Date('2026-02-15T11:00:00Z'))
  t.is((await held()).gates, 'pro team')
  await fake.advance(new Date('2026-02-15T14:00:00Z'))
  t.deepEqual(await held(), { price: 'price_month', gates: 'pro', paid: [2500, 900] })
})

test('without schedules undoing a cheaper price costs nothing, however often', async (t) => {
  const { fake, held, send } = await openTeam(t)
  for (const price of ['price_month', 'price_team', 'price_month', 'price_team']) {
    const changed = await send('change', { price, proration: 'now' })
    t.is(changed.status, 200, changed.text)
    t.is((await held()).price, price)
    t.regex((await held()).gates, /team/)
  }
  t.deepEqual(await held(), { price: 'price_team', gates: 'team', paid: [2500] })
  await fake.advance(new Date('2026-02-15T14:00:00Z'))
  t.deepEqual(await held(), { price: 'price_team', gates: 'team', paid: [2500, 2500] })
})

test('without schedules nothing else can change before that: no cheaper quantity, and no double payment', async (t) => {
  const { held, send } = await openTeam(t)
  t.is((await send('change', { quantity: '3' })).status, 200)
  const { paid } = await held()
  t.is(paid.length, 2)
  t.is((await send('change', { quantity: '1' })).json.code, 'ERR_PROVIDER_UNSUPPORTED')
  t.is((await send('change', { price: 'price_month', quantity: '1' })).json.code, 'ERR_PROVIDER_UNSUPPORTED')
  t.is((await send('change', { price: 'price_month' })).status, 200)
  for (const more of [{ quantity: '5' }, { price: 'price_team', quantity: '5' }, { price: 'price_year' }])
    t.is((await send('change', more as never)).json.code, 'ERR_ACTION_REFUSED', JSON.stringify(more))
  t.is((await send('change', { price: 'price_team' })).status, 200)
  t.deepEqual(await held(), { price: 'price_team', gates: 'team', paid })
})

test('without schedules a cancellation at the end keeps the paid time, an immediate one ends it', async (t) => {
  const { fake, held, send } = await openTeam(t)
  await send('change', { price: 'price_month' })
  t.is((await send('cancel')).status, 200)
  t.is((await held()).gates, 'pro team')
  await fake.advance(new Date('2026-02-15T14:00:00Z'))
  t.deepEqual(await held(), { price: 'price_month', gates: '', paid: [2500] })

  const other = await openTeam(t)
  await other.send('change', { price: 'price_month' })
  t.is((await other.send('cancel', { when: 'now' })).status, 200)
  t.is((await other.held()).gates, '')
})

test('without schedules paid access stays even where the site cancels at once, until the money is refunded', async (t) => {
  const { fake, held, send } = await openTeam(t)
  t.is((await send('change', { price: 'price_month' })).status, 200)
  const [subscription] = fake.objects.list('subscription')
  await askFake(fake, 'DELETE', `/v1/subscriptions/${subscription!.id}`)
  t.deepEqual(await held(), { price: 'price_month', gates: 'team', paid: [2500] }, 'the money stayed here')
  await fake.refund(String(fake.objects.list('charge')[0]!.id))
  t.is((await held()).gates, '')
})

test('without schedules paid access stays even if the provider’s answer to the change is lost', async (t) => {
  const { fake, held, send } = await openTeam(t)
  await fake.advance({ days: 1 })
  const undo = fake.outage({ kind: 'after' })
  t.is((await send('change', { price: 'price_month' })).status, 502)
  undo()
  await fake.advance({ ms: 200_000 })
  t.deepEqual(await held(), { price: 'price_month', gates: 'pro team', paid: [2500] })
})

test('an unsupported purchase is reported before the provider is asked', async (t) => {
  const single = defineProvider({
    ...stripe,
    create: (context) => {
      const { portal: _, ...provider } = stripe.create(context)
      return { ...provider, capabilities: { quantity: false, one_time: false } }
    },
  })
  const opened = await openStripeSite(t, { customProviders: [single] })
  const { visitor } = await buy(opened, 'ann@example.com')
  // What is read in the background is nobody's wish.
  const asked = () => opened.fake.requests().filter(({ method }) => method === 'POST').length
  const before = asked()
  for (const [path, fields] of [
    ['/membership/payment', { product: 'price_book' }],
    ['/membership/subscribe/team', { quantity: '2' }],
    ['/membership/portal', {}],
  ] as const)
    t.is((await visitor.send(path, fields)).json.code, 'ERR_PROVIDER_UNSUPPORTED', path)
  t.is(asked(), before)
})

/** A provider whose buyers agree to a change on its own page, and whose answer shows the change already. */
function agreeing(page: { url: string; agree?: () => Promise<unknown> }) {
  return defineProvider({
    ...stripe,
    create: (context) => {
      const provider = stripe.create(context)
      const swap: Provider['swap'] = async (request) => {
        const { subscription, priceId } = request
        page.agree = () => provider.swap!(request)
        const { changes, at } = (await provider.fetch!({ kind: 'subscription', id: subscription.id }))!
        const changed = changes.map((change) =>
          change.type === 'subscription'
            ? { ...change, data: { ...change.data, price_id: priceId, items: [] } }
            : change,
        )
        return { changes: changed, at, payUrl: page.url }
      }
      return { ...provider, swap }
    },
  })
}

test('a change that a member must approve at the provider has no effect before its event', async (t) => {
  const page = { url: 'https://provider.example/agree', agree: async (): Promise<unknown> => null }
  const opened = await openStripeSite(t, { customProviders: [agreeing(page)] })
  const { fake, m } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await fake.advance({ days: 1 })
  const change = (headers: Record<string, string>) =>
    visitor.send(`/membership/change/${id}`, { plan: 'team' }, headers)
  const gates = async () => {
    const user = (await m.users.findByEmail('ann@example.com'))!
    return ['pro', 'team'].filter((gate) => user.hasGate(gate as never)).join(' ')
  }
  const look = await visitor.get(`/membership/change/${id}?plan=team`, { accept: 'application/json' })
  const { shown, prospect } = look.json
  const agreed = { plan: 'team', shown, proration_at: prospect.proration_at ?? '' }
  t.is((await visitor.send(`/membership/change/${id}`, agreed, { accept: 'text/html' })).location, page.url)
  t.deepEqual((await change({ accept: 'application/json' })).json, { url: page.url })
  await m.runDueJobs()
  t.is(await gates(), 'pro')
  await page.agree()
  await fake.deliver()
  t.is(await gates(), 'team')
})

test('a provider’s page that is not for browsers is never opened', async (t) => {
  const page = { url: '' }
  const opened = await openStripeSite(t, { customProviders: [agreeing(page)] })
  const { visitor, id } = await buy(opened, 'ann@example.com')
  for (const url of [
    'javascript:alert(1)',
    'http://provider.example/agree',
    '//provider.example/agree',
    '/\\provider.example',
    'data:text/html,hello',
    'provider.example',
  ]) {
    await opened.fake.advance({ days: 1 })
    page.url = url
    const answer = await visitor.send(`/membership/change/${id}`, { plan: 'team' })
    t.is(answer.status, 502, url)
    t.is(answer.json.code, 'ERR_PROVIDER_ANSWER', url)
    t.false(answer.text.includes('provider.example'), url)
  }
})

test('paid access after a cheaper change stays with its subscription when a merge is undone, and a refund closes it', async (t) => {
  const { opened, fake } = await openTeam(t)
  const { m } = opened
  const gatesOf = async (id: string) => {
    const user = (await m.users.findById(id))!
    return ['pro', 'team'].filter((gate) => user.hasGate(gate as never)).join(' ')
  }
  const merged = (await m.users.findByEmail('ann@example.com'))!.id
  const kept = (await m.users.create({ email: 'ann@work.example', verified: true })).id
  await m.users.merge({ keep: kept, merge: merged, by: 'Eve', write: true })
  await fake.advance({ days: 1 })
  const user = (await m.users.findById(kept))!
  const [subscription] = user.subscriptions()
  await m.subscriptions.change({ user, subscriptionId: subscription!.id, price: 'price_month' as never })
  await fake.deliver()
  await m.runDueJobs()
  t.is(await gatesOf(kept), 'pro team')

  await m.users.unmerge({ merged, by: 'Eve' })
  t.is(await gatesOf(kept), '')
  t.is(await gatesOf(merged), 'pro team')

  const [payment] = (await m.users.findById(merged))!.payments()
  await m.payments.refund({ payment: payment! })
  await fake.deliver()
  await m.runDueJobs()
  t.notRegex(await gatesOf(merged), /team/)
  t.is(await gatesOf(kept), '')
})
