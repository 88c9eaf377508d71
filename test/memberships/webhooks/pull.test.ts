import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { isMembershipError } from '../../../src/core/errors.ts'
import { defineProvider, type Membership } from '../../../src/index.ts'
import type { PulledEvent, PullOptions } from '../../../src/memberships/webhooks/pull.ts'
import { stripe } from '../../../src/providers/stripe/index.ts'
import type { MembershipOptions } from '../../../src/site/options.ts'
import { deliver, openInstance, settings, shuffled, stateOf, withoutMembers } from '../../support/converge.ts'
import { postgresDatabases, sqliteDatabases, type TestDatabase } from '../../support/databases.ts'
import { eventListKey, startEventList } from '../../support/fake-event-list.ts'
import { start, stripeEvent, subscriptionObject, toBody } from '../../support/stripe-events.ts'
import { actions, createStripeModel } from '../../support/stripe-model.ts'

const all: readonly (() => Promise<TestDatabase>)[] = [sqliteDatabases, postgresDatabases]
const databases: TestDatabase[] = []
test.before(async () => {
  for (const make of all) databases.push(await make())
})
test.after.always(async () => {
  for (const database of databases) await database.close()
})

async function open(
  t: ExecutionContext,
  name: TestDatabase['name'],
  { url, now }: { url: string; now: () => Date },
  more: MembershipOptions = {},
): Promise<Membership> {
  const database = databases.find((database) => database.name === name)
  const m = await openInstance(await database!.url(), now, {
    'membership.providers.stripe.secret': eventListKey,
    'membership.providers.stripe.api_base': url,
    ...more,
  })
  t.teardown(() => m.close())
  return m
}

async function pullAll(m: Membership, since: Date, options: PullOptions = {}): Promise<PulledEvent[]> {
  const pulled: PulledEvent[] = []
  for await (const event of m.webhooks.pull('stripe', since, options)) pulled.push(event)
  return pulled
}
function outcomes(pulled: readonly PulledEvent[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { outcome } of pulled) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** A history of more than 120 events, the same every time. */
function history() {
  const model = createStripeModel('basil')
  const [steps] = fc.sample(fc.array(actions, { minLength: 90, maxLength: 90, size: 'max' }), {
    ...settings(1),
    numRuns: 1,
  })
  for (const action of steps ?? []) model.act(action)
  return model
}
const begin = new Date(start * 1000)

for (const name of ['sqlite', 'postgres'] as const) {
  test.serial(
    `${name}: 30 events lost in an outage are pulled, and the state equals that of a site that lost none`,
    async (t) => {
      const model = history()
      t.true(model.events.length > 120, String(model.events.length))
      const list = await startEventList(t, model.events)
      const [whole, broken] = [
        await open(t, name, { ...list, now: model.now }),
        await open(t, name, { ...list, now: model.now }),
      ]
      const from = model.events.length - 40
      for (const [i, event] of model.events.entries()) {
        await deliver(whole, event)
        if (i < from || i >= from + 30) await deliver(broken, event)
      }
      t.notDeepEqual(await stateOf(broken), await stateOf(whole), 'something was lost')

      const pulled = await pullAll(broken, begin)
      t.is(pulled.length, model.events.length)
      t.is(outcomes(pulled).duplicate, model.events.length - 30)
      t.deepEqual(withoutMembers(await stateOf(broken)), withoutMembers(await stateOf(whole)))
      t.true(list.asked.length >= 2, 'more than one page')

      const again = await pullAll(broken, begin)
      t.deepEqual(outcomes(again), { duplicate: model.events.length }, 'pulled twice changes nothing')
      t.deepEqual(withoutMembers(await stateOf(broken)), withoutMembers(await stateOf(whole)))
    },
  )

  test.serial(`${name}: events pulled while they are delivered are applied once`, async (t) => {
    const model = history()
    const list = await startEventList(t, model.events)
    const [whole, busy] = [
      await open(t, name, { ...list, now: model.now }),
      await open(t, name, { ...list, now: model.now }),
    ]
    for (const event of model.events) await deliver(whole, event)
    const deliveries = async () => {
      for (const event of shuffled(model.events, 5)) await deliver(busy, event)
    }
    const [first, other] = await Promise.all([pullAll(busy, begin), pullAll(busy, begin), deliveries()])
    const rows = await busy.storage.read((db) => db.selectFrom('events').select(['event_id', 'status']))
    t.is(rows.length, model.events.length)
    t.true(rows.every(({ status }) => status === 'processed' || status === 'ignored'))
    t.is(first.length + other.length, 2 * model.events.length)
    t.deepEqual(withoutMembers(await stateOf(busy)), withoutMembers(await stateOf(whole)))
  })
}

const threeHundred = Array.from({ length: 300 }, (_, i) =>
  stripeEvent('customer.subscription.updated', subscriptionObject({ id: `sub_${i}`, customer: `cus_${i}` }), {
    id: `evt_p${i}`,
    created: start + i,
  }),
)
function later() {
  return new Date((start + 3600) * 1000)
}

test.serial('a page that fails in the middle is requested again, from the end of the last one', async (t) => {
  const list = await startEventList(t, threeHundred)
  const m = await open(t, 'sqlite', { ...list, now: later })
  let seen = 0
  for await (const { outcome } of m.webhooks.pull('stripe', begin)) {
    t.is(outcome, 'processed')
    if (++seen === 1) list.failures.push(429, 500, null)
  }
  t.is(seen, 300)
  const pages = list.asked.map((url) => new URL(url, 'http://localhost').searchParams.get('starting_after'))
  t.is(pages[0], null)
  t.true(pages.slice(1, -1).every((page) => page === 'evt_p200'))
  t.is(pages.at(-1), 'evt_p100')
  t.true(pages.length >= 6)
})

test.serial('only events since that time are requested', async (t) => {
  const list = await startEventList(t, threeHundred)
  const m = await open(t, 'sqlite', { ...list, now: later })
  t.is((await pullAll(m, new Date((start + 290) * 1000))).length, 10)
  t.is((await m.storage.read((db) => db.selectFrom('subscriptions').select('id'))).length, 10)
})

test.serial('pulled events of the other mode are held', async (t) => {
  const live = stripeEvent('customer.subscription.updated', subscriptionObject(), { livemode: true })
  const list = await startEventList(t, [live])
  const m = await open(t, 'sqlite', { ...list, now: later })
  t.deepEqual(outcomes(await pullAll(m, begin)), { held: 1 })
  t.deepEqual(outcomes(await pullAll(m, begin)), { duplicate: 1 })
  t.deepEqual(await m.storage.read((db) => db.selectFrom('subscriptions').selectAll()), [])
})

test.serial('an event received under another label is known; new ones go to the key’s label', async (t) => {
  const list = await startEventList(t, threeHundred.slice(0, 3))
  const m = await open(
    t,
    'sqlite',
    { ...list, now: later },
    {
      'membership.providers.stripe.webhook': { eu: 'whsec_eu', us: 'whsec_us', gone: 'whsec_gone' },
      'membership.providers.stripe.account': 'eu',
    },
  )
  const body = toBody(threeHundred[1]!)
  await m.storage.read((db) =>
    db.insertInto('events').values({
      provider: 'stripe',
      account: 'us',
      event_id: 'evt_p1',
      type: 'x',
      object_id: null,
      occurred_at: begin.toISOString(),
      received_at: begin.toISOString(),
      livemode: 0,
      status: 'processed',
      reason: null,
      attempts: 0,
      next_try_at: null,
      body_hash: 'x',
      body,
    }),
  )
  t.deepEqual(outcomes(await pullAll(m, begin)), { processed: 2, duplicate: 1 })
  const rows = await m.storage.read((db) =>
    db.selectFrom('events').select(['account', 'event_id']).orderBy('event_id'),
  )
  t.deepEqual(rows, [
    { account: 'eu', event_id: 'evt_p0' },
    { account: 'us', event_id: 'evt_p1' },
    { account: 'eu', event_id: 'evt_p2' },
  ])
})

test.serial('a configured label is accepted, another one is refused', async (t) => {
  const list = await startEventList(t, threeHundred.slice(0, 1))
  const m = await open(
    t,
    'sqlite',
    { ...list, now: later },
    {
      'membership.providers.stripe.webhook': { eu: 'whsec_eu', us: 'whsec_us' },
      'membership.providers.stripe.account': 'eu',
    },
  )
  const error = await t.throwsAsync(pullAll(m, begin, { account: 'asia' }))
  t.true(isMembershipError(error, 'ERR_USAGE') && /eu, us/.test(error.action ?? ''))
  await pullAll(m, begin, { account: 'us' })
  t.deepEqual(await m.storage.read((db) => db.selectFrom('subscriptions').select('account')), [
    { account: 'us' },
  ])
})

const refusals: [string, MembershipOptions, Date, string, RegExp][] = [
  ['more than 30 days', {}, new Date((start - 31 * 86_400) * 1000), 'ERR_USAGE', /30 days/],
  [
    'no API key',
    { 'membership.providers.stripe.secret': undefined },
    begin,
    'ERR_PROVIDER_UNSUPPORTED',
    /no API key/,
  ],
  [
    'a wrong API key',
    { 'membership.providers.stripe.secret': 'sk_test_wrong' },
    begin,
    'ERR_CONFIG',
    /not accept the API key/,
  ],
]
for (const [title, more, since, code, words] of refusals)
  test.serial(`pull: ${title} is an error that says what to do`, async (t) => {
    const list = await startEventList(t, threeHundred)
    const m = await open(t, 'sqlite', { ...list, now: later }, more)
    const error = await t.throwsAsync(pullAll(m, since))
    t.true(isMembershipError(error) && error.code === code && words.test(error.message) && !!error.action)
    t.notRegex(`${error?.message} ${(error as { action?: string }).action}`, /do_not_print|sk_test_wrong/)
  })

test.serial('pull: an unknown provider is an error that names the configured ones', async (t) => {
  const list = await startEventList(t, [])
  const m = await open(t, 'sqlite', { ...list, now: later })
  const error = await t.throwsAsync(async () => {
    for await (const _ of m.webhooks.pull('stripes', begin)) t.fail()
  })
  t.true(isMembershipError(error, 'ERR_PROVIDER_UNKNOWN') && /configured: stripe/.test(error.message))
})

function poisoned(times: { left: number }) {
  return defineProvider({
    ...stripe,
    create(context) {
      const provider = stripe.create(context)
      return {
        ...provider,
        changes: (event) => {
          if (times.left-- > 0) throw new TypeError('poisoned for the test')
          return provider.changes(event)
        },
      }
    },
  })
}

test.serial(
  'a failed event is kept, and the next pull retries it or leaves it to its schedule',
  async (t) => {
    const list = await startEventList(t, threeHundred.slice(0, 1))
    const m = await open(t, 'sqlite', { ...list, now: later }, { customProviders: [poisoned({ left: 2 })] })
    t.deepEqual(outcomes(await pullAll(m, begin)), { kept: 1 })
    t.deepEqual(outcomes(await pullAll(m, begin, { retryFailed: false })), { duplicate: 1 })
    t.deepEqual(outcomes(await pullAll(m, begin)), { kept: 1 })
    t.deepEqual(outcomes(await pullAll(m, begin)), { processed: 1 })
    t.deepEqual(outcomes(await pullAll(m, begin)), { duplicate: 1 })
    const rows = await m.storage.read((db) => db.selectFrom('events').select(['status', 'attempts']))
    t.deepEqual(rows, [{ status: 'processed', attempts: 3 }])
  },
)

test.serial('an event that failed under a label is retried under that label', async (t) => {
  const list = await startEventList(t, threeHundred.slice(0, 1))
  const labels = {
    'membership.providers.stripe.webhook': { eu: 'whsec_eu', us: 'whsec_us' },
    'membership.providers.stripe.account': 'eu',
  }
  const m = await open(
    t,
    'sqlite',
    { ...list, now: later },
    { customProviders: [poisoned({ left: 1 })], ...labels },
  )
  await pullAll(m, begin, { account: 'us' })
  t.deepEqual(outcomes(await pullAll(m, begin, { account: 'eu' })), { processed: 1 })
  t.deepEqual(await m.storage.read((db) => db.selectFrom('subscriptions').select('account')), [
    { account: 'us' },
  ])
})

test.serial('a pull that is asked to finish accepts nothing more', async (t) => {
  const list = await startEventList(t, threeHundred)
  const m = await open(t, 'sqlite', { ...list, now: later })
  const stop = new AbortController()
  let seen = 0
  for await (const _ of m.webhooks.pull('stripe', begin, { finish: stop.signal })) {
    seen++
    stop.abort()
  }
  t.is(seen, 25)
  t.is((await m.storage.read((db) => db.selectFrom('events').select('seq'))).length, 25)
})
