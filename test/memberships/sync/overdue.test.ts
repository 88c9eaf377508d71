import test from 'ava'
import { createRounds } from '../../../src/core/jobs/rounds.ts'
import { openStorage, type Storage, step } from '../../../src/core/storage/index.ts'
import type { Ledger } from '../../../src/memberships/ledger/index.ts'
import { createOverdue } from '../../../src/memberships/sync/overdue.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { createVisitor } from '../../support/visitor.ts'

test('an end whose event was lost for good is found by a fetch', async (t) => {
  const { m, fake, site } = await openStripeSite(t)
  const ann = createVisitor(site)
  await ann.send('/membership/subscribe/pro', { price: 'price_month' })
  const [session] = fake.objects.list('checkout.session')
  await fake.pay(session!.id, { email: 'ann@example.com' })
  await fake.deliver()
  const holds = async () => (await m.users.findByEmail('ann@example.com'))?.hasGate('pro' as never)
  t.true(await holds())

  // Ended at the provider; none of the messages ever arrives.
  const customer = fake.objects.list('customer')[0]!.id
  fake.useCard(customer, '4000000000000341')
  await fake.advance({ months: 2 })
  t.is(fake.objects.list('subscription')[0]?.status, 'canceled')
  t.true(await holds(), 'nothing was heard')
  const asked = () => fake.requests().filter(({ path }) => path.startsWith('/v1/subscriptions/')).length
  const before = asked()
  await m.runDueJobs()
  t.false(await holds())
  await m.runDueJobs()
  t.is(asked() - before, 1, 'asked once, and not again on the same day')
})

test('a subscription is fetched an hour after its period, and daily while nothing changes', async (t) => {
  let now = new Date('2026-06-01T00:00:00.000Z')
  const storage = await openStorage({
    url: 'sqlite::memory:',
    synchronous: 'normal',
    pool: 1,
    now: () => now,
  })
  t.teardown(() => storage.close())
  const data = JSON.stringify({
    resumes_at: null,
    cancel_at: null,
    current_period_end: '2026-06-01T12:00:00.000Z',
  })
  const asked: string[] = []
  const overdue = createOverdue({
    storage: {
      read: async () => [{ provider: 'stripe', account: '', id: 'sub_1', data }],
      commit: async () => {},
    } as unknown as Storage,
    rounds: createRounds(storage, () => now),
    unlisted: [],
    turn: async () => {},
    ledger: { requestFetch: () => [asked.push(now.toISOString())] } as unknown as Ledger,
    now: () => now,
    log: () => {},
  })
  for (
    const end = Date.parse('2026-06-04T00:00:00.000Z');
    now.getTime() < end;
    now = new Date(now.getTime() + 600_000)
  )
    await overdue.runDue()
  t.deepEqual(asked, ['2026-06-01T13:00:00.000Z', '2026-06-02T00:00:00.000Z', '2026-06-03T00:00:00.000Z'])
})

test('an end planned for years ahead does not hide a long-ended period', async (t) => {
  const { m, fake, site } = await openStripeSite(t)
  await createVisitor(site).send('/membership/subscribe/pro', { price: 'price_month' })
  const [session] = fake.objects.list('checkout.session')
  await fake.pay(session!.id, { email: 'ann@example.com' })
  await fake.deliver()
  // What its own messages mentioned is asked for before.
  await m.runDueJobs()
  const [row] = await m.storage.read((db) => db.selectFrom('subscriptions').select('data'))
  const data = JSON.stringify({ ...JSON.parse(row!.data), cancel_at: '2029-01-15T12:00:00.000Z' })
  const update = m.storage.prepare<{ data: string }>('far-end', (db, p) =>
    db.updateTable('subscriptions').set({ data: p.data }),
  )
  await m.storage.commit([step(update, { data }, 1)])
  const customer = fake.objects.list('customer')[0]!.id
  fake.useCard(customer, '4000000000000341')
  await fake.advance({ months: 3 })
  const asked = () => fake.requests().filter(({ path }) => path.startsWith('/v1/subscriptions/')).length
  const before = asked()
  // The daily look is a day away from the first.
  await m.runDueJobs()
  t.is(asked() - before, 1)
  t.false((await m.users.findByEmail('ann@example.com'))!.hasGate('pro' as never))
})

test('an unreadable row keeps no other from being fetched', async (t) => {
  const row = (id: string, data: string) => ({ provider: 'stripe', account: '', id, data })
  const end = '2026-01-01T00:00:00.000Z'
  const over = JSON.stringify({
    resumes_at: null,
    cancel_at: null,
    trial_ends_at: null,
    current_period_end: end,
  })
  const asked: string[] = []
  const said: string[] = []
  const overdue = createOverdue({
    storage: {
      read: async () => [row('sub_1', '{'), row('sub_2', 'null'), row('sub_3', over)],
      commit: async () => {},
    } as unknown as Storage,
    rounds: { take: async () => ({ state: null, since: '', keep: async () => true, end: async () => {} }) },
    unlisted: [],
    turn: async () => {},
    ledger: { requestFetch: (_: object, ref: { id: string }) => [asked.push(ref.id)] } as unknown as Ledger,
    now: () => new Date('2026-06-01T00:00:00.000Z'),
    log: (message) => said.push(message),
  })
  t.is(await overdue.runDue(), 3)
  // What cannot be understood is asked for, too: the provider's answer mends it.
  t.deepEqual(asked, ['sub_1', 'sub_2', 'sub_3'])
  t.is(said.length, 2)
})
