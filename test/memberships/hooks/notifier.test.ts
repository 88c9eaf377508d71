import test from 'ava'
import { step } from '../../../src/core/storage/index.ts'
import { createMembership } from '../../../src/index.ts'
import { createNotifier, createStoreWriter } from '../../../src/memberships/hooks/index.ts'
import { notifierStatements } from '../../../src/memberships/hooks/statements.ts'
import type { Ledger } from '../../../src/memberships/ledger/index.ts'
import type { User } from '../../../src/memberships/members/index.ts'
import { checkNotifications } from '../../../src/site/doctor/running.ts'
import { signed } from '../../../src/testkit/index.ts'
import { secret } from '../../support/host.ts'
import { customerObject, start, stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'
import { openStripeSite } from '../../support/stripe-site.ts'

test('of two processes notifying at once, the one with older data does not repeat a notification', async (t) => {
  const begun: string[] = []
  const { m, fake, browser } = await openStripeSite(t, {
    hooks: { 'subscription.started': ({ subscription }) => begun.push(subscription.id) },
  })
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.runDueJobs()
  const visitor = browser()
  await visitor.open('/membership/login')
  await visitor.post('/membership/subscribe/pro', { price: 'price_month' })
  const before = (await m.users.findById(ann.id))!
  await fake.pay(fake.objects.list('checkout.session')[0]!.id, { email: 'ann@example.com' })
  await fake.deliver()

  // The other process loaded the member before the purchase, and this one tells of it in between.
  const slow = createNotifier({
    storage: m.storage,
    users: {
      ...m.users,
      findById: async () => {
        await m.runDueJobs()
        return before
      },
    },
    ledger: { noteMember: () => [] } as unknown as Ledger,
    outbox: { steps: () => [] } as never,
    consumers: [() => []],
    since: new Date(0).toISOString(),
    now: fake.now,
    log: () => {},
  })
  await slow.runDue()
  t.deepEqual(begun, [fake.objects.list('subscription')[0]?.id])

  // A further message about Ann is no reason to tell of her purchase once more.
  await fake.advance({ days: 1 })
  fake.refund(String(fake.objects.list('charge')[0]?.id), 100)
  await fake.deliver()
  await m.runDueJobs()
  t.deepEqual(begun, [fake.objects.list('subscription')[0]?.id])
})

test('a process asked twice at once notifies once, and recognises its own work', async (t) => {
  const { m } = await openStripeSite(t)
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  const log: string[] = []
  let looks = 0
  const teller = createNotifier({
    storage: m.storage,
    users: m.users,
    ledger: { noteMember: () => [] } as unknown as Ledger,
    outbox: { steps: () => [] } as never,
    consumers: [
      () => {
        looks++
        return []
      },
    ],
    since: new Date(0).toISOString(),
    now: () => new Date(),
    log: (line) => log.push(line),
  })
  const mark = { provider: '', account: '', owner_id: ann.id, wishes: 1, due_at: new Date(0).toISOString() }
  await m.storage.commit([step(notifierStatements(m.storage).queue, mark)])
  t.deepEqual(await Promise.all([teller.runDue(), teller.runDue()]), [1, 0])
  t.is(looks, 1)
  t.deepEqual(log, [])
})

test('a member who cannot be notified delays nobody else; doctor reports it, and it is retried', async (t) => {
  const { m } = await openStripeSite(t)
  const members = [
    await m.users.create({ email: 'ann@example.com', verified: true }),
    await m.users.create({ email: 'ben@example.com', verified: true }),
  ]
  let now = Date.parse('2026-03-01T00:00:00Z')
  const told: string[] = []
  let isMended = false
  const teller = createNotifier({
    storage: m.storage,
    users: m.users,
    ledger: { noteMember: () => [] } as unknown as Ledger,
    outbox: { steps: () => [] } as never,
    consumers: [
      ({ member }) => {
        if (member.id === members[0]!.id && !isMended) throw new TypeError('no such field')
        told.push(member.id)
        return []
      },
    ],
    since: new Date(0).toISOString(),
    now: () => new Date(now),
    log: () => {},
  })
  const { queue: tell } = notifierStatements(m.storage)
  for (const [i, { id }] of members.entries())
    await m.storage.commit([
      step(tell, { provider: '', account: '', owner_id: id, wishes: 1, due_at: new Date(i).toISOString() }),
    ])
  await teller.runDue()
  t.deepEqual(told, [members[1]!.id])
  const [check] = await checkNotifications(m.storage)
  t.is(check?.name, 'members-untold')
  t.regex(check?.what ?? '', /no such field/)

  isMended = true
  now += 3_600_000
  await teller.runDue()
  t.deepEqual(told, [members[1]!.id, members[0]!.id])
  t.deepEqual(await checkNotifications(m.storage), [])
})

test('a host’s user gets the member’s state at delivery, not at queueing', async (t) => {
  const { m } = await openStripeSite(t)
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  const written: unknown[] = []
  const older = { ...ann, id: ann.id, content: () => 'older' } as unknown as User
  const newer = { ...ann, id: ann.id, email: ann.email, content: () => 'newer' } as unknown as User
  const { consumer, handlers } = createStoreWriter({
    store: {
      find: async () => ({ id: '1' }),
      create: async () => ({ id: '1' }),
      writeField: async (_id, _field, document) => void written.push(document),
    },
    findMember: async () => newer,
    fieldOf: (provider) => provider,
  })
  const [message] = consumer({ member: older, documents: ['stripe'], id: '1' } as never)
  const payload = JSON.parse(JSON.stringify(message!.payload))
  await handlers.store!({ id: message!.id, payload, at: '', signal: new AbortController().signal })
  t.deepEqual(written, ['newer'])
})

test('a beginning that a wrong clock wrote lasts until the clock is right', async (t) => {
  const begun: string[] = []
  const log: string[] = []
  let aheadMs = 3_600_000
  const now = () => new Date(start * 1000 + aheadMs)
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.stripe.webhook': secret,
    hooks: { 'subscription.started': ({ subscription }) => begun.push(subscription.id) },
    install: false,
    root: false,
    log: (line: string) => log.push(line),
    now,
  })
  t.teardown(() => m.close())
  aheadMs = 0
  await m.runDueJobs()
  aheadMs = 60_000
  const at = start + 30
  for (const event of [
    stripeEvent('customer.created', customerObject({ id: 'cus_1', email: 'ann@example.com' }), {
      created: at,
    }),
    stripeEvent(
      'customer.subscription.created',
      subscriptionObject({ id: 'sub_1', customer: 'cus_1', created: at, start_date: at }),
      { created: at },
    ),
  ])
    await m.webhooks.receive('stripe', signed('stripe', event, { secret, now: now() }))
  await m.runDueJobs()
  t.deepEqual(begun, ['sub_1'])
  t.is(log.filter((line) => line.startsWith('A wrong clock wrote')).length, 1)
})

test('a purchase in the second of a site’s first start is news, because providers give whole seconds', async (t) => {
  const begun: string[] = []
  const now = () => new Date((start + 0.9) * 1000)
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.stripe.webhook': secret,
    hooks: { 'subscription.started': ({ subscription }) => begun.push(subscription.id) },
    install: false,
    root: false,
    log: () => {},
    now,
  })
  t.teardown(() => m.close())
  const bought = [
    stripeEvent('customer.created', customerObject({ id: 'cus_1', email: 'ann@example.com' }), {
      created: start,
    }),
    stripeEvent(
      'customer.subscription.created',
      subscriptionObject({ id: 'sub_1', customer: 'cus_1', created: start, start_date: start }),
      { created: start },
    ),
  ]
  for (const event of bought)
    await m.webhooks.receive('stripe', signed('stripe', event, { secret, now: now() }))
  await m.runDueJobs()
  t.deepEqual(begun, ['sub_1'])
})
