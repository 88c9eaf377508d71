import test from 'ava'
import { createRandom } from '../../../src/fakes/engine/random.ts'
import type { Membership } from '../../../src/index.ts'
import { allDatabases, sqliteDatabases } from '../../support/databases.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createVisitor } from '../../support/visitor.ts'

type Told = { name: string; id: string; at: string; member: string; data: Record<string, unknown> }
const afterNames = [
  'payment.received',
  'subscription.started',
  'subscription.changed',
  'subscription.renewed',
  'subscription.canceled',
  'member.created',
  'member.signed_up',
  'access.changed',
] as const

/** Hooks that note everything; `fail` says which messages they throw at. */
function listen(fail: (told: Told) => boolean = () => false) {
  const told: Told[] = []
  const tries: Told[] = []
  const hooks = Object.fromEntries(
    afterNames.map((name) => [
      name,
      async (event: { id: string; at: string; member: { email: string | null }; signal: AbortSignal }) => {
        const { id, at, member, signal: _, ...data } = event
        const item = { name, id, at, member: member.email ?? '', data: data as Record<string, unknown> }
        tries.push(item)
        await new Promise((next) => setImmediate(next))
        if (fail(item)) throw new Error('the hook failed')
        told.push(item)
      },
    ]),
  )
  const names = (email = 'ann@example.com') =>
    told.filter(({ member }) => member === email).map(({ name }) => name)
  return { hooks, told, tries, names }
}

/** Until everything is told, also what the background has in hand. */
async function settle(m: Membership): Promise<void> {
  for (let n = 0; n < 100; n++) {
    await m.runDueJobs()
    if ((await m.operator.outbox.list()).length === 0) return
    await new Promise((next) => setTimeout(next, 10))
  }
}

test('a whole membership is notified in order, each event once', async (t) => {
  const { hooks, told, names } = listen()
  const opened = await openStripeSite(t, { hooks })
  const { fake, m } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  const later = async (path: string, fields: Record<string, string> = {}) => {
    await fake.advance({ ms: 10_000 })
    const answer = await visitor.send(path, fields)
    t.is(answer.status, 200, answer.text)
    await fake.deliver()
    await settle(m)
  }
  await settle(m)
  t.deepEqual(names().toSorted(), [
    'access.changed',
    'member.created',
    'member.signed_up',
    'payment.received',
    'subscription.started',
  ])
  t.is(names()[0], 'member.created')
  t.deepEqual(told.find(({ name }) => name === 'access.changed')?.data, {
    opened: ['price_month', 'pro'],
    closed: [],
  })
  told.length = 0
  await later(`/membership/change/${id}`, { plan: 'team' })
  t.deepEqual(names().toSorted(), ['access.changed', 'payment.received', 'subscription.changed'])
  const change = told.find(({ name }) => name === 'subscription.changed')
  t.deepEqual(change?.data.before, { price_ids: ['price_month'], quantity: 1 })
  told.length = 0
  await later(`/membership/cancel/${id}`)
  await later(`/membership/resume/${id}`)
  t.deepEqual(names(), ['subscription.canceled', 'subscription.renewed'])
  t.is(told[1]?.data.reason, 'kept')
  told.length = 0
  // The invoice of a renewal is a draft for an hour.
  await fake.advance({ months: 1, ms: 7_200_000 })
  await fake.deliver()
  await settle(m)
  t.deepEqual(names().toSorted(), ['payment.received', 'subscription.renewed'])
  t.is(told.find(({ name }) => name === 'subscription.renewed')?.data.reason, 'period')
  told.length = 0
  await m.subscriptions.cancel({
    user: (await m.users.findByEmail('ann@example.com'))!,
    subscriptionId: id,
    when: 'now',
  })
  await fake.advance({ ms: 200_000 })
  await fake.deliver()
  await settle(m)
  t.deepEqual(names().toSorted(), ['access.changed', 'subscription.canceled'])
  for (const { at } of told) t.true(Date.parse(at) <= fake.now().getTime())
})

test('a late-paid renewal is still notified, once', async (t) => {
  const { hooks, told, names } = listen()
  const opened = await openStripeSite(t, { hooks })
  const { fake, m } = opened
  await buy(opened, 'ann@example.com')
  await settle(m)
  told.length = 0
  const customer = fake.objects.list('customer')[0]!.id
  fake.useCard(customer, '4000000000000341')
  await fake.advance({ months: 1, days: 1 })
  await fake.deliver()
  await settle(m)
  t.false(names().includes('subscription.renewed'), 'not paid yet')
  fake.useCard(customer, '4242424242424242')
  await fake.advance({ days: 6 })
  await fake.deliver()
  await settle(m)
  t.is((await m.users.findByEmail('ann@example.com'))?.subscriptions()[0]?.status, 'active')
  t.is(names().filter((name) => name === 'subscription.renewed').length, 1)
  t.is(names().filter((name) => name === 'payment.received').length, 1)
})

test('an ending trial, a yearly renewal and a failed payment are notified before and when they happen, once', async (t) => {
  const told: string[] = []
  const note =
    (name: string) => (event: { charged_at?: string; subscription: { price_id: string | null } }) =>
      void told.push(
        [name, event.subscription.price_id, event.charged_at?.slice(0, 10)].filter(Boolean).join(' '),
      )
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.plans': {
      pro: { group: 'a', prices: [{ id: 'price_month', trial_days: 14 }, 'price_year'] },
    },
    hooks: {
      'trial.ending': note('trial.ending'),
      'renewal.upcoming': note('renewal.upcoming'),
      'payment.failed': note('payment.failed'),
    },
  })
  const { fake, m } = opened
  await buy(opened, 'ann@example.com')
  await buy(opened, 'ben@example.com', { price: 'price_year' })
  const on = async (days: number) => {
    await fake.advance({ days, ms: 3_600_000 })
    await fake.deliver()
    await settle(m)
    // What arrived in one moment is asked for a little later.
    await fake.advance({ ms: 200_000 })
    await settle(m)
    return told.splice(0)
  }
  t.deepEqual(await on(6), [])
  t.deepEqual(await on(1), ['trial.ending price_month 2026-01-29'])
  t.deepEqual(await on(3), [])
  const ann = fake.objects.list('customer').find(({ email }) => email === 'ann@example.com')
  fake.useCard(ann!.id, '4000000000000341')
  t.deepEqual(await on(5), ['payment.failed price_month'])
  t.deepEqual(
    (await on(325)).filter((line) => line.includes('price_year')),
    ['renewal.upcoming price_year 2027-01-15'],
  )
})

test('a charge that will not happen is not announced: after a cancellation, or to a merged account', async (t) => {
  const told: string[] = []
  let isBroken = true
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.plans': {
      pro: { group: 'a', prices: [{ id: 'price_month', trial_days: 14 }] },
    },
    hooks: {
      'trial.ending': ({ member }) => {
        if (isBroken) throw new Error('the hook failed')
        told.push(String(member.email))
      },
    },
  })
  const { fake, m } = opened
  const ann = await buy(opened, 'ann@example.com')
  const { user: ben } = await buy(opened, 'ben@example.com', { card: '5555555555554444' })
  const kept = await m.users.create({ email: 'kept@example.com', verified: true })
  await fake.advance({ days: 7, ms: 3_600_000 })
  await fake.deliver()
  await m.runDueJobs()
  t.is((await m.operator.outbox.list()).filter(({ kind }) => kind === 'hook').length, 2, 'both wait')
  await m.subscriptions.cancel({ user: ann.user, subscriptionId: ann.id, when: 'period_end' })
  await m.users.merge({ keep: kept.id, merge: ben.id, by: 'Op', write: true })
  isBroken = false
  await fake.advance({ ms: 200_000 })
  await fake.deliver()
  await settle(m)
  t.deepEqual(told, ['kept@example.com'])
})

test('a hook has the same name before and after a change; the original plugin’s names are aliases', async (t) => {
  const told: string[] = []
  const note = (name: string) => () => void told.push(name)
  const opened = await openStripeSite(t, {
    hooks: {
      before: { 'subscription.started': note('before') },
      'subscription.started': note('after'),
      'membership.subscribe:before': note('old before'),
      'membership.subscribe:after': note('old after'),
      'member.signed_up': note('signed up'),
      signup: note('old signup'),
    },
  })
  await buy(opened, 'ann@example.com')
  await settle(opened.m)
  t.deepEqual(told.slice(0, 2), ['before', 'old before'])
  t.deepEqual(told.slice(2).toSorted(), ['after', 'old after', 'old signup', 'signed up'])
})

function inOrder<T>(events: readonly T[], order: string): T[] {
  if (order === 'as sent') return [...events]
  if (order === 'backwards') return events.toReversed()
  const random = createRandom(order, 'order')
  return events
    .map((event) => ({ event, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ event }) => event)
}

const shuffles = Array.from({ length: 10 }, (_, n) => `shuffled ${n}`)

for (const order of ['as sent', 'backwards', ...shuffles])
  test(`checked after every single event, a renewal is notified when it is paid, ${order}`, async (t) => {
    const { hooks, told, names } = listen()
    const opened = await openStripeSite(t, { hooks })
    const { fake, m, site } = opened
    await buy(opened, 'ann@example.com')
    await settle(m)
    told.length = 0
    const known = fake.events().length
    await fake.advance({ months: 1, ms: 7_200_000 })
    const events = fake.events().slice(known)
    const paid = events.findIndex(({ type }) => type === 'invoice.paid')
    const moved = events.findIndex(({ type }) => type === 'customer.subscription.updated')
    t.true(0 <= moved && moved < paid, 'the period moves before it is paid')
    for (const event of inOrder(events, order)) {
      const isPaid = told.some(({ name }) => name === 'payment.received')
      t.true(isPaid || !names().includes('subscription.renewed'), `told before ${event.type}`)
      const body = Buffer.from(JSON.stringify(event))
      await fetch(`${site}/membership/webhooks/stripe`, {
        method: 'POST',
        body,
        headers: m.webhooks.sign('stripe', body),
      })
      await settle(m)
    }
    t.deepEqual(names().toSorted(), ['payment.received', 'subscription.renewed'])
  })

for (const order of ['as sent', 'backwards', ...shuffles.slice(0, 4)])
  test(`checked after every single event, a dearer plan never closes access, ${order}`, async (t) => {
    const { hooks, told, names } = listen()
    const opened = await openStripeSite(t, { hooks })
    const { fake, m, site } = opened
    const { visitor, id } = await buy(opened, 'ann@example.com')
    await settle(m)
    told.length = 0
    const known = fake.events().length
    await fake.advance({ ms: 10_000 })
    t.is((await visitor.send(`/membership/change/${id}`, { plan: 'team' })).status, 200)
    await settle(m)
    for (const event of inOrder(fake.events().slice(known), order)) {
      const body = Buffer.from(JSON.stringify(event))
      const headers = m.webhooks.sign('stripe', body)
      await fetch(`${site}/membership/webhooks/stripe`, { method: 'POST', body, headers })
      await settle(m)
    }
    t.deepEqual(names().toSorted(), ['access.changed', 'payment.received', 'subscription.changed'])
    t.true((await m.users.findByEmail('ann@example.com'))!.hasGate('team' as never))
  })

test('a period without news of its payment is notified after three days', async (t) => {
  const { hooks, told, names } = listen()
  const opened = await openStripeSite(t, { hooks })
  const { fake, m, site } = opened
  await buy(opened, 'ann@example.com')
  await settle(m)
  told.length = 0
  const known = fake.events().length
  await fake.advance({ months: 1, ms: 7_200_000 })
  const moved = fake.events().find(({ type }, n) => n >= known && type === 'customer.subscription.updated')
  const body = Buffer.from(JSON.stringify(moved))
  await fetch(`${site}/membership/webhooks/stripe`, {
    method: 'POST',
    body,
    headers: m.webhooks.sign('stripe', body),
  })
  await settle(m)
  t.deepEqual(names(), [])
  await fake.advance({ days: 2 })
  await settle(m)
  t.deepEqual(names(), [])
  await fake.advance({ days: 1 })
  await settle(m)
  t.deepEqual(names(), ['subscription.renewed'])
})

test('checked after every single event, a purchase is notified once', async (t) => {
  for (const order of ['as sent', 'backwards', 'after the return page', 'after a quick return page']) {
    const { hooks, names } = listen()
    const { fake, m, site } = await openStripeSite(t, { hooks })
    const visitor = createVisitor(site)
    const begun = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
    await fake.pay(fake.objects.list('checkout.session')[0]!.id, { email: 'ann@example.com' })
    if (order === 'after the return page') await fake.advance({ ms: 5000 })
    if (order.includes('return')) await visitor.get(`/membership/subscribe/${begun.json.intent_id}`)
    const events = order === 'backwards' ? fake.events().toReversed() : fake.events()
    for (const event of events) {
      const body = Buffer.from(JSON.stringify(event))
      await fetch(`${site}/membership/webhooks/stripe`, {
        method: 'POST',
        body,
        headers: m.webhooks.sign('stripe', body),
      })
      await settle(m)
    }
    await fake.advance({ days: 1 })
    await settle(m)
    t.deepEqual(
      names().toSorted(),
      ['access.changed', 'member.created', 'member.signed_up', 'payment.received', 'subscription.started'],
      order,
    )
  }
})

test('a refusing hook gives its reason, and no provider request is made', async (t) => {
  let refuse: string | null = null
  const asked: string[] = []
  const before = (name: string) => (event: { member: unknown }) => {
    asked.push(name)
    t.true('member' in event)
    return refuse === null ? undefined : { refuse }
  }
  const opened = await openStripeSite(t, {
    hooks: {
      'membership.payment:before': [before('payment'), () => undefined],
      'membership.subscribe:before': before('subscribe'),
      'membership.change:before': before('change'),
      'membership.renew:before': async (event) => before('renew')(event),
      'membership.cancel:before': before('cancel'),
    },
  })
  const { fake, site } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await fake.advance({ ms: 10_000 })
  t.is((await visitor.send(`/membership/cancel/${id}`)).status, 200)
  asked.length = 0
  refuse = 'Not on Sundays.'
  // What a change would cost is asked, so that the hook can be told.
  const posts = () =>
    fake.requests().filter(({ method, path }) => method === 'POST' && !path.endsWith('create_preview')).length
  const requests = posts()
  const stranger = createVisitor(site)
  for (const [who, path, fields] of [
    [stranger, '/membership/payment', { product: 'price_book' }],
    [stranger, '/membership/subscribe/team', {}],
    [visitor, `/membership/change/${id}`, { plan: 'team' }],
    [visitor, `/membership/renew/${id}`, {}],
    [visitor, `/membership/resume/${id}`, {}],
    [visitor, `/membership/cancel/${id}`, { when: 'now' }],
  ] as const) {
    const answer = await who.send(path, fields as Record<string, string>)
    t.is(answer.status, 403, path)
    t.is(answer.json.code, 'ERR_REFUSED', path)
    t.is(answer.json.detail, 'Not on Sundays.', path)
  }
  t.deepEqual(asked, ['payment', 'subscribe', 'change', 'renew', 'renew', 'cancel'])
  t.is(posts(), requests)
})

test('a failing before-hook stops the action without revealing the error', async (t) => {
  const { fake, site, log } = await openStripeSite(t, {
    hooks: {
      'membership.subscribe:before': () => {
        throw new Error('password=hunter2')
      },
    },
  })
  const answer = await createVisitor(site).send('/membership/subscribe/team')
  t.is(answer.status, 500)
  t.false(answer.text.includes('hunter2'))
  t.true(log.some((line) => line.includes('hunter2')))
  t.is(fake.objects.list('checkout.session').length, 0)
})

test('a failing hook is retried with growing delays, and blocks only its member', async (t) => {
  let broken = true
  const { hooks, told, tries, names } = listen(
    ({ name, member }) => broken && member === 'ann@example.com' && name === 'member.created',
  )
  const opened = await openStripeSite(t, { hooks })
  const { fake, m } = opened
  // Bob first: buying moves the clock, and what fails for Ann is then tried again.
  await buy(opened, 'bob@example.com')
  await buy(opened, 'ann@example.com')
  await m.runDueJobs()
  t.deepEqual(names(), [])
  t.is(names('bob@example.com').length, 5)
  t.is(tries.filter(({ member }) => member === 'ann@example.com').length, 1)
  await m.runDueJobs()
  t.is(tries.filter(({ member }) => member === 'ann@example.com').length, 1, 'not before its time')
  for (const seconds of [5, 20, 80]) {
    await fake.advance({ ms: seconds * 1000 - 1 })
    await m.runDueJobs()
    const before = tries.length
    await fake.advance({ ms: 1 })
    await m.runDueJobs()
    t.is(tries.length, before + 1, `after ${seconds} seconds`)
  }
  const [waiting] = await m.operator.outbox.list()
  t.is(waiting?.error, 'the hook failed')
  broken = false
  await fake.advance({ days: 1 })
  await m.runDueJobs()
  t.is(names()[0], 'member.created')
  t.is(names().length, 5)
  t.is(new Set(told.map(({ id }) => id)).size, told.length)
  t.is(
    new Set(
      tries.filter(({ name, member }) => name === 'member.created' && member[0] === 'a').map(({ id }) => id),
    ).size,
    1,
  )
})

test('hooks left undelivered by a crash are delivered by the next process with the same ids', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(database.close)
  const url = await database.url()
  const dying = listen(() => true)
  const opened = await openStripeSite(t, { hooks: dying.hooks, 'membership.database.url': url })
  await buy(opened, 'ann@example.com')
  // Told, but in vain; then the process is gone.
  await opened.m.runDueJobs()
  await opened.m.close()
  t.true(dying.tries.length > 0)
  const next = listen()
  await opened.fake.advance({ ms: 130_000 })
  const second = await opened.another({ hooks: next.hooks })
  await second.m.runDueJobs()
  t.is(next.names().length, 5)
  t.is(next.names()[0], 'member.created')
  t.is(next.told[0]?.id, dying.tries[0]?.id)
})

for (const databases of allDatabases)
  test.serial(
    `two processes deliver everything in order, and duplicates only with the same id (${databases.name})`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      let count = 0
      const { hooks, told } = listen(() => ++count % 7 === 0)
      const opened = await openStripeSite(t, {
        hooks,
        'membership.database.url': await database.url(),
        'membership.secret': 'one secret for all processes of this site',
      })
      const { fake, m } = opened
      const second = await opened.another()
      const emails = Array.from({ length: 6 }, (_, n) => `member${n}@example.com`)
      for (const email of emails) {
        await buy(opened, email)
        await Promise.all([m.runDueJobs(), second.m.runDueJobs()])
      }
      for (const when of ['period_end', 'resume', 'now'] as const) {
        await fake.advance({ ms: 10_000 })
        for (const email of emails) {
          const user = (await m.users.findByEmail(email))!
          const target = { user, subscriptionId: user.subscriptions()[0]!.id }
          await (when === 'resume'
            ? m.subscriptions.resume(target)
            : second.m.subscriptions.cancel({ ...target, when }))
        }
        await Promise.all([fake.deliver(), m.runDueJobs(), second.m.runDueJobs(), m.runDueJobs()])
      }
      for (let n = 0; n < 20; n++) {
        await fake.advance({ ms: 200_000 })
        await Promise.all([m.runDueJobs(), second.m.runDueJobs()])
      }
      t.deepEqual(await m.operator.outbox.list(), [])
      for (const email of emails) {
        const own = told.filter(({ member }) => member === email)
        const once = own.filter(({ id }, n) => own.findIndex((item) => item.id === id) === n)
        const names = once
          .map(({ name }) => name)
          .filter((name) => name.startsWith('subscription.') && !/payment/.test(name))
        t.deepEqual(
          names,
          ['subscription.started', 'subscription.canceled', 'subscription.renewed', 'subscription.canceled'],
          email,
        )
        t.is(once.filter(({ name }) => name === 'member.created').length, 1)
        const at = once.map((item) => item.at)
        t.deepEqual(at, at.toSorted(), 'in order')
      }
    },
  )

test('access that opens or closes by time alone is notified on time', async (t) => {
  const { hooks, told } = listen()
  const { m, fake } = await openStripeSite(t, { hooks })
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  const now = fake.now().getTime()
  await m.users.grant({
    memberId: ann.id,
    gate: 'pro',
    startsAt: new Date(now + 864e5),
    expiresAt: new Date(now + 3 * 864e5),
  })
  await settle(m)
  t.deepEqual(
    told.map(({ name }) => name),
    ['member.created'],
  )
  const changes = () => told.filter(({ name }) => name === 'access.changed').map(({ data }) => data)
  await fake.advance({ days: 1 })
  await settle(m)
  t.deepEqual(changes(), [{ opened: ['pro'], closed: [] }])
  await fake.advance({ days: 1 })
  await settle(m)
  t.is(changes().length, 1)
  await fake.advance({ days: 1 })
  await settle(m)
  t.deepEqual(changes()[1], { opened: [], closed: ['pro'] })
})

test('a cancelled membership without an end event closes its access on time', async (t) => {
  const { hooks, told } = listen()
  const opened = await openStripeSite(t, { hooks })
  const { m, fake } = opened
  const { visitor, id, user } = await buy(opened, 'ann@example.com')
  await fake.advance({ ms: 10_000 })
  await visitor.send(`/membership/cancel/${id}`)
  await fake.deliver()
  await settle(m)
  told.length = 0
  // Nothing is delivered from here, and the provider answers nothing.
  fake.outage({ kind: '500' })
  await fake.advance(new Date(Date.parse(user.subscriptions()[0]!.current_period_end!) + 1000))
  await settle(m)
  t.false((await m.users.findByEmail('ann@example.com'))?.hasGate('pro' as never))
  t.deepEqual(
    told.map(({ name, data }) => [name, data.closed]),
    [['access.changed', ['price_month', 'pro']]],
  )
})

test('a site that enables hooks is notified of what follows, not of the past', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(database.close)
  const opened = await openStripeSite(t, { 'membership.database.url': await database.url() })
  const { fake } = opened
  await buy(opened, 'ann@example.com')
  await settle(opened.m)
  await opened.m.close()
  await fake.advance({ days: 3 })
  const { hooks, told, names } = listen()
  const second = await opened.another({ hooks })
  await settle(second.m)
  await fake.advance({ days: 1 })
  const user = (await second.m.users.findByEmail('ann@example.com'))!
  const subscriptionId = user.subscriptions()[0]!.id
  await second.m.subscriptions.cancel({ user, subscriptionId, when: 'now' })
  await settle(second.m)
  t.deepEqual(
    names().filter((name) => !['subscription.canceled', 'access.changed'].includes(name)),
    [],
    JSON.stringify(told),
  )
  t.true(names().includes('subscription.canceled'), 'what happens from now on is news')
})

test('a host’s own users are written in order, and created once', async (t) => {
  const users = new Map<string, { id: string; email: string }>()
  const written: { id: string; field: string; document: { subscriptions: { price_id: string }[] } }[] = []
  let failures = 2
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.change.downgrade': 'now',
    userStore: {
      find: async ({ email }) => users.get(email) ?? null,
      create: async ({ email, roles }) => {
        t.false(users.has(email))
        t.deepEqual(roles, ['member'])
        users.set(email, { id: `host-${users.size}`, email })
        return users.get(email)!
      },
      writeField: async (id, field, document) => {
        if (failures-- > 0) throw new Error('the host is busy')
        written.push(JSON.parse(JSON.stringify({ id, field, document })))
      },
    },
  })
  const { fake, m } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await m.runDueJobs()
  for (const price of ['price_team', 'price_month', 'price_year']) {
    await fake.advance({ ms: 10_000 })
    t.is((await visitor.send(`/membership/change/${id}`, { price })).status, 200)
    await fake.deliver()
    await m.runDueJobs()
  }
  for (let n = 0; n < 3; n++) {
    await fake.advance({ ms: 60_000 })
    await m.runDueJobs()
  }
  const prices = written.map(({ document }) => document.subscriptions[0]?.price_id)
  const steps = prices.filter((price, n) => price !== prices[n - 1])
  // What could not be written at once is written as it is by then.
  const changes = ['price_month', 'price_team', 'price_month', 'price_year']
  let place = -1
  for (const price of steps) {
    place = changes.indexOf(price!, place + 1)
    t.true(place >= 0, `${steps}: in order`)
  }
  t.is(steps.at(-1), 'price_year')
  t.true(written.every(({ id: host, field }) => host === 'host-0' && field === 'stripe'))
})
