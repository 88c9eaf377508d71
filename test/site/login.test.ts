import test, { type ExecutionContext } from 'ava'
import {
  type BetterAuth,
  betterAuthPlugin,
  fromAuthJs,
  fromBetterAuth,
  fromPassport,
} from '../../src/entries/login.ts'
import { createMembership, type Identify, type IdentifyInput } from '../../src/index.ts'
import { tokenOf } from '../support/browser.ts'
import { servePages } from '../support/pages.ts'

interface Account {
  id: string
  email: string
  name: string
  emailVerified: boolean
}

/** A login of better-auth's shape: the header `x-id` is the session. */
function createLogin(accounts: readonly Account[]) {
  const users = new Map(accounts.map((account) => [account.id, account]))
  const ended: string[] = []
  const plugin = betterAuthPlugin()
  let failures = 0
  const auth: BetterAuth = {
    options: { plugins: [plugin] },
    api: {
      getSession: async ({ headers }) => {
        const user = users.get(headers.get('x-id') ?? '')
        return user ? { user } : null
      },
      signOut: async ({ headers }) => {
        ended.push(headers.get('x-id') ?? '')
        return { headers: new Headers({ 'Set-Cookie': 'session=; Max-Age=0' }) }
      },
    },
    $context: Promise.resolve({
      internalAdapter: {
        findUserById: async (id: string) => users.get(id) ?? null,
        deleteUser: async (id: string) => {
          if (failures-- > 0) throw new Error('the login is down')
          const user = users.get(id)
          if (user) await plugin.init().options.databaseHooks.user.delete.before({ ...user })
          users.delete(id)
        },
      },
    }),
  }
  const deleteThere = async (id: string) => (await auth.$context).internalAdapter.deleteUser(id)
  const failTimes = (times: number) => {
    failures = times
  }
  return { auth, users, ended, deleteThere, failTimes }
}

const ann = { id: 'u-ann', email: 'ann@example.com', name: 'Ann', emailVerified: true }

function open(t: ExecutionContext, identify: Identify, now = () => new Date()) {
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
      now,
      identify,
    }),
  )
}
function as(id: string) {
  return new Request('https://example.com/', { headers: { 'x-id': id } })
}

test('an unverified address at the login is nobody, and the address alone links nobody', async (t) => {
  const login = createLogin([ann, { ...ann, id: 'u-eve', emailVerified: false }])
  const { m } = await open(t, fromBetterAuth(login.auth))
  const member = (await m.viewOf(as('u-ann'))).user()
  t.is(member?.email, 'ann@example.com')
  t.is((await m.viewOf(as('u-eve'))).user(), null)
  t.is((await m.users.findByLogin('u-ann'))?.id, member?.id)
  t.is(await m.users.findByLogin('u-eve'), null)
})

test('logging out here ends the session of the login', async (t) => {
  const login = createLogin([ann])
  const { browse } = await open(t, fromBetterAuth(login.auth))
  const browser = browse()
  const headers = { 'x-id': 'u-ann', accept: 'application/json' }
  const html = await (await browser.request('/membership/account', { headers: { 'x-id': 'u-ann' } })).text()
  const answer = await browser.request('/membership/logout', {
    method: 'POST',
    headers,
    body: new URLSearchParams({ token: tokenOf(html) }),
  })
  t.is(answer.status, 200)
  t.true(answer.headers.getSetCookie().includes('session=; Max-Age=0'))
  t.deepEqual(login.ended, ['u-ann'])
})

test('the login page of the site is the one that people are sent to, and they come back', async (t) => {
  const login = createLogin([ann])
  const { browse } = await open(t, fromBetterAuth(login.auth, { loginPage: '/sign-in' }))
  const asked = await browse().request('/membership/login?redirect=/archive', { redirect: 'manual' })
  t.is(asked.status, 302)
  t.is(asked.headers.get('location'), '/sign-in?redirect=%2Farchive')
  const away = await browse().request('/membership/login?redirect=https://evil.example', {
    redirect: 'manual',
  })
  t.is(away.status, 400)
})

test('a member deleted here is deleted at the login by id, after failures and whoever has the address now', async (t) => {
  let clock = Date.parse('2026-03-01T00:00:00Z')
  const login = createLogin([ann])
  const { m } = await open(t, fromBetterAuth(login.auth), () => new Date(clock))
  const { id } = (await m.viewOf(as('u-ann'))).user()!
  // Ann has another address since, and somebody else has hers.
  login.users.set('u-ann', { ...ann, email: 'ann@new.example' })
  login.users.set('u-bob', { ...ann, id: 'u-bob' })
  login.failTimes(1)
  await m.users.delete(id)
  await m.runDueJobs()
  t.deepEqual([...login.users.keys()], ['u-ann', 'u-bob'], 'the login is down')
  for (let hours = 0; hours < 24; hours++) {
    clock += 3_600_000
    await m.runDueJobs()
  }
  t.deepEqual([...login.users.keys()], ['u-bob'])
  t.is((await m.operator.outbox.list()).length, 0)
  const kept = await m.storage.read((db) => db.selectFrom('identities').select('user_id'))
  t.deepEqual(kept, [{ user_id: null }], 'the id is forgotten')
})

test('a user deleted at the login is deleted here; where the membership stays, the user stays', async (t) => {
  const login = createLogin([ann])
  const identify = fromBetterAuth(login.auth)
  await t.throwsAsync(() => login.deleteThere('u-ann'), { message: /createMembership/ })
  t.true(login.users.has('u-ann'))
  const { m } = await open(t, identify)
  const { id } = (await m.viewOf(as('u-ann'))).user()!
  await login.deleteThere('u-ann')
  t.false(login.users.has('u-ann'))
  t.is((await m.users.findById(id))?.email, null)
  await m.runDueJobs()
  t.is((await m.operator.outbox.list()).length, 0)
  t.is(await m.users.deleteByLogin('u-nobody'), null)
})

test('a merged account stays while another user of the login has it', async (t) => {
  const bob = { ...ann, id: 'u-bob', email: 'bob@example.com' }
  const login = createLogin([ann, bob])
  const { m } = await open(t, fromBetterAuth(login.auth))
  const into = (await m.viewOf(as('u-ann'))).user()!
  const from = (await m.viewOf(as('u-bob'))).user()!
  await m.users.merge({ keep: into.id, merge: from.id, by: 'op', write: true })
  t.is(await m.users.deleteByLogin('u-bob'), null)
  t.is((await m.viewOf(as('u-ann'))).user()?.id, into.id)
  const deletion = await m.users.deleteByLogin('u-ann')
  t.is(deletion?.member_id, into.id)
})

function visit(user: unknown, logout?: (done: (error?: unknown) => void) => void) {
  return { kind: 'express', request: { user, logout }, headers: new Headers() } as unknown as IdentifyInput
}

test('Passport: only a proved address counts, the id links, and logging out ends its session', async (t) => {
  const identify = fromPassport()
  t.deepEqual(identify(visit({ id: 7, email: 'a@example.com', email_verified: true })), {
    email: 'a@example.com',
    userId: '7',
  })
  t.is(identify(visit({ id: 7, email: 'a@example.com' })), null)
  t.is(identify(visit(undefined)), null)
  let ended = 0
  await identify.signOut!(
    visit({}, (done) => {
      ended++
      done()
    }),
  )
  t.is(ended, 1)
  await t.throwsAsync(async () => identify.signOut!(visit({}, (done) => done(new Error('down')))), {
    message: 'down',
  })
})

test('Auth.js: its own login page is known', (t) => {
  const identify = fromAuthJs({ providers: [], basePath: '/api/auth' })
  t.is(identify.loginPage!('/archive'), '/api/auth/signin?callbackUrl=%2Farchive')
  t.is(identify.deleteUser, undefined, 'without an adapter nobody deletes')
})
