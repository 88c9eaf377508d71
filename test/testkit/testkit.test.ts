import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { z } from 'zod'
import { isMembershipError } from '../../src/core/errors.ts'
import type { FakeServer } from '../../src/fakes/engine/index.ts'
import { createMembership } from '../../src/index.ts'
import type { Provider, ProviderDefinition } from '../../src/providers/contract.ts'
import { sandbox } from '../../src/providers/sandbox/index.ts'
import { stripe } from '../../src/providers/stripe/index.ts'
import { createClock, createFakeServer, providerContract, signed, viewFrom } from '../../src/testkit/index.ts'
import { credentialed, pinged } from '../support/asked-providers.ts'
import { loader, sourceFile } from '../support/command.ts'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'

const moment = '2026-01-01T00:00:00.000Z'
const price = {
  id: 'pro_yearly',
  label: 'Pro',
  amount: 5000,
  currency: 'EUR',
  interval: 'year',
  interval_count: 1,
  trial_days: 0,
}
const sandboxEvent = {
  id: 'evt_1',
  type: 'subscription.created',
  created: moment,
  object: 'subscription',
  data: {
    id: 'sub_1',
    customer: 'cus_1',
    price,
    quantity: 1,
    status: 'active',
    started: moment,
    trial_ends: null,
    period_start: moment,
    period_end: '2027-01-01T00:00:00.000Z',
    cancel_at_period_end: false,
    canceled: null,
    ended: null,
    metadata: {},
    updated: moment,
  },
}

for (const { title, run } of providerContract(sandbox, { events: [sandboxEvent] }))
  test(`sandbox: ${title}`, (t) => t.notThrows(run))
for (const { title, run } of providerContract(stripe, {
  events: [stripeEvent('customer.subscription.created', subscriptionObject())],
}))
  test(`stripe: ${title}`, (t) => t.notThrows(run))

const held = { id: 'sub_1', email: 'ann@example.com', price: 'price_1', status: 'active' }
const said = { id: 'e_1', type: 'changed', at: moment, object: held }
const api = { api: 'http://127.0.0.1:9' }
for (const { title, run } of providerContract(pinged, { events: ['id=sub_1'], options: api }))
  test(`pings: ${title}`, (t) => t.notThrows(run))
for (const { title, run } of providerContract(credentialed, { events: [said], options: api }))
  test(`credentials: ${title}`, (t) => t.notThrows(run))

test('the contract tests what a provider’s deliveries can promise, and detects violations', async (t) => {
  const broken = async (definition: ProviderDefinition, events: unknown[]) => {
    const found: string[] = []
    for (const { title, run } of providerContract(definition, { events }))
      await Promise.resolve()
        .then(run)
        .catch(() => found.push(title))
    return found
  }
  t.deepEqual(await broken(pinged, ['id=sub_1']), ['what a ping names can be asked for'])
  const making = (more: (own: Provider) => Partial<Provider>): ProviderDefinition => ({
    ...credentialed,
    create: (context) => {
      const own = credentialed.create(context)
      return { ...own, ...more(own) }
    },
  })
  const signed = making(() => ({ trust: 'body' }))
  t.deepEqual(await broken(signed, [said]), ['a changed body does not verify'])
  const cutting = making((own) => ({
    changes: (event) =>
      own.changes(event).map((change) => ({ ...change, at: `${String(event.occurred_at).slice(0, 19)}Z` })),
  }))
  t.deepEqual(await broken(cutting, [said]), ['moments may be written in any width and offset'])
})

test('a failing contract names the event and the field, and passes a provider’s required options', async (t) => {
  const wrong: ProviderDefinition = {
    ...credentialed,
    options: z.strictObject({ site: z.string() }),
    create: (context) => {
      const own = credentialed.create(context as never)
      const changes: Provider['changes'] = (event) =>
        own
          .changes(event)
          .map((change) =>
            change.type === 'subscription'
              ? { ...change, data: { ...change.data, quantity: 'two' as never } }
              : change,
          )
      return { ...own, changes }
    },
  }
  const checks = providerContract(wrong, { events: [said], options: { site: 'acme' } })
  const sound = checks.find(({ title }) => title.includes('sound data'))
  const error = t.throws(() => void sound?.run())
  t.regex(error?.message ?? '', /^event 1, subscription sub_1: quantity: /)
  t.throws(() => signed(wrong, said, { secret: 'a:b' }), {
    message: /"credentialed".*site: /,
    code: 'ERR_USAGE',
  })
  t.notThrows(() => signed(wrong, said, { secret: 'a:b', options: { site: 'acme' } }))
})

test('a signed payload is accepted by an instance with that secret', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.stripe.webhook': 'whsec_x',
    install: false,
    root: false,
  })
  const event = stripeEvent('customer.subscription.created', subscriptionObject())
  t.is(await m.webhooks.receive('stripe', signed('stripe', event, { secret: 'whsec_x' })), 'processed')
  await t.throwsAsync(m.webhooks.receive('stripe', signed('stripe', event, { secret: 'whsec_y' })), {
    code: 'ERR_WEBHOOK_SIGNATURE',
  })
  await m.close()
})

test('a view from plain data answers like a real one', (t) => {
  const view = viewFrom({
    user: {
      subscriptions: [{ price_id: 'price_1' }, { price_id: 'price_2', status: 'canceled' }],
      payments: [{ price_id: 'price_3' }],
    },
  })
  t.true(view.allows('price_1'))
  t.false(view.allows('price_2'))
  t.true(view.allows('price_3'))
  t.is(view.provider().subscriptionForPrice('price_1')?.status, 'active')
  t.is(view.provider().subscriptionForPrice('price_2'), null, 'it ended')
  t.is(view.provider().subscriptions({ price: 'price_2' })[0]?.status, 'canceled')
  t.is(viewFrom().user(), null)
  t.false(viewFrom().allows('price_1'))
  t.throws(() => viewFrom({ user: { subscriptions: [{ statuss: 'active' } as never] } }))
})

test('a clock moves when it is told to', (t) => {
  const clock = createClock('2026-01-01T00:00:00Z')
  clock.advance({ days: 1, hours: 2 })
  t.is(clock.now().toISOString(), '2026-01-02T02:00:00.000Z')
})

test('an unknown fake server’s error lists the known ones', async (t) => {
  const error = await t.throwsAsync(createFakeServer('nobody'))
  t.true(isMembershipError(error, 'ERR_PROVIDER_UNKNOWN'))
  t.regex(error.message, /"nobody".*known: .*stripe/)
})

test('a site’s own provider brings its own fake server', async (t) => {
  const acme = { key: 'acme', fake: async () => async () => ({ url: 'acme' }) as FakeServer }
  t.is((await createFakeServer(acme)).url, 'acme')
})

test('a site in its own process has the fake server’s time', async (t) => {
  const fake = await createFakeServer('stripe', { start: new Date('2026-01-15T12:00:00Z') })
  t.teardown(() => fake.close())
  const program = `
    import { followClock } from ${JSON.stringify(pathToFileURL(sourceFile('testkit/index')).href)}
    const clock = await followClock(process.env.FAKE)
    process.on('message', () => process.send(clock.now().toISOString()))
    process.on('disconnect', () => clock.stop())
    process.send('ready')`
  const child = spawn(process.execPath, [...loader, '--input-type=module', '-e', program], {
    env: { ...process.env, FAKE: fake.url },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  t.teardown(() => child.kill())
  await once(child, 'message')
  for (const by of [{ days: 1 }, { months: 1 }, { ms: 1 }, { days: 400 }]) {
    await fake.advance(by)
    child.send('now?')
    const [told] = await once(child, 'message')
    t.is(told, fake.now().toISOString())
  }
  child.disconnect()
  t.deepEqual(await once(child, 'exit'), [0, null])
})

test('a checkout is paid by the address of its page', async (t) => {
  const fake = await createFakeServer('stripe')
  t.teardown(() => fake.close())
  await t.throwsAsync(async () => fake.pay('https://site.example/thanks'), {
    message: /address of no checkout/,
  })
})
