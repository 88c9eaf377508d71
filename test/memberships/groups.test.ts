import test, { type ExecutionContext } from 'ava'
import type { MembershipOptions, User } from '../../src/index.ts'
import { allDatabases } from '../support/databases.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, logIn } from '../support/visitor.ts'

const open = async (t: ExecutionContext, options: MembershipOptions = {}) => {
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
    ...{ path: '/membership/subscribe/team', quantity: '3' },
  })
  const invite = (email: string) => m.groups.invite({ subscriptionId: id, email })
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
  await t.throwsAsync(m.groups.leave({ subscriptionId: 'sub_none', user: eve }), { code: 'ERR_NOT_FOUND' })
  t.is(
    (await ben.get(`/membership/group/${id}`, { accept: 'application/json' })).status,
    404,
    'not a manager',
  )
  t.deepEqual((await userOf('ben@example.com')).payments(), [])

  const [first] = (await m.groups.find(id)).members
  await visitor.send(`/membership/group/${id}/remove`, { seat: first!.id })
  t.false((await team('ben@example.com')).open)
  t.true((await team('cid@example.com')).open)
  await invite('dan@example.com')
  await joins('dan@example.com')
  t.true((await team('dan@example.com')).open)
  await m.groups.transfer({ subscriptionId: id, to: (await userOf('dan@example.com')).id })
  t.is((await m.groups.of(await userOf('dan@example.com'))).managed.length, 1)
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
  await m.groups.invite({ subscriptionId: id, email: 'ben@example.com', role: 'manager' })
  await joins('ben@example.com')
  await fake.advance({ days: 3 })
  await m.users.delete((await userOf('ann@example.com')).id)
  await fake.deliver()
  await m.runDueJobs()
  t.like(await team('ben@example.com'), { open: true, reason: 'seat' })
  t.is(mailbox.of('ben@example.com', 'group-takeover').length, 1)
  await fake.advance({ days: 30 })
  t.false((await team('ben@example.com')).open)
})

for (const database of allDatabases)
  test(`${database.name}: invitations at once never share a seat, in two processes`, async (t) => {
    const opened = await database()
    t.teardown(opened.close)
    const url = await opened.url()
    const { m, id, restartBeside } = {
      ...(await open(t, { 'membership.database.url': url })),
      restartBeside: null,
    }
    t.is(restartBeside, null)
    const tries = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) =>
        m.groups.invite({ subscriptionId: id, email: `m${at}@example.com` }),
      ),
    )
    t.is(tries.filter(({ status }) => status === 'fulfilled').length, 2)
    t.is((await m.groups.find(id)).free, 0)
  })
