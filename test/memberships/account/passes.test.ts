import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import Koa from 'koa'
import { createPasses } from '../../../src/core/http/passes.ts'
import { readPass, requirePass } from '../../../src/entries/edge.ts'
import { createMembership, type MembershipOptions } from '../../../src/index.ts'
import { freshDatabase } from '../../support/databases.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, createVisitor, type Visitor } from '../../support/visitor.ts'

const plans = {
  pro: { opens: ['archive', 'export'], prices: ['price_pro'] },
  team: { opens: ['archive'], prices: ['price_team'] },
} as const

/** A site on loopback, with a route that logs a browser in. */
async function open(t: ExecutionContext, options: MembershipOptions = {}) {
  const app = new Koa()
  // The site has to know its address before it is built.
  const server = createServer((request, response) => void app.callback()(request, response))
  server.listen(0, '127.0.0.1')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const m = await createMembership({
    ...(await freshDatabase()),
    'membership.url': site,
    'membership.secret': 'x'.repeat(32),
    'membership.providers.sandbox': { plans },
    'membership.provider.handler': 'sandbox',
    install: false,
    root: false,
    log: () => undefined,
    ...options,
  })
  const member = await m.users.create({ email: 'ann@example.com' })
  app.use(m.koa())
  app.use(async (ctx) => {
    if (ctx.path === '/enter') await m.sessions.open(ctx, member.id, true)
    ctx.body = 'a page'
  })
  t.teardown(() => m.close())
  const visitor = createVisitor(site)
  await visitor.get('/enter')
  const pass = async (): Promise<string> => (await visitor.get('/membership/pass')).json.pass
  return { m, site, member, visitor, pass }
}

const minutes = 60_000

/** Runs `read` at another time of this process. Tests that use it are serial, since everything here reads that clock. */
async function at<T>(time: number, read: () => Promise<T>): Promise<T> {
  mock.timers.enable({ apis: ['Date'], now: time })
  try {
    return await read()
  } finally {
    mock.timers.reset()
  }
}

/** A site with a clock of its own, and what a worker reads of a pass by that clock. */
async function openSelling(t: ExecutionContext) {
  const opened = await openStripeSite(t)
  const { fake, site: issuer } = opened
  const read = (pass: string) => at(fake.now().getTime(), () => readPass(pass, { issuer }))
  const passOf = async (visitor: Visitor): Promise<string> => {
    const answer = await visitor.get('/membership/pass', { accept: 'application/json' })
    return answer.json.pass
  }
  return { ...opened, read, passOf }
}

test.serial(
  'after “log out everywhere” no browser gets a pass, and no pass is read five minutes later',
  async (t) => {
    let time = Date.parse('2026-01-15T12:00:00Z')
    const { m, site, member, visitor: laptop, pass } = await open(t, { now: () => new Date(time) })
    await m.users.grant({ memberId: member.id, gate: 'pro' })
    const phone = createVisitor(site)
    await phone.get('/enter')
    const passes: string[] = [await pass(), (await phone.get('/membership/pass')).json.pass]
    const read = (given: string) => at(time, () => readPass(given, { issuer: site }))
    for (const given of passes) t.true((await read(given))?.allows('pro'))
    t.not(decodeJwt(passes[0]!).sid, decodeJwt(passes[1]!).sid)

    t.is((await laptop.send('/membership/logout', { everywhere: '1' })).status, 200)
    for (const visitor of [laptop, phone]) {
      const refused = await visitor.get('/membership/pass', { accept: 'application/json' })
      t.is(refused.status, 401)
      t.is(refused.json.pass, undefined)
      t.false(refused.headers.getSetCookie().some((line) => /^membership_pass=[^;]/.test(line)))
    }
    time += 5 * minutes
    for (const given of passes) t.is(await read(given), null)
  },
)

test.serial(
  'after a full refund no new pass carries the plan, and the old pass is refused five minutes later',
  async (t) => {
    const opened = await openSelling(t)
    const { m, fake, read, passOf } = opened
    const { visitor, user } = await buy(opened, 'bea@example.com', {
      path: '/membership/payment',
      product: 'price_book',
    })
    const before = await passOf(visitor)
    t.true((await read(before))?.allows('book'))

    await m.payments.refund({ payment: user.payments()[0]!, key: 'once' })
    await fake.deliver()
    const after = await read(await passOf(visitor))
    t.is(after?.memberId, user.id)
    t.deepEqual(after?.gates, [])
    t.false(after?.allows('book'))
    await fake.advance({ ms: 5 * minutes })
    t.is(await read(before), null)
  },
)

test.serial(
  'after access ended no new pass carries the plan, and the old pass is refused five minutes later',
  async (t) => {
    const opened = await openSelling(t)
    const { fake, read, passOf } = opened
    const { visitor, id } = await buy(opened, 'cem@example.com')
    const before = await passOf(visitor)
    t.true((await read(before))?.allows('pro'))

    await askFake(fake, 'DELETE', `/v1/subscriptions/${id}`)
    await fake.deliver()
    t.deepEqual((await read(await passOf(visitor)))?.gates, [])
    await fake.advance({ ms: 5 * minutes })
    t.is(await read(before), null)
  },
)

test.serial(
  'a pass from just before the keys change is read by the keys of just after, and the other way round',
  async (t) => {
    const month = 30 * 24 * 60 * minutes
    const change = Math.ceil(Date.parse('2026-06-01') / month) * month
    let time = change - 1000
    const { m, site, member, pass } = await open(t, { now: () => new Date(time) })
    await m.users.grant({ memberId: member.id, gate: 'pro' })
    // Another address for the same keys, so that each worker fetches them at a time of its own.
    const readBy = (worker: string, given: string) =>
      at(time, () => readPass(given, { issuer: site, jwks: `${site}/membership/jwks.json?${worker}` }))

    const before = await pass()
    t.truthy(await readBy('early', before))
    time = change + 1000
    const after = await pass()
    t.not(decodeProtectedHeader(after).kid, decodeProtectedHeader(before).kid)
    t.true((await readBy('late', before))?.allows('pro'), 'an old pass, keys from after the change')
    t.true((await readBy('early', after))?.allows('pro'), 'a new pass, keys from before the change')
    time = change + 5 * minutes - 2000
    t.true((await readBy('last', before))?.allows('pro'), 'until the pass ends')
  },
)

test('a member gets a pass that another runtime reads by the published keys', async (t) => {
  const { m, site, member, visitor } = await open(t)
  await m.users.grant({ memberId: member.id, gate: 'pro' })
  const answer = await visitor.get('/membership/pass')
  t.is(answer.status, 200)
  t.is(answer.headers.get('cache-control'), 'private, no-store')
  const token: string = answer.json.pass
  t.deepEqual(
    { ...decodeProtectedHeader(token), kid: null },
    { alg: 'EdDSA', typ: 'membership-pass+jwt', kid: null },
  )
  const claims = decodeJwt(token)
  t.true(claims.exp! - claims.iat! <= 300)
  t.is(claims.iss, site)
  t.is(claims.aud, site)
  t.is(typeof claims.sid, 'string')

  const pass = await readPass(token, { issuer: site })
  t.is(pass?.memberId, member.id)
  t.deepEqual(pass?.gates, ['pro'])
  t.deepEqual(pass?.features, ['archive', 'export'])
  t.is(pass?.expiresAt.toISOString(), answer.json.expires_at)
  t.true(pass?.allows('export'))
  t.true(pass?.allows(['team', 'pro']))
  t.false(pass?.allows('team'))

  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith('membership_pass='))
  t.regex(cookie!, /httponly/i)
  t.regex(cookie!, /samesite=lax/i)
  const headers = new Headers({
    Cookie: `other=1; membership_pass=${visitor.cookies.get('membership_pass')}`,
  })
  t.is((await readPass(headers, { issuer: `${site}/` }))?.memberId, member.id)
  t.is(
    (await readPass(new Headers({ Authorization: `Bearer ${token}` }), { issuer: site }))?.memberId,
    member.id,
  )
})

test('a stranger gets no pass: a program is refused, a browser is asked to log in and comes back', async (t) => {
  const { site } = await open(t)
  const stranger = createVisitor(site)
  const refused = await stranger.get('/membership/pass', { accept: 'application/json' })
  t.is(refused.status, 401)
  t.is(refused.code, 'ERR_LOGIN_REQUIRED')
  const page = await stranger.get('/membership/pass?redirect=%2Fbook', { accept: 'text/html' })
  t.is(page.status, 303)
  t.is(page.location, '/membership/login?redirect=%2Fmembership%2Fpass%3Fredirect%3D%252Fbook')
})

test('a browser goes on with its pass, and a page that does not accept it is named instead of a loop', async (t) => {
  const { visitor } = await open(t)
  const html = { accept: 'text/html' }
  const first = await visitor.get('/membership/pass?redirect=%2Fbook%3Fpage%3D2', html)
  t.is(first.status, 303)
  t.is(first.location, '/book?page=2')
  t.truthy(visitor.cookies.get('membership_pass'))
  const again = await visitor.get('/membership/pass?redirect=%2Fbook', html)
  t.is(again.code, 'ERR_USAGE')
  t.is((await visitor.get('/membership/pass?redirect=https%3A%2F%2Fevil.example', html)).code, 'ERR_REDIRECT')
})

test('a logout removes the pass from the browser', async (t) => {
  const { visitor } = await open(t)
  await visitor.get('/membership/pass')
  const left = await visitor.send('/membership/logout')
  const cookie = left.headers.getSetCookie().find((line) => line.startsWith('membership_pass='))
  t.regex(cookie!, /^membership_pass=;/)
  t.is((await visitor.get('/membership/pass', { accept: 'application/json' })).status, 401)
})

test('access that ended is in no new pass, and a pass ends with the first gate that it names', async (t) => {
  const { m, site, member, pass } = await open(t)
  const until = new Date(Date.now() + 60_000)
  const grantId = await m.users.grant({ memberId: member.id, gate: 'pro', expiresAt: until })
  const read = await readPass(await pass(), { issuer: site })
  t.true(read!.expiresAt <= until)
  await m.users.revoke(grantId)
  const later = await readPass(await pass(), { issuer: site })
  t.false(later!.allows('pro'))
  t.deepEqual(later!.features, [])
})

test('nobody reads a pass that is forged, altered, of another site, for another audience, or too old', async (t) => {
  const { site, pass } = await open(t)
  const token = await pass()
  const [head, body, signature] = token.split('.') as [string, string, string]
  const claims = decodeJwt(token)
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const byWrongKind = await new SignJWT({ ...claims, gates: ['pro'] })
    .setProtectedHeader({ alg: 'HS256', typ: 'membership-pass+jwt' })
    .sign(new TextEncoder().encode('x'.repeat(32)))
  const another = createPasses(
    () => ['another site’s secret, long enough'],
    () => new Date(),
  )
  const content = {
    issuer: site,
    audience: site,
    memberId: 'm',
    gates: ['pro'],
    features: [],
    sessionId: null,
    expiresAt: new Date(Date.now() + 300_000),
  }
  const own = (hoursAgo: number) =>
    createPasses(
      () => ['x'.repeat(32)],
      () => new Date(Date.now() - hoursAgo * 3_600_000),
    )
  const refused: Record<string, string> = {
    'altered claims': `${head}.${encoded({ ...claims, gates: ['pro'] })}.${signature}`,
    'no signature': `${encoded({ alg: 'none', typ: 'membership-pass+jwt' })}.${body}.`,
    'a symmetric key': byWrongKind,
    'another site’s key': await another.sign(content),
    'longer than five minutes': await own(0).sign({
      ...content,
      expiresAt: new Date(Date.now() + 3_600_000),
    }),
    'made an hour ago': await own(1).sign(content),
    'another issuer': await own(0).sign({ ...content, issuer: 'https://evil.example' }),
    'another audience': await own(0).sign({ ...content, audience: 'elsewhere' }),
    garbage: 'a.b.c',
    empty: '',
  }
  for (const [what, given] of Object.entries(refused))
    t.is(await readPass(given, { issuer: site }), null, what)
  t.truthy(await readPass(await own(0).sign(content), { issuer: site }), 'the same with nothing wrong')
  t.is(await readPass(token, { issuer: site, audience: 'worker' }), null)
})

test('keys change without a gap: a copy that is a month old checks the passes of today', async (t) => {
  let time = Date.parse('2026-03-01T00:00:00Z')
  const now = () => new Date(time)
  const passes = createPasses(() => ['first secret'], now)
  const before = (await passes.keys()).map(({ kid }) => kid)
  t.is(before.length, 3)
  const seen = new Set<string>()
  for (let day = 0; day <= 30; day++) {
    const token = await passes.sign({
      issuer: 'https://a.example',
      audience: 'a',
      memberId: 'm',
      gates: [],
      features: [],
      sessionId: null,
      expiresAt: new Date(time + 300_000),
    })
    const { kid } = decodeProtectedHeader(token)
    seen.add(kid!)
    t.true(before.includes(kid!), `day ${day}`)
    t.true((await passes.keys()).some((key) => key.kid === kid))
    time += 86_400_000
  }
  t.is(seen.size, 2, 'the key has changed meanwhile')
  const replaced = createPasses(() => ['second secret', 'first secret'], now)
  const kids = (await replaced.keys()).map(({ kid }) => kid)
  for (const { kid } of await passes.keys()) t.true(kids.includes(kid), 'passes of the old secret stay valid')
  t.is(JSON.stringify(await replaced.keys()).includes('"d"'), false)
})

test('a merge or a deletion ends the way to new passes, and what was open belongs to the kept account', async (t) => {
  const { m, site, member: ann, visitor, pass } = await open(t)
  await m.users.grant({ memberId: ann.id, gate: 'pro' })
  const before = await pass()
  const bea = await m.users.create({ email: 'bea@example.com', verified: true })
  await m.users.merge({ keep: bea.id, merge: ann.id, by: 'op', write: true })
  const ask = async () => (await visitor.get('/membership/pass', { accept: 'application/json' })).status
  t.is(await ask(), 401, 'the session of the merged account ended')
  t.is((await readPass(before, { issuer: site }))?.memberId, ann.id, 'until it ends, within five minutes')
  t.deepEqual((await m.users.findById(bea.id))!.gates(), ['pro'])

  const second = await open(t)
  t.is((await second.visitor.get('/membership/pass')).status, 200)
  await second.m.users.delete(second.member.id)
  const refused = await second.visitor.get('/membership/pass', { accept: 'application/json' })
  t.deepEqual([refused.status, 'pass' in (refused.json ?? {})], [401, false])
})

test('a higher plan is in the next pass, and every process and a restarted one publish the same keys', async (t) => {
  const database = await freshDatabase()
  const { m, site, member, pass } = await open(t, database as MembershipOptions)
  const gatesOf = async () => (await readPass(await pass(), { issuer: site }))!.gates
  const grantId = await m.users.grant({ memberId: member.id, gate: 'pro' })
  t.deepEqual(await gatesOf(), ['pro'])
  await m.users.grant({ memberId: member.id, gate: 'team' })
  await m.users.revoke(grantId)
  t.deepEqual(await gatesOf(), ['team'])
  const published = await (await fetch(`${site}/membership/jwks.json`)).json()
  for (const process of ['another', 'a restarted one']) {
    const other = await createMembership({
      ...database,
      'membership.url': site,
      'membership.secret': 'x'.repeat(32),
      install: false,
      root: false,
      log: () => undefined,
    } as MembershipOptions)
    const keys = await (await other.fetch(new Request(`${site}/membership/jwks.json`))).json()
    await other.close()
    t.deepEqual(keys, published, process)
  }
})

test('a new secret in the three documented steps leaves no gap, with a copy of the keys from the step before', async (t) => {
  const now = () => new Date('2026-03-01T00:00:00Z')
  const content = {
    issuer: 'https://a.example',
    audience: 'a',
    memberId: 'm',
    gates: [],
    features: [],
    sessionId: null,
    expiresAt: new Date(now().getTime() + 300_000),
  }
  const steps = [['old'], ['old', 'new'], ['new', 'old'], ['new']]
  const at = await Promise.all(
    steps.map(async (secrets) => {
      const passes = createPasses(() => secrets, now)
      const kids = (await passes.keys()).map(({ kid }) => kid)
      return { kids, kid: decodeProtectedHeader(await passes.sign(content)).kid! }
    }),
  )
  for (const [n, { kid, kids }] of at.entries()) {
    t.true(kids.includes(kid), `step ${n}`)
    if (n === 0) continue
    t.true(at[n - 1]!.kids.includes(kid), `a pass of step ${n} by the keys of the step before`)
    if (n < 3) t.true(kids.includes(at[n - 1]!.kid), `a pass of the step before by the keys of step ${n}`)
  }
  t.true(at[3]!.kids.includes(at[2]!.kid), 'the last step takes out only what no longer signs')
  t.false(at[3]!.kids.includes(at[0]!.kid))
})

test('requirePass answers a stranger, a member without the gate, and a site that is away', async (t) => {
  const { m, site, member, pass } = await open(t)
  const ask = (accept: string, token?: string) =>
    new Request('https://static.example/book?page=2', {
      headers: { accept, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    })
  const answer = async (request: Request, issuer = site): Promise<Response> => {
    const given = await requirePass(request, { issuer, gate: 'pro' })
    if (!(given instanceof Response)) throw new Error('opened')
    t.is(given.headers.get('cache-control'), 'private, no-store')
    return given
  }
  t.is((await answer(ask('application/json'))).status, 401)
  t.is(
    (await answer(ask('text/html'))).headers.get('location'),
    `${site}/membership/pass?redirect=%2Fbook%3Fpage%3D2`,
  )
  const without = await pass()
  t.is((await answer(ask('application/json', without))).status, 403)
  t.is(
    (await answer(ask('text/html', without))).headers.get('location'),
    `${site}/membership/prices?redirect=%2Fbook%3Fpage%3D2`,
  )
  t.is((await answer(ask('text/html', without), 'http://127.0.0.1:1')).status, 503)

  await m.users.grant({ memberId: member.id, gate: 'pro' })
  const opened = await requirePass(ask('text/html', await pass()), { issuer: site, gate: ['team', 'pro'] })
  t.false(opened instanceof Response)
})

test('the keys may be cached, and passes need the site’s own address and at most five minutes', async (t) => {
  const { site } = await open(t)
  const keys = await fetch(`${site}/membership/jwks.json`)
  t.is(keys.headers.get('cache-control'), 'public, max-age=300')
  t.is(((await keys.json()) as { keys: unknown[] }).keys.length, 3)
  await t.throwsAsync(open(t, { 'membership.pass.seconds': 301 }), { message: /at most 300/ })
})

test('the entry for other runtimes has no import of Node and at most 10 kB by gzip', async (t) => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['src/entries/edge.ts'],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    metafile: true,
    mainFields: ['module', 'main'],
    conditions: ['worker', 'import'],
  })
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  t.deepEqual(outside, [])
  const size = gzipSync(outputFiles[0]!.contents).length
  t.true(size <= 10_000, `${size} bytes`)
  t.log(`${size} bytes by gzip`)
})
