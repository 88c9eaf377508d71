import test, { type ExecutionContext } from 'ava'
import type { MembershipOptions, User } from '../../src/index.ts'
import { allDatabases } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'
import { isBroken, raceForSeats } from '../support/seats-race.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { askFake, buy, createMailbox, createVisitor, logIn } from '../support/visitor.ts'

async function open(t: ExecutionContext, options: MembershipOptions = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.plans': {
      team: {
        seats: 'quantity',
        quantity: { max: 20 },
        prices: [{ id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' }],
      },
    },
    ...options,
  })
  const { m, site } = opened
  const userOf = async (email: string): Promise<User> => (await m.users.findByEmail(email))!
  const team = async (email: string) => (await userOf(email)).explain('team' as never)
  const { visitor, id } = await buy(opened, 'ann@example.com', {
    path: '/membership/subscribe/team',
    quantity: '3',
  })
  const invite = (email: string) => m.teams.invite({ subscriptionId: id, email })
  /** Somebody who opens the link of the mail, and takes the seat. */
  const joins = async (email: string) => {
    await m.runDueJobs()
    const [link] = /\/membership\/join\/\S+/.exec(mailbox.of(email, 'group-invitation').at(-1)!.text)!
    if (!(await m.users.findByEmail(email))) await m.users.create({ email, verified: true })
    const person = await logIn({ m, site }, mailbox, email)
    return { person, link, answer: await person.send(link) }
  }
  return { ...opened, mailbox, userOf, team, visitor, id, invite, joins }
}

test('a buyer invites, members take their seats by a link that works once, and see nothing of the money', async (t) => {
  const { m, id, visitor, invite, joins, team, userOf } = await open(t)
  const invited = await visitor.send(`/membership/group/${id}`, {
    emails: 'ben@example.com\ncid@example.com',
  })
  t.like(invited.json, { seats: 3, free: 0 })
  const refused = await visitor.send(`/membership/group/${id}`, { email: 'dan@example.com' })
  t.like(refused.json, { code: 'ERR_ACTION_REFUSED', reason: 'no_seat' })
  const { person: ben, link, answer } = await joins('ben@example.com')
  t.is(answer.status, 200, answer.text)
  t.is((await ben.send(link)).status, 200, 'again by the same member')
  t.like(await team('ben@example.com'), { open: true, reason: 'seat' })
  await joins('cid@example.com')
  const eve = await m.users.create({ email: 'eve@example.com', verified: true })
  const none = { code: 'ERR_NOT_FOUND', message: 'No team is paid by the subscription "sub_none".' }
  await t.throwsAsync(m.teams.invite({ subscriptionId: 'sub_none', email: 'eve@example.com' }), none)
  await t.throwsAsync(m.teams.leave({ subscriptionId: 'sub_none', user: eve }), { code: 'ERR_NOT_FOUND' })
  t.is(
    (await ben.get(`/membership/group/${id}`, { accept: 'application/json' })).status,
    404,
    'not a manager',
  )
  t.deepEqual((await userOf('ben@example.com')).payments(), [])

  const [first] = (await m.teams.find(id)).members
  await visitor.send(`/membership/group/${id}/remove`, { seat: first!.id })
  t.false((await team('ben@example.com')).open)
  t.true((await team('cid@example.com')).open)
  await invite('dan@example.com')
  await joins('dan@example.com')
  t.true((await team('dan@example.com')).open)
  await m.teams.transfer({ subscriptionId: id, to: (await userOf('dan@example.com')).id })
  t.is((await m.teams.of(await userOf('dan@example.com'))).managed.length, 1)
})

test('seats end with the subscription, and a lower number lets the newest go at the period’s end', async (t) => {
  const { m, fake, id, invite, joins, team, mailbox } = await open(t)
  for (const email of ['ben@example.com', 'cid@example.com']) {
    await invite(email)
    await joins(email)
  }
  const item = fake.objects.list('subscription')[0]!.items.data[0]!
  const lower = new URLSearchParams({
    'items[0][id]': item.id,
    'items[0][quantity]': '2',
    proration_behavior: 'none',
  })
  const headers = { authorization: `Bearer ${fake.secret}` }
  await fetch(`${fake.url}/v1/subscriptions/${id}`, { method: 'POST', headers, body: lower })
  await fake.deliver()
  await m.runDueJobs()
  t.is(mailbox.of('ann@example.com', 'group-fewer').length, 1, 'the buyer is asked who leaves')
  t.true((await team('cid@example.com')).open, 'paid until the end of the period')
  await fake.advance({ days: 32 })
  await fake.deliver()
  await m.runDueJobs()
  t.true((await team('ben@example.com')).open)
  t.false((await team('cid@example.com')).open, 'the newest seat')
  t.is(mailbox.of('cid@example.com', 'group-ended').length, 1)

  await fetch(`${fake.url}/v1/subscriptions/${id}`, { method: 'DELETE', headers })
  await fake.deliver()
  await m.runDueJobs()
  t.false((await team('ben@example.com')).open)
})

test('when the buyer leaves, what was paid stays open to its end, and managers are asked', async (t) => {
  const { m, fake, id, joins, team, mailbox, userOf } = await open(t)
  await m.teams.invite({ subscriptionId: id, email: 'ben@example.com', role: 'manager' })
  await joins('ben@example.com')
  await fake.advance({ days: 3 })
  await m.users.delete((await userOf('ann@example.com')).id)
  await fake.deliver()
  await m.runDueJobs()
  t.like(await team('ben@example.com'), { open: true, reason: 'seat' })
  t.is(mailbox.of('ben@example.com', 'group-takeover').length, 1)
  await fake.advance({ days: 24 })
  await m.runDueJobs()
  t.is(mailbox.of('ben@example.com', 'group-reminder').length, 0)
  await fake.advance({ days: 2 })
  await m.runDueJobs()
  await m.runDueJobs()
  t.is(mailbox.of('ben@example.com', 'group-reminder').length, 1, 'once more, three days before the end')
  t.regex(mailbox.of('ben@example.com', 'group-reminder')[0]!.text, /15 February/)
  await fake.advance({ days: 4 })
  t.false((await team('ben@example.com')).open)
})

test('a deletion that its provider interrupts asks the managers once', async (t) => {
  const { m, fake, id, joins, mailbox, userOf, team } = await open(t)
  await m.teams.invite({ subscriptionId: id, email: 'ben@example.com', role: 'manager' })
  await joins('ben@example.com')
  const end = fake.outage({ kind: '503', requests: 1000 })
  await m.users.delete((await userOf('ann@example.com')).id)
  for (const minutes of [2, 10]) {
    await fake.advance({ ms: minutes * 60_000 })
    await m.runDueJobs()
  }
  end()
  await fake.advance({ ms: 3_600_000 })
  await m.runDueJobs()
  await fake.deliver()
  await m.runDueJobs()
  t.is(await m.users.findByEmail('ann@example.com'), null)
  t.is(mailbox.of('ben@example.com', 'group-takeover').length, 1)
  t.true((await team('ben@example.com')).open)
})

test('nobody is asked again once a manager has bought the plan', async (t) => {
  const { m, fake, id, site, joins, mailbox, userOf } = await open(t)
  await m.teams.invite({ subscriptionId: id, email: 'ben@example.com', role: 'manager' })
  const { person } = await joins('ben@example.com')
  await m.users.delete((await userOf('ann@example.com')).id)
  await fake.deliver()
  await m.runDueJobs()
  await buy({ fake, m, site }, 'ben@example.com', {
    path: '/membership/subscribe/team',
    quantity: '2',
    visitor: person,
  })
  await fake.advance({ days: 30 })
  await m.runDueJobs()
  t.is(mailbox.of('ben@example.com', 'group-takeover').length, 1)
  t.is(mailbox.of('ben@example.com', 'group-reminder').length, 0)
})

test('seats go on with the subscription that the buyer has instead, and count on together', async (t) => {
  const { m, fake, id, invite, joins, team, visitor, site, userOf } = await open(t, {
    'membership.providers.stripe.plans': {
      team: {
        seats: 'quantity',
        quantity: { max: 20 },
        limits: { exports: { amount: 4, every: 'year', shared: true } },
        prices: [{ id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' }],
      },
    },
  })
  for (const email of ['ben@example.com', 'cid@example.com']) {
    await invite(email)
    await joins(email)
  }
  const left = async (email: string) => (await userOf(email)).limit('exports' as never).left
  await m.limits.use(await userOf('ben@example.com'), 'exports' as never, 1, { key: 'a' })
  await m.limits.use(await userOf('ann@example.com'), 'exports' as never, 2)
  t.deepEqual(await Promise.all(['ann', 'ben', 'cid'].map((name) => left(`${name}@example.com`))), [1, 1, 1])
  const cid = await userOf('cid@example.com')
  await t.throwsAsync(m.limits.use(cid, 'exports' as never, 2), { code: 'ERR_LIMIT' })
  await m.limits.release(await userOf('ben@example.com'), 'exports' as never, { key: 'a' })
  t.is(await left('cid@example.com'), 2, 'what one gives back, another may take')

  const headers = { authorization: `Bearer ${fake.secret}` }
  await fetch(`${fake.url}/v1/subscriptions/${id}`, { method: 'DELETE', headers })
  await fake.deliver()
  await m.runDueJobs()
  t.false((await team('ben@example.com')).open)
  await fake.advance({ days: 1 })
  await buy({ fake, m, site }, 'ann@example.com', {
    path: '/membership/subscribe/team',
    quantity: '2',
    visitor,
  })
  await m.runDueJobs()
  t.like(await team('ben@example.com'), { open: true, reason: 'seat' })
  t.false((await team('cid@example.com')).open, 'two seats: the buyer’s and the oldest')
  t.is(await left('ben@example.com'), 2, 'the count goes on, too')
  t.is(await left('cid@example.com'), 0)
})

test('a buyer who cancels at once and buys again in the same month goes on with the count that seats share', async (t) => {
  const { m, fake, id, visitor, site, userOf } = await open(t, {
    'membership.providers.stripe.plans': {
      team: {
        seats: 'quantity',
        quantity: { max: 20 },
        limits: { exports: { amount: 4, every: 'month', shared: true } },
        prices: [{ id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' }],
      },
    },
  })
  await m.limits.use(await userOf('ann@example.com'), 'exports' as never, 4)
  await m.subscriptions.cancel({
    user: await userOf('ann@example.com'),
    subscriptionId: id,
    when: 'now',
  })
  await fake.advance({ ms: 5000 })
  await fake.deliver()
  await m.runDueJobs()
  await buy({ fake, m, site }, 'ann@example.com', {
    path: '/membership/subscribe/team',
    quantity: '2',
    visitor,
  })
  await m.runDueJobs()
  const ann = await userOf('ann@example.com')
  t.is(ann.subscriptions().length, 2)
  t.is(ann.limit('exports' as never).left, 0)
})

for (const shared of [false, true])
  test(`a seat that changes hands ${shared ? 'goes on with a shared count' : 'gives each person a count of their own'}`, async (t) => {
    const { m, id, invite, joins, userOf } = await open(t, {
      'membership.providers.stripe.plans': {
        team: {
          seats: 'quantity',
          quantity: { max: 20 },
          limits: { exports: { amount: 4, every: 'year', shared } },
          prices: [{ id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' }],
        },
      },
    })
    const limitOf = async (email: string) => (await userOf(email)).limit('exports' as never)
    await invite('ben@example.com')
    await joins('ben@example.com')
    await m.limits.use(await userOf('ben@example.com'), 'exports' as never, 3)
    await m.teams.leave({ subscriptionId: id, user: await userOf('ben@example.com') })
    await invite('cid@example.com')
    await joins('cid@example.com')
    t.is((await limitOf('cid@example.com')).left, shared ? 1 : 4)
    await invite('ben@example.com')
    await joins('ben@example.com')
    t.is((await limitOf('ben@example.com')).left, 1, 'nobody begins anew by leaving')
  })

test('a disputed payment asks the managers to take over, once', async (t) => {
  const { m, fake, id, invite, joins, mailbox } = await open(t)
  await m.teams.invite({ subscriptionId: id, email: 'ben@example.com', role: 'manager' })
  await joins('ben@example.com')
  await invite('cid@example.com')
  await joins('cid@example.com')
  const charge = fake.objects.list('charge').find(({ paid }) => paid)!
  fake.dispute(charge.id)
  for (let n = 0; n < 3; n++) {
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    await m.runDueJobs()
  }
  t.is(mailbox.of('ben@example.com', 'group-disputed').length, 1)
  t.is(mailbox.of('cid@example.com', 'group-disputed').length, 0, 'there is a manager')
  await fake.advance({ days: 28 })
  await m.runDueJobs()
  t.is(mailbox.of('ben@example.com', 'group-reminder').length, 1, 'three days before the period ends')
  t.is(mailbox.of('cid@example.com', 'group-reminder').length, 0)
})

test('a dispute that was won asks nobody again', async (t) => {
  const { m, fake, id, joins, mailbox } = await open(t)
  await m.teams.invite({ subscriptionId: id, email: 'ben@example.com', role: 'manager' })
  await joins('ben@example.com')
  const charge = fake.objects.list('charge').find(({ paid }) => paid)!
  fake.dispute(charge.id)
  const arrive = async () => {
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    await m.runDueJobs()
  }
  await arrive()
  t.is(mailbox.of('ben@example.com', 'group-disputed').length, 1)
  const [dispute] = fake.objects.list('dispute')
  fake.closeDispute(dispute!.id, 'won')
  await arrive()
  await fake.advance({ days: 28 })
  await m.runDueJobs()
  t.is(mailbox.of('ben@example.com', 'group-reminder').length, 0)
})

test('somebody with a seat takes no second one, and a group without a manager asks all its members', async (t) => {
  const { m, fake, id, invite, joins, mailbox, userOf } = await open(t)
  await invite('ben@example.com')
  const { person } = await joins('ben@example.com')
  await invite('other@example.com')
  await m.runDueJobs()
  const [link] = /\/membership\/join\/\S+/.exec(mailbox.of('other@example.com', 'group-invitation')[0]!.text)!
  t.is((await person.send(link)).status, 200)
  t.like(await m.teams.find(id), { free: 1, members: [{ email: 'ben@example.com' }] })
  await fake.advance({ days: 3 })
  await m.users.delete((await userOf('ann@example.com')).id)
  await fake.deliver()
  await m.runDueJobs()
  t.is(mailbox.of('ben@example.com', 'group-takeover').length, 1)
})

test('a pause closes all seats, and they are open again once it is resumed', async (t) => {
  const { m, fake, id, invite, joins, team, userOf, visitor } = await open(t, {
    'membership.providers.stripe.pause': { max_days: 90 },
  })
  const see = async (action: string, language = 'en') =>
    (await visitor.get(`/membership/${action}/${id}`, { accept: 'text/html', 'accept-language': language }))
      .text
  t.regex(
    await see('pause'),
    /until the pause ends\. Everybody with a seat loses access for that time, too\./,
  )
  t.regex(await see('pause', 'de'), /Auch alle, die einen Platz haben, haben in dieser Zeit keinen Zugang\./)
  t.regex(await see('cancel'), /You keep .*\. Everybody with a seat loses access then, too\./)
  await invite('ben@example.com')
  await joins('ben@example.com')
  const pass = async (by: { days?: number; ms?: number }) => {
    await fake.advance(by)
    await fake.deliver()
    await m.runDueJobs()
  }
  await m.subscriptions.pause({ user: await userOf('ann@example.com'), subscriptionId: id })
  await pass({ days: 32 })
  t.false((await team('ben@example.com')).open)
  await m.subscriptions.resume({ user: await userOf('ann@example.com'), subscriptionId: id })
  await pass({ ms: 5000 })
  await pass({ ms: 5000 })
  t.like(await team('ben@example.com'), { open: true, reason: 'seat' })
})

test('a refund that ends the subscription closes all seats', async (t) => {
  const { m, fake, id, invite, joins, team, userOf } = await open(t)
  await invite('ben@example.com')
  await joins('ben@example.com')
  await m.payments.refund({ payment: (await userOf('ann@example.com')).payments()[0]! })
  await askFake(fake, 'DELETE', `/v1/subscriptions/${id}`)
  await fake.advance({ ms: 5000 })
  await fake.deliver()
  await m.runDueJobs()
  t.false((await team('ben@example.com')).open)
})

test('a team that has ended invites nobody, and its links neither let in nor create an account', async (t) => {
  const { m, fake, site, id, visitor, invite, joins, mailbox, userOf } = await open(t)
  await m.teams.invite({ subscriptionId: id, email: 'mia@example.com', role: 'manager' })
  const { person: mia } = await joins('mia@example.com')
  await invite('early@example.com')
  await m.runDueJobs()
  const [link] = /\/membership\/join\/\S+/.exec(
    mailbox.of('early@example.com', 'group-invitation').at(-1)!.text,
  )!
  await m.payments.refund({ payment: (await userOf('ann@example.com')).payments()[0]! })
  await askFake(fake, 'DELETE', `/v1/subscriptions/${id}`)
  await fake.advance({ ms: 5000 })
  await fake.deliver()
  await m.runDueJobs()
  for (const person of [visitor, mia]) {
    const refused = await person.send(`/membership/group/${id}`, { email: 'stranger@example.com' })
    t.like(refused.json, { code: 'ERR_ACTION_REFUSED', reason: 'group_closed' })
  }
  await m.runDueJobs()
  t.deepEqual(mailbox.of('stranger@example.com'), [])
  t.is(mailbox.of('early@example.com', 'group-invitation').length, 1)
  await createVisitor(site).send('/membership/login', { email: 'early@example.com', redirect: link })
  await m.runDueJobs()
  t.is(mailbox.of('early@example.com').length, 1, 'the invitation alone')
  t.is(await m.users.findByEmail('early@example.com'), null)
  await m.users.create({ email: 'early@example.com', verified: true })
  const early = await logIn({ m, site }, mailbox, 'early@example.com')
  t.is((await early.send(link)).code, 'ERR_LINK')
})

test('an address that is invited or has joined becomes a manager by another invitation, and stays one', async (t) => {
  const { m, id, visitor, invite, joins, userOf } = await open(t)
  await invite('mia@example.com')
  const rolesOf = async () => (await m.teams.find(id)).members.map(({ role }) => role)
  t.deepEqual(await rolesOf(), ['member'])
  await visitor.send(`/membership/group/${id}`, { email: 'mia@example.com', role: 'manager' })
  t.deepEqual(await rolesOf(), ['manager'])
  await visitor.send(`/membership/group/${id}`, { email: 'mia@example.com' })
  t.deepEqual(await rolesOf(), ['manager'], 'the form says member unless told otherwise')
  await invite('ben@example.com')
  const { person: ben } = await joins('ben@example.com')
  t.is((await ben.get(`/membership/group/${id}`, { accept: 'application/json' })).status, 404)
  await visitor.send(`/membership/group/${id}`, { email: 'ben@example.com', role: 'manager' })
  t.is((await ben.get(`/membership/group/${id}`, { accept: 'application/json' })).status, 200)
  t.is((await m.teams.of(await userOf('ben@example.com'))).managed.length, 1)
})

test('an invitation whose seat was given away lets nobody in, however late a process has it', async (t) => {
  const { m, fake, id, another, invite, mailbox, joins } = await open(t)
  await invite('ben@example.com')
  await m.runDueJobs()
  const [link] = /\/membership\/join\/\S+/.exec(mailbox.of('ben@example.com', 'group-invitation')[0]!.text)!
  const sent = fake.now()
  await fake.advance({ days: 15 })
  for (const name of ['cid', 'dan']) {
    await invite(`${name}@example.com`)
    await joins(`${name}@example.com`)
  }
  const late = await another({
    now: () => sent,
    identify: () => ({ email: 'ben@example.com' }),
  })
  const refused = await createVisitor(late.site).send(link)
  t.is(refused.code, 'ERR_LINK', refused.text)
  const { free, members } = await m.teams.find(id)
  t.is(free, 0)
  t.deepEqual(
    members.map(({ email }) => email),
    ['cid@example.com', 'dan@example.com'],
  )
})

test('a seat is free again when its member is deleted, and a list as CSV invites several', async (t) => {
  const { m, id, visitor, joins, userOf } = await open(t)
  const csv = 'name,email\n"Lee, Ben",ben@example.com\nCid,cid@example.com\n'
  t.like((await visitor.send(`/membership/group/${id}`, { emails: csv })).json, { free: 0 })
  await joins('ben@example.com')
  await m.users.delete((await userOf('ben@example.com')).id)
  await m.runDueJobs()
  const { free, members } = await m.teams.find(id)
  t.is(free, 1)
  t.deepEqual(
    members.map(({ email, status }) => [email, status]),
    [['cid@example.com', 'invited']],
  )
  const rows = await m.storage.read((db) => db.selectFrom('group_seats').select('email'))
  t.false(JSON.stringify(rows).includes('ben@'))
})

test('somebody in two groups with a purchase of their own loses only what ends, and each has the whole limit', async (t) => {
  const opened = await open(t, {
    'membership.providers.stripe.plans': {
      team: {
        seats: 'quantity',
        quantity: { max: 20 },
        limits: { exports: { amount: 4, every: 'year' } },
        prices: [{ id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' }],
      },
    },
  })
  const { m, fake, site, id, invite, joins, team, userOf } = opened
  const { visitor: dan, id: second } = await buy(opened, 'dan@example.com', {
    path: '/membership/subscribe/team',
    quantity: '2',
  })
  await invite('ben@example.com')
  const { person } = await joins('ben@example.com')
  await m.teams.invite({ subscriptionId: second, email: 'ben@example.com' })
  await joins('ben@example.com')
  t.is((await m.teams.of(await userOf('ben@example.com'))).seats.length, 2)
  await m.limits.use(await userOf('ben@example.com'), 'exports' as never, 3)
  t.is((await userOf('ben@example.com')).limit('exports' as never).left, 1, 'one allowance for two seats')
  t.is((await userOf('ann@example.com')).limit('exports' as never).left, 4, 'each seat has the whole amount')
  const end = async (subscription: string) => {
    await askFake(fake, 'DELETE', `/v1/subscriptions/${subscription}`)
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    await m.runDueJobs()
  }
  await end(id)
  t.like(await team('ben@example.com'), { open: true, reason: 'seat' })
  const own = await buy({ fake, m, site }, 'ben@example.com', {
    path: '/membership/subscribe/team',
    quantity: '1',
    visitor: person,
  })
  await end(second)
  t.like(await team('ben@example.com'), { open: true, reason: 'subscription', by: own.id })
  t.is((await userOf('ben@example.com')).limit('exports' as never).left, 1)
  t.is((await dan.get(`/membership/group/${own.id}`, { accept: 'application/json' })).status, 404)
})

for (const database of allDatabases)
  test(`${database.name}: invitations at once never share a seat, in four processes`, async (t) => {
    const opened = await database()
    t.teardown(opened.close)
    const url = await opened.url()
    const { m, id, another } = await open(t, { 'membership.database.url': url })
    const processes = [m, ...(await Promise.all([1, 2, 3].map(async () => (await another()).m)))]
    const tries = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) =>
        processes[at % processes.length]!.teams.invite({ subscriptionId: id, email: `m${at}@example.com` }),
      ),
    )
    t.is(tries.filter(({ status }) => status === 'fulfilled').length, 2)
    t.is((await m.teams.find(id)).free, 0)
    t.true(
      tries.every((result) => result.status === 'fulfilled' || result.reason.reason === 'no_seat'),
      'whoever comes too late is told so',
    )
  })

// `npm run simulate -- --seats` does it with 16 processes.
for (const database of allDatabases)
  thorough(test)(
    `${database.name}: processes that are killed midway give no seat twice and lose none`,
    async (t) => {
      const opened = await database()
      t.teardown(opened.close)
      const size = { processes: 4, calls: 120, groups: 2, seats: 8, kills: 2 }
      const result = await raceForSeats({ url: await opened.url(), ...size })
      t.false(isBroken(result), JSON.stringify(result))
      t.true(result.refused > 0 && result.killed === 2, JSON.stringify(result))
    },
  )
