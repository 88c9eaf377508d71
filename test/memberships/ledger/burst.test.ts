import test from 'ava'
import { createMembership, type Membership } from '../../../src/index.ts'
import { signed } from '../../../src/testkit/index.ts'
import { dodoEvent, dodoSubscription } from '../../providers/dodo/events.ts'
import { polarEvent, polarSubscription } from '../../providers/polar/events.ts'
import { stateOf } from '../../support/converge.ts'
import { allDatabases } from '../../support/databases.ts'
import { own } from '../../support/own-providers.ts'
import { stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

const secret = 'whsec_burst'

for (const open of allDatabases)
  test(`a burst of events about one customer is applied at once, without retries: ${open.name}`, async (t) => {
    const database = await open()
    const m = await createMembership({
      'membership.database.url': await database.url(),
      'membership.providers.stripe.webhook': secret,
      install: false,
      'membership.compare.automatic': false,
      root: false,
      log: () => {},
    })
    t.teardown(async () => {
      await m.close()
      await database.close()
    })
    // The same subscription in the same second, each message with an id of its own.
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, () =>
        m.webhooks.receive(
          'stripe',
          signed('stripe', stripeEvent('customer.subscription.updated', subscriptionObject()), { secret }),
        ),
      ),
    )
    t.deepEqual([...new Set(outcomes)], ['processed'])
  })

function momentOf(second: number): string {
  return new Date(Date.UTC(2026, 2, 1, 12, 0, second)).toISOString()
}

/** One more message about a subscription, with a copy of who bought it, and of the page on which it was bought. */
const repeating = {
  dodo: (second: number, name = 'Ann Example') =>
    dodoEvent(
      'subscription.updated',
      momentOf(second),
      dodoSubscription({ customer: { customer_id: 'cus_1', email: 'ann@example.com', name } }),
    ),
  polar: (second: number) =>
    polarEvent(
      'subscription.updated',
      momentOf(second),
      polarSubscription({ modified_at: momentOf(second) }),
    ),
}
const standardSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

function open(key: string, now = () => new Date()): Promise<Membership> {
  return createMembership({
    'membership.database.url': 'sqlite::memory:',
    ...own({
      [`membership.providers.${key}.webhook`]: standardSecret,
      [`membership.providers.${key}.livemode`]: false,
    }),
    install: false,
    'membership.compare.automatic': false,
    root: false,
    now,
    log: () => {},
  })
}

/** What is read and written while `run` runs, by name. */
async function statementsOf({ storage }: Membership, run: () => Promise<void>): Promise<string[]> {
  const { all, commit } = storage
  const names: string[] = []
  // The worker may wake meanwhile.
  const isOurs = (name: string) => !/claim|recall|unknown|^fetches-|^outbox-due/.test(name)
  storage.all = (statement, params) => {
    if (isOurs(statement.name)) names.push(statement.name)
    return all(statement, params)
  }
  storage.commit = (unit) => {
    names.push(...unit.map(({ statement }) => statement.name).filter(isOurs))
    return commit(unit)
  }
  await run()
  Object.assign(storage, { all, commit })
  return names
}

function taker(m: Membership, key: string) {
  return async (event: unknown) => {
    await m.webhooks.receive(key, signed(key, event, { secret: standardSecret }))
  }
}

test('a buyer repeated in a later event is neither searched nor planned: only the moment changes', async (t) => {
  const m = await open('dodo')
  t.teardown(m.close)
  const take = taker(m, 'dodo')
  for (const second of [1, 2, 3]) await take(repeating.dodo(second))
  const names = await statementsOf(m, () => take(repeating.dodo(4)))
  t.deepEqual(names.sort(), ['event-insert', 'fact-again', 'past-event-unless', 'subscription-newer'])
})

test('a copy of one revision and a checkout page are not read again once stored, whatever the events are called', async (t) => {
  const m = await open('polar')
  t.teardown(m.close)
  const take = taker(m, 'polar')
  for (let second = 0; second < 3; second++) await take(repeating.polar(second))
  const names = await statementsOf(m, async () => {
    for (let second = 3; second < 13; second++) await take(repeating.polar(second))
  })
  t.deepEqual(names, Array.from({ length: 10 }, () => bare).flat())
})
const bare = ['event-insert', 'past-event-unless', 'subscription-newer']

test('repeated copies in events leave the same rows in each order', async (t) => {
  const events = [1, 2, 3, 4, 5].map((second) =>
    signed('polar', repeating.polar(second), { secret: standardSecret }),
  )
  const states: unknown[] = []
  for (const order of [events, events.toReversed()]) {
    const m = await open('polar')
    t.teardown(m.close)
    for (const item of order) await m.webhooks.receive('polar', item)
    const { customers, facts } = await stateOf(m)
    states.push({ customers, facts })
  }
  t.deepEqual(states[1], states[0])
})

test('a buyer repeated hours later gets the owner checked, without writing a payment or row', async (t) => {
  let now = new Date()
  const m = await open('dodo', () => now)
  t.teardown(m.close)
  const take = async (second: number) => {
    await m.webhooks.receive('dodo', signed('dodo', repeating.dodo(second), { secret: standardSecret, now }))
  }
  for (const second of [1, 2, 3]) await take(second)
  now = new Date(now.getTime() + 3_600_000)
  const names = await statementsOf(m, () => take(4))
  t.deepEqual(names.sort(), [...bare, 'fact-again', 'customer', 'deletion-gone'].sort())
})

test('a changed name between two equal events ends equal in each order', async (t) => {
  const said: (readonly [second: number, name: string])[] = [
    [1, 'Ann'],
    [2, 'Ann'],
    [3, 'Ann'],
    [5, 'Ann'],
    [4, 'Anna'],
    [6, 'Anna'],
  ]
  const events = new Map(
    said.map((item) => [item, signed('dodo', repeating.dodo(...item), { secret: standardSecret })]),
  )
  const states: unknown[] = []
  for (const order of [said, said.toReversed(), said.toSorted(([a], [b]) => a - b)]) {
    const m = await open('dodo')
    t.teardown(m.close)
    for (const item of order) await m.webhooks.receive('dodo', events.get(item)!)
    const { customers, facts } = await stateOf(m)
    states.push({ customers, facts })
    t.is(customers[0]?.name, 'Anna')
  }
  t.deepEqual(states[1], states[0])
  t.deepEqual(states[2], states[0])
})
