import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createOperators } from '../../src/office/operators.ts'
import { confirm, enrol, openOfficeSite } from '../support/office.ts'
import { Database } from '../support/sqlite.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from '../support/visitor.ts'

test('a restored older database admits nobody, deletes again, and notifies nobody twice', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-restored-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'site.db')
  const copy = join(folder, 'copy.db')
  const told: string[] = []
  const mailbox = createMailbox()
  const hooks = { 'subscription.canceled': ({ id }: { id: string }) => void told.push(id) }
  const opened = await openStripeSite(t, {
    'membership.database.url': `sqlite:${file}`,
    hooks,
    ...mailbox.options,
  })
  const { m, fake, another } = opened
  const ada = await buy(opened, 'ada@example.com')
  const bob = await buy(opened, 'bob@example.com')
  const asking = createVisitor(opened.site)
  await asking.send('/membership/login', { email: 'ada@example.com' })
  await m.runDueJobs()
  const link = mailbox.link('ada@example.com')
  new Database(file).exec(`vacuum into '${copy}'`)

  // What the copy knows nothing of.
  t.is((await asking.send(link)).status, 200)
  t.is((await ada.visitor.send(`/membership/cancel/${ada.id}`, { when: 'now' })).status, 200)
  await fake.advance({ ms: 60_000 })
  await fake.deliver()
  await m.runDueJobs()
  t.is(told.length, 1)
  t.is((await bob.visitor.send('/membership/account/delete', { confirm: 'delete' })).status, 200)
  const deleted = (await m.operator.deletedSince(new Date(0))).map(({ id }) => id)
  t.deepEqual(deleted, [bob.user.id])
  t.is((await ada.visitor.send('/membership/logout', { everywhere: '1' })).status, 200)
  await m.runDueJobs()
  const mails = mailbox.sent.length
  await fake.advance({ ms: 60_000 })

  const commands = await another({ 'membership.database.url': `sqlite:${copy}`, hooks: {}, mails: undefined })
  const done = await commands.m.operator.afterRestore({ deleted: [...deleted, 'm_nobody'] })
  t.is(done.ended.links, 1)
  t.true(done.ended.sessions >= 1)
  t.deepEqual([done.deleted, done.unknown], [deleted, ['m_nobody']])
  t.deepEqual((await commands.m.operator.afterRestore({ deleted })).ended, {
    sessions: 0,
    links: 0,
    emailChanges: 0,
    returnPages: 0,
    feeds: 0,
  })
  await commands.close()

  const restored = await another({ 'membership.database.url': `sqlite:${copy}` })
  const again = createVisitor(restored.site)
  t.is((await again.send(link)).status, 410, 'a link that was used')
  for (const [name, value] of ada.visitor.cookies) again.cookies.set(name, value)
  t.is((await again.get('/membership/account/export')).status, 401, 'a session that was ended')
  t.is(await restored.m.users.findByEmail('bob@example.com'), null)
  // What the copy does not have comes again, and is no news.
  for await (const _ of restored.m.webhooks.pull('stripe', new Date('2026-01-01T00:00:00Z')));
  await restored.m.runDueJobs()
  const known = await restored.m.users.findByEmail('ada@example.com')
  t.is(known?.subscriptions()[0]?.status, 'canceled')
  t.is(told.length, 1)
  t.deepEqual(
    mailbox.sent.slice(mails).map(({ kind, to }) => `${kind} ${to}`),
    [],
  )
})

test('gifts and seats of the lost days are listed for an operator, and nobody redeems a used code', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-restored-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const [file, copy] = [join(folder, 'site.db'), join(folder, 'copy.db')]
  const price = (id: string, amount: number, more: object) => ({ id, amount, currency: 'EUR', ...more })
  const opened = await openOfficeSite(t, {
    'membership.database.url': `sqlite:${file}`,
    'membership.secret': 'x'.repeat(40),
    'membership.providers.stripe.plans': {
      pro: {
        prices: [
          price('price_month', 900, { interval: 'month' }),
          price('price_gift', 9000, { gives: { plan: 'pro', months: 12 } }),
        ],
      },
      team: {
        seats: 'quantity',
        quantity: { max: 9 },
        prices: [price('price_team', 2500, { interval: 'month' })],
      },
    },
  } as never)
  const { m, fake, another, mailbox } = opened
  fake.addPrice({ id: 'price_gift', unit_amount: 9000, currency: 'eur' })
  const arrive = async (): Promise<void> => {
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    await m.runDueJobs()
    await fake.deliver()
    await m.runDueJobs()
  }
  const give = async (email: string, to?: string) => {
    const visitor = createVisitor(opened.site)
    await buy(opened, email, {
      path: '/membership/gift/pro',
      price: 'price_gift',
      visitor,
      ...(to !== undefined && { to }),
    } as never)
    await arrive()
    const user = (await m.users.findByEmail(email))!
    const [gift] = (await m.gifts.of(user)).bought
    return (await visitor.get(`/membership/gifts/${gift!.id}`, { accept: 'application/json' })).json as {
      id: string
      code: string
    }
  }
  const ofAnn = await give('ann@example.com', 'ben@example.com')
  const ofEva = await give('eva@example.com')
  const team = await buy(opened, 'tina@example.com', { path: '/membership/subscribe/team', quantity: '3' })
  await arrive()
  new Database(file).exec(`vacuum into '${copy}'`)
  await fake.advance({ ms: 3_600_000 })

  // Known to the lost days alone: Ben and Fay redeem, Carl gives Dora a year, and Tom joins the team.
  for (const [email, code] of [
    ['ben@example.com', ofAnn.code],
    ['fay@example.com', ofEva.code],
  ] as const) {
    const user = await m.users.create({ email, verified: true })
    t.is((await m.gifts.redeem({ code, user })).status, 'redeemed')
  }
  const ofCarl = await give('carl@example.com', 'dora@example.com')
  await m.teams.invite({ subscriptionId: team.id, email: 'tom@example.com' })
  await m.runDueJobs()
  const mails = mailbox.sent.length
  await fake.advance({ ms: 3_600_000 })

  const commands = await another({ 'membership.database.url': `sqlite:${copy}`, mails: undefined })
  const { held } = await commands.m.operator.afterRestore()
  t.deepEqual(held, { gifts: 2, groups: 1 })
  t.deepEqual((await commands.m.operator.afterRestore()).held, held, 'a second run changes nothing')
  await commands.close()
  const restored = await another({ 'membership.database.url': `sqlite:${copy}` })
  const { gifts, users } = restored.m
  for await (const _ of restored.m.webhooks.pull('stripe', new Date('2026-01-01T00:00:00Z')));
  const settle = async () => {
    await restored.m.runDueJobs()
    await fake.advance({ days: 1 })
    await restored.m.runDueJobs()
  }
  await settle()
  t.is(mailbox.sent.length, mails, 'what the lost days mailed is not mailed again')

  const person = (email: string) => users.create({ email, verified: true })
  const held409 = { message: /older copy of its data/ }
  await t.throwsAsync(gifts.redeem({ code: ofEva.code, user: await person('eve@example.com') }), held409)
  await t.throwsAsync(
    gifts.redeem({ code: ofAnn.code, user: (await users.findByEmail('eve@example.com'))! }),
    held409,
  )
  const ben = await gifts.redeem({ code: ofAnn.code, user: await person('ben@example.com') })
  t.is(ben.status, 'redeemed', 'the address that the gift was mailed to proves whose it is')
  await t.throwsAsync(gifts.redeem({ code: ofCarl.code, user: await person('dora@example.com') }), {
    code: 'ERR_NOT_FOUND',
  })
  const carl = (await users.findByEmail('carl@example.com'))!
  t.false(carl.hasGate('pro' as never), 'a year that was given away does not become the buyer’s own')
  t.like((await gifts.of(carl)).bought, [{ status: 'ready', closed_for: null }])

  // Today lists it, with the buttons that mend it.
  const operators = createOperators({ storage: restored.m.storage, now: () => fake.now() })
  await operators.add({ email: 'ops@example.com', role: 'operator', by: 'test' })
  await person('ops@example.com')
  const visitor = await logIn(restored, mailbox, 'ops@example.com')
  await enrol(visitor, fake.now)
  const today = (await visitor.get('/membership/office', { accept: 'text/html' })).text
  t.regex(today, /2 gifts wait for you, because an older copy was restored/)
  t.regex(today, /1 group may lack people, because an older copy was restored/)
  const list = (await visitor.get('/membership/office/gifts?held=1', { accept: 'text/html' })).text
  t.regex(list, /carl@example\.com[\s\S]*waits for you/)
  const [lost] = (await gifts.of(carl)).bought
  await confirm(visitor, `/membership/office/gifts/again?gift=${lost!.id}&to=dora%40example.com`)
  await confirm(visitor, `/membership/office/gifts/release?gift=${ofEva.id}`)
  await confirm(visitor, `/membership/office/groups/invite?group=${team.id}&email=tom%40example.com`)
  await confirm(visitor, `/membership/office/groups/checked?group=${team.id}`)
  await restored.m.runDueJobs()
  const again = /([0-9A-Z]{5}-){3}[0-9A-Z]{5}/.exec(mailbox.of('dora@example.com', 'gift').at(-1)!.text)![0]
  t.is(
    (await gifts.redeem({ code: again, user: (await users.findByEmail('dora@example.com'))! })).status,
    'redeemed',
  )
  t.is((await gifts.redeem({ code: ofEva.code, user: await person('fay@example.com') })).status, 'redeemed')
  t.is(mailbox.of('tom@example.com', 'group-invitation').length, 2)
  const after = (await visitor.get('/membership/office', { accept: 'text/html' })).text
  t.notRegex(after, /older copy was restored/)
})
