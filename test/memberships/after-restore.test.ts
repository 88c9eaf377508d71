import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { Database } from '../support/sqlite.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, createVisitor } from '../support/visitor.ts'

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
