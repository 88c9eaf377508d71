import test, { type ExecutionContext } from 'ava'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import { tokenOf } from '../support/browser.ts'
import { postgresDatabases, sqliteDatabases } from '../support/databases.ts'
import { servePages } from '../support/pages.ts'

// A site whose own login is a header: `x-user` has the address, `x-id` its own id of the person.
function open(t: ExecutionContext, options: MembershipOptions = {}) {
  return servePages(t, 'Koa', () =>
    createMembership({
      'membership.database.url': 'sqlite::memory:',
      'membership.provider.handler': 'sandbox',
      'membership.providers.sandbox.plans': {
        pro: { prices: [{ id: 'pro_monthly', amount: 900, currency: 'EUR', interval: 'month' }] },
      },
      'membership.compare.automatic': false,
      install: false,
      root: false,
      log: () => {},
      identify: ({ headers }) => {
        const [email, userId] = [headers.get('x-user'), headers.get('x-id') ?? undefined]
        return email === null ? null : { email, userId }
      },
      ...options,
    }),
  )
}
const asAnn = { 'x-user': 'ann@example.com' }
function asWeb(headers: Record<string, string>) {
  return new Request('https://example.com/', { headers })
}

for (const openDatabases of [sqliteDatabases, postgresDatabases])
  test(`simultaneous first visits create one member (${openDatabases.name})`, async (t) => {
    const databases = await openDatabases()
    t.teardown(databases.close)
    const { m } = await open(t, { 'membership.database.url': await databases.url() })
    const views = await Promise.all(Array.from({ length: 12 }, () => m.viewOf(asWeb(asAnn))))
    t.is(new Set(views.map((view) => view.user()?.id)).size, 1)
    t.is((await m.users.list()).members.length, 1)
  })

test('a host’s login stays the same member when the address changes', async (t) => {
  const { m, browse } = await open(t)
  const { id } = (await m.viewOf(asWeb(asAnn))).user()!
  await m.users.grant({ memberId: id, gate: 'pro' })
  const browser = browse()
  const html = await (await browser.request('/membership/account', { headers: asAnn })).text()
  const changed = await browser.request('/membership/account', {
    method: 'POST',
    headers: { ...asAnn, accept: 'application/json' },
    body: new URLSearchParams({ token: tokenOf(html), email: 'ann@new.example' }),
  })
  t.is(changed.status, 409, 'the address is the host’s to change')
  t.is((await m.viewOf(asWeb(asAnn))).user()?.id, id)

  // The host knows the person by an id of its own, and tells another address.
  const byId = (await m.viewOf(asWeb({ ...asAnn, 'x-id': '42' }))).user()
  t.is(byId?.id, id)
  const moved = await m.viewOf(asWeb({ 'x-user': 'Ann@Moved.example', 'x-id': '42' }))
  t.is(moved.user()?.id, id)
  t.is(moved.user()?.email, 'ann@moved.example')
  t.true(moved.allows('pro'))
  t.is((await m.users.list()).members.length, 1)
  // Another member has the address that the host tells: nobody loses theirs.
  await m.users.create({ email: 'bob@example.com' })
  const taken = await m.viewOf(asWeb({ 'x-user': 'bob@example.com', 'x-id': '42' }))
  t.is(taken.user()?.id, id)
  t.is(taken.user()?.email, 'ann@moved.example')
})

test('an operator’s rescue ends a host login with the replaced address', async (t) => {
  const { m } = await open(t, { mails: { transport: async () => {} } })
  const { id } = (await m.viewOf(asWeb(asAnn))).user()!
  await m.users.setEmail(id, 'ann@safe.example')
  t.not((await m.viewOf(asWeb(asAnn))).user()?.id, id)
  t.is((await m.viewOf(asWeb({ 'x-user': 'ann@safe.example' }))).user()?.id, id)
})

test('a deleted account does not return at the next page; the host is notified, and a purchase starts anew', async (t) => {
  const removed: string[] = []
  const { m } = await open(t, {
    userStore: {
      find: async ({ email }) => ({ id: `host:${email}` }),
      create: async ({ email }) => ({ id: `host:${email}` }),
      writeField: async () => {},
      accountDeleted: async (userId) => void removed.push(userId),
    },
  })
  const { id } = (await m.viewOf(asWeb(asAnn))).user()!
  t.truthy((await m.users.delete(id)).done_at)
  await m.runDueJobs()
  t.deepEqual(removed, ['host:ann@example.com'])
  for (let n = 0; n < 2; n++) t.is((await m.viewOf(asWeb(asAnn))).user(), null)
  t.is(await m.users.findByEmail('ann@example.com'), null)

  const bought = await m.users.create({ email: 'ann@example.com' })
  t.is((await m.viewOf(asWeb(asAnn))).user()?.id, bought.id)
  t.is((await m.viewOf(asWeb(asAnn))).user()?.id, bought.id)
})

test('the host hears of a deletion by its own id, although another person has the address there by now', async (t) => {
  const removed: string[] = []
  const { m } = await open(t, {
    userStore: {
      find: async () => ({ id: 'another person' }),
      create: async () => ({ id: 'another person' }),
      writeField: async () => {},
      accountDeleted: async (userId) => void removed.push(userId),
    },
  })
  const { id } = (await m.viewOf(asWeb({ 'x-user': 'ann@example.com', 'x-id': '42' }))).user()!
  t.truthy((await m.users.delete(id)).done_at)
  await m.runDueJobs()
  t.deepEqual(removed, ['42'])
})

test('after a merge both logins of a person open every page, and the kept account keeps its address', async (t) => {
  const logged: string[] = []
  const { m, browse } = await open(t, { log: (message) => logged.push(message) })
  const asOld = { 'x-user': 'old@example.com', 'x-id': '1' }
  const asWork = { 'x-user': 'work@example.com', 'x-id': '2' }
  const old = (await m.viewOf(asWeb(asOld))).user()!
  const work = (await m.viewOf(asWeb(asWork))).user()!
  await m.users.grant({ memberId: old.id, gate: 'pro' })
  await m.users.merge({ keep: work.id, merge: old.id, by: 'ada', write: true })
  for (const headers of [asOld, asWork, asOld]) {
    const page = await browse().request('/membership/account', {
      headers: { ...headers, accept: 'text/html' },
    })
    t.is(page.status, 200, headers['x-user'])
    const view = await m.viewOf(asWeb(headers))
    t.is(view.user()?.id, work.id)
    t.is(view.user()?.email, 'work@example.com')
    t.true(view.allows('pro'))
  }
  // The login of the account that is gone names another address than the kept account's from then on, too.
  t.is((await m.viewOf(asWeb({ ...asOld, 'x-user': 'older@example.com' }))).user()?.email, 'work@example.com')
  t.is((await m.viewOf(asWeb({ ...asWork, 'x-user': 'new@example.com' }))).user()?.email, 'new@example.com')
  t.deepEqual(
    logged.filter((message) => message.includes('adopt')),
    [],
  )
})

test('of two logins of one account the newest has the say on the address', async (t) => {
  const { m } = await open(t)
  const first = { 'x-user': 'ann@example.com', 'x-id': '1' }
  const { id } = (await m.viewOf(asWeb(first))).user()!
  await new Promise((done) => setTimeout(done, 5))
  t.is((await m.viewOf(asWeb({ ...first, 'x-id': '2' }))).user()?.id, id)
  t.is((await m.viewOf(asWeb({ 'x-user': 'ann@new.example', 'x-id': '2' }))).user()?.email, 'ann@new.example')
  t.is((await m.viewOf(asWeb(first))).user()?.email, 'ann@new.example')
})

for (const openDatabases of [sqliteDatabases, postgresDatabases])
  test(`twelve requests at once after a change of address at the login all know the member (${openDatabases.name})`, async (t) => {
    const databases = await openDatabases()
    t.teardown(databases.close)
    const { m } = await open(t, { 'membership.database.url': await databases.url() })
    const { id } = (await m.viewOf(asWeb({ ...asAnn, 'x-id': '1' }))).user()!
    const moved = { 'x-user': 'ann@new.example', 'x-id': '1' }
    const views = await Promise.all(Array.from({ length: 12 }, () => m.viewOf(asWeb(moved))))
    t.deepEqual([...new Set(views.map((view) => view.user()?.id))], [id])
    t.is((await m.viewOf(asWeb(moved))).user()?.email, 'ann@new.example')
  })
