import test from 'ava'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from '../support/visitor.ts'

const open = async (t: Parameters<typeof openStripeSite>[0]) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  await opened.m.users.create({ email: 'ann@example.com', verified: true })
  const ann = await logIn(opened, mailbox, 'ann@example.com')
  const ask = async (email: string) => {
    const answer = await ann.send('/membership/account', { email })
    await opened.m.work()
    return { answer, path: mailbox.link(email.toLowerCase()) }
  }
  return { ...opened, mailbox, ann, ask }
}

test('another address counts once its owner opened the link; the old one is told, the provider too', async (t) => {
  const { ask, ann, m, fake, mailbox, site, ...rest } = await open(t)
  await buy({ m, fake, site, ...rest }, 'ann@example.com', { visitor: ann })
  const { answer, path } = await ask('Ann@New.example')
  t.deepEqual(answer.json.email_change, { to: 'ann@new.example', status: 'sent' })
  t.truthy(await m.users.findByEmail('ann@example.com'), 'not yet')
  for (const method of ['GET', 'HEAD']) await fetch(new URL(path, site), { method })
  t.truthy(await m.users.findByEmail('ann@example.com'), 'a scanner confirms nothing')
  const page = await ann.get(path)
  t.is(page.headers.get('referrer-policy'), 'no-referrer')
  const confirmed = await createVisitor(site).send(path)
  t.deepEqual(confirmed.json, { email: 'ann@new.example' })
  await m.work()
  t.is(mailbox.of('ann@example.com', 'email-changed').length, 1)
  t.is(fake.objects.list('customer')[0]?.email, 'ann@new.example')
  t.is((await createVisitor(site).send(path)).status, 200, 'pressed twice, nothing more happens')
  await m.work()
  t.is(mailbox.of('ann@example.com', 'email-changed').length, 1)
})

test('an old link does not come true again after the address was changed back', async (t) => {
  const { ask, m, site, fake } = await open(t)
  const first = await ask('ann@new.example')
  await createVisitor(site).send(first.path)
  await fake.advance({ ms: 60_000 })
  const back = await ask('ann@example.com')
  t.is((await createVisitor(site).send(back.path)).status, 200)
  await fake.advance({ ms: 60_000 })
  const again = await createVisitor(site).send(first.path)
  t.not(again.status, 200, again.text)
  t.truthy(await m.users.findByEmail('ann@example.com'))
})

test('whether somebody has the wanted address is not told, and nobody loses theirs', async (t) => {
  const { ask, m, site, mailbox } = await open(t)
  const bob = await m.users.create({ email: 'bob@example.com', verified: true })
  const [taken, free] = [await ask('bob@example.com'), await ask('bib@example.com')]
  t.is(taken.answer.status, free.answer.status)
  t.is(taken.answer.text.replaceAll('bob', 'bib'), free.answer.text)
  t.is(mailbox.of('bob@example.com', 'email-change').length, 1)
  t.is(mailbox.of('bib@example.com', 'email-change').length, 1)
  const refused = await createVisitor(site).send(taken.path)
  t.is(refused.json.code, 'ERR_FORM')
  t.is((await m.users.findByEmail('bob@example.com'))?.id, bob.id)
})

test('a name reaches the provider, also when it is down at first', async (t) => {
  const { ann, m, fake, site, ...rest } = await open(t)
  await buy({ m, fake, site, ...rest }, 'ann@example.com', { visitor: ann })
  const undo = fake.outage({ kind: '503' })
  t.is((await ann.send('/membership/account', { name: 'Ann One' })).status, 200)
  t.is((await ann.send('/membership/account', { name: 'Ann Two' })).status, 200)
  await m.work()
  undo()
  for (let n = 0; n < 4; n++) {
    await fake.advance({ ms: 60_000 })
    await m.work()
  }
  t.is(fake.objects.list('customer')[0]?.name, 'Ann Two')
  const names = fake
    .requests()
    .filter(({ method, path, status }) => method === 'POST' && /customers/.test(path) && status === 200)
  t.deepEqual(
    names.map(({ params }) => params.name),
    ['Ann One', 'Ann Two'],
    'in order',
  )
})

test('what a blueprint does not have cannot be written, and nothing of it is', async (t) => {
  const { ann, m } = await open(t)
  for (const field of ['roles', 'id', 'email_verified', 'stripe', 'gates', 'created_by']) {
    const answer = await ann.send('/membership/account', { name: 'Mallory', [field]: 'admin' })
    t.is(answer.json.code, 'ERR_FORM', field)
  }
  const user = await m.users.findByEmail('ann@example.com')
  t.deepEqual(user?.roles, ['member'])
  t.is(user?.name, null)
})

test('deleted while the provider is down, the account is closed at once and cancelled as soon as it can be', async (t) => {
  const { ann, m, fake, site, mailbox, ...rest } = await open(t)
  const { id, user } = await buy({ m, fake, site, ...rest }, 'ann@example.com', { visitor: ann })
  const undo = fake.outage({ kind: '500' })
  const answer = await ann.send('/membership/account/delete', { confirm: 'delete' })
  t.is(answer.status, 202, answer.text)
  t.is(answer.json.status, 'begun')
  t.is((await ann.get('/membership/account/export')).status, 401)
  t.is((fake.objects.get(id) as { status: string }).status, 'active')
  undo()
  for (let n = 0; n < 4; n++) {
    await fake.advance({ ms: 120_000 })
    await m.work()
  }
  t.is((fake.objects.get(id) as { status: string }).status, 'canceled')
  t.is((await m.users.findById(user.id))?.email ?? null, null)
  t.is(mailbox.of('ann@example.com', 'account-deleted').length, 1)
})
