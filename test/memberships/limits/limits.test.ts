import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import Koa from 'koa'
import { createMembership, isMembershipError, type MembershipOptions } from '../../../src/index.ts'
import { createLimits } from '../../../src/memberships/limits/index.ts'
import { createClock } from '../../../src/testkit/index.ts'
import { allDatabases } from '../../support/databases.ts'
import { raceForLimits } from '../../support/limits-race.ts'

const plans = {
  basic: { limits: { exports: { amount: 3, every: 'month' } }, prices: ['price_basic'] },
  pro: {
    limits: { exports: { amount: 100, every: 'month' } },
    prices: ['price_pro', { id: 'price_more', type: 'one_time', adds: { exports: 50 } }],
  },
} as const
const start = '2026-03-05T12:00:00.000Z'

for (const makeDatabases of allDatabases) {
  const name = makeDatabases.name.replace('Databases', '')
  let databases: Awaited<ReturnType<typeof makeDatabases>>
  test.before(`${name} is there`, async () => {
    databases = await makeDatabases()
  })
  test.after.always(`${name} goes`, () => databases?.close())

  const open = async (t: ExecutionContext, options: MembershipOptions = {}) => {
    const clock = createClock(new Date(start))
    const m = await createMembership({
      'membership.database.url': await databases.url(),
      'membership.providers.sandbox': { plans },
      'membership.provider.handler': 'sandbox',
      'membership.secret': 'x'.repeat(32),
      'membership.compare.automatic': false,
      install: false,
      root: false,
      log: () => {},
      now: clock.now,
      ...options,
    })
    t.teardown(() => m.close())
    const { id } = await m.users.create({ email: 'ann@example.com', verified: true })
    await m.users.grant({ memberId: id, gate: 'basic' })
    const ann = async () => (await m.users.findById(id))!
    return { m, id, ann, clock }
  }
  const refusal = async (t: ExecutionContext, run: () => Promise<unknown>) => {
    const error = await t.throwsAsync(run)
    if (!isMembershipError(error, 'ERR_LIMIT')) throw error
    return error
  }

  test(`${name}: a held key says what it holds, and a repeated job gives back no kept use`, async (t) => {
    const { m, id, clock, ann } = await open(t)
    const first = await m.limits.reserve(id, 'exports', 2, { key: 'job-1', minutes: 15 })
    const again = await m.limits.reserve(id, 'exports', 1, { key: 'job-1', minutes: 60 })
    t.is(again.amount, 2)
    t.is(again.expires_at, first.expires_at)
    await first.keep()
    clock.advance({ minutes: 1 })
    const repeated = await m.limits.reserve(id, 'exports', 2, { key: 'job-1' })
    t.is(repeated.expires_at, null)
    t.like(await repeated.release(), { used: 2, left: 1 })
    t.like(await first.release(), { used: 2, left: 1 }, 'kept is kept')
    const failed = await m.limits.reserve(id, 'exports', 1, { key: 'job-2' })
    t.like(await failed.release(), { used: 2, left: 1 })
    t.like(await failed.release(), { used: 2, left: 1 })
    t.like(
      await m.limits.release(id, 'exports', { key: 'job-1' }),
      { used: 0, left: 3 },
      'by its key, on purpose',
    )
    t.like((await ann()).limit('exports'), { used: 0, left: 3 })
  })

  test(`${name}: a use that was counted is no error where its hooks cannot be told`, async (t) => {
    const { m, ann, id } = await open(t)
    const logged: string[] = []
    const limits = createLimits({
      storage: m.storage,
      plans: m.plans,
      findMember: m.users.findExisting,
      now: () => new Date(start),
      randomId: () => 'id',
      log: (message) => logged.push(message),
      tell: () => {
        throw new Error('the queue is not there')
      },
    })
    t.like(await limits.use(id, 'exports', 3), { used: 3, left: 0 })
    t.like((await ann()).limit('exports'), { used: 3, left: 0 })
    t.deepEqual(logged, ['hooks could not be notified how little is left of a limit'])
    await refusal(t, () => limits.use(id, 'exports'))
  })

  test(`${name}: uses count up to the amount, and the refusal lists the offers that give more`, async (t) => {
    const { m, ann, id } = await open(t)
    const user = await ann()
    t.like(await m.limits.use(user, 'exports'), { used: 1, left: 2 })
    t.like(user.limit('exports'), {
      used: 1,
      left: 2,
      resets_at: '2026-04-01T00:00:00.000Z',
      source: 'basic',
    })
    await m.limits.use(id, 'exports', 2)
    const error = await refusal(t, () => m.limits.use(user, 'exports'))
    t.is(error.status, 402)
    t.like(error.extensions, {
      opens_more: [{ plan: 'pro', amount: 100, every: 'month' }],
      top_ups: [{ plan: 'pro', price: 'price_more', amount: 50 }],
    })
    t.is((error.extensions.limit as { left: number }).left, 0)
    t.is((await ann()).limit('exports').used, 3)
  })

  test(`${name}: uses at once of one loaded member all show in it`, async (t) => {
    const { m, ann } = await open(t)
    const loaded = await ann()
    await Promise.all([m.limits.use(loaded, 'exports'), m.limits.use(loaded, 'exports')])
    t.like(loaded.limit('exports'), { used: 2, left: 1 })
    t.deepEqual(loaded.limit('exports'), (await ann()).limit('exports'))
  })

  test(`${name}: a key takes once, and again after its release`, async (t) => {
    const { m, ann, id } = await open(t)
    const user = await ann()
    await Promise.all([1, 2, 3, 4].map(() => m.limits.use(user, 'exports', 2, { key: 'job-1' })))
    t.is((await ann()).limit('exports').used, 2)
    await refusal(t, () => m.limits.use(user, 'exports', 2, { key: 'job-2' }))
    t.like(await m.limits.release(id, 'exports', { key: 'job-1' }), { used: 0, left: 3 })
    t.like(await m.limits.release(id, 'exports', { key: 'job-1' }), { used: 0, left: 3 })
    await m.limits.use(user, 'exports', 2, { key: 'job-1' })
    t.is((await ann()).limit('exports').used, 2)
    t.like(await m.limits.release(user, 'exports', 1), { used: 1 })
    await t.throwsAsync(m.limits.release(user, 'exports', { key: 'job-9' }), { code: 'ERR_NOT_FOUND' })
  })

  test(`${name}: a key takes again after 30 days`, async (t) => {
    const { m, ann, id, clock } = await open(t)
    await m.limits.use(id, 'exports', 1, { key: 'a' })
    clock.advance({ days: 29 })
    await m.limits.use(id, 'exports', 1, { key: 'a' })
    t.is((await ann()).limit('exports').used, 0, 'it is the next month, and the key took in the last one')
    clock.advance({ days: 2 })
    await m.limits.use(id, 'exports', 1, { key: 'a' })
    t.is((await ann()).limit('exports').used, 1)
  })

  test(`${name}: each window counts anew, and a release from an earlier window adds nothing to it`, async (t) => {
    const { m, ann, id, clock } = await open(t)
    await m.limits.use(id, 'exports', 3, { key: 'march' })
    clock.advance({ days: 28 })
    t.like((await ann()).limit('exports'), { used: 0, resets_at: '2026-05-01T00:00:00.000Z' })
    await m.limits.use(id, 'exports', 1)
    await m.limits.release(id, 'exports', { key: 'march' })
    t.is((await ann()).limit('exports').used, 1)
  })

  test(`${name}: a reservation counts, is confirmed once, and expires by itself`, async (t) => {
    const { m, ann, clock } = await open(t)
    const user = await ann()
    const held = await m.limits.reserve(user, 'exports', 3, { minutes: 10 })
    t.is(held.expires_at, '2026-03-05T12:10:00.000Z')
    await refusal(t, () => m.limits.use(user, 'exports'))
    clock.advance({ minutes: 10 })
    t.is((await ann()).limit('exports').left, 3)
    await m.limits.use(user, 'exports', 1)
    await refusal(t, () => held.keep())
    const second = await m.limits.reserve(user, 'exports', 2, { key: 'work' })
    await m.limits.use(user, 'exports', 2, { key: second.key })
    clock.advance({ days: 1 })
    await m.limits.list(user)
    t.is((await ann()).limit('exports').used, 3, 'what was kept stays')
    await second.release()
    t.is((await ann()).limit('exports').used, 3, 'a hold that was kept gives nothing back')
    await m.limits.release(user, 'exports', { key: second.key })
    t.is((await ann()).limit('exports').used, 1)
    const third = await m.limits.reserve(user, 'exports', 2)
    clock.advance({ days: 1 })
    await m.runDueJobs()
    const [row] = await m.storage.read((db) => db.selectFrom('limit_usage').select('used'))
    t.is(row?.used, 1, 'the job let it go')
    await third.keep()
    t.is((await ann()).limit('exports').used, 3)
  })

  test(`${name}: a plan change keeps the count`, async (t) => {
    const { m, ann, id } = await open(t)
    await m.limits.use(id, 'exports', 3)
    const pro = await m.users.grant({ memberId: id, gate: 'pro' })
    t.like((await ann()).limit('exports'), { amount: 100, used: 3, left: 97, source: 'pro' })
    await m.limits.use(id, 'exports', 50)
    await m.users.revoke(pro)
    t.like((await ann()).limit('exports'), { amount: 3, used: 53, left: 0 })
  })

  test(`${name}: a manual credit is used after the included amount, and a negative correction takes`, async (t) => {
    const { m, ann, id } = await open(t)
    await m.limits.correct({ memberId: id, name: 'exports', amount: 5, reason: 'an outage', by: 'Op' })
    t.like((await ann()).limit('exports'), { amount: 3, left: 8, added: 5 })
    t.like(await m.limits.use(id, 'exports', 4), { used: 3, left: 4 })
    t.like(
      await m.limits.correct({ memberId: id, name: 'exports', amount: -3, reason: 'a mistake', by: 'Op' }),
      { left: 1 },
    )
    await refusal(t, () =>
      m.limits.correct({ memberId: id, name: 'exports', amount: -3, reason: 'again', by: 'Op' }),
    )
    t.like(await m.limits.release(id, 'exports', 5), { used: 2, left: 6 })
  })

  test(`${name}: hooks are notified once per count when little and when nothing is left`, async (t) => {
    const told: string[] = []
    const note = (hook: string) => (event: { limit: { left: number }; member: { email: string | null } }) =>
      told.push(`${hook} ${event.member.email} ${event.limit.left}`)
    const { m, id, clock } = await open(t, {
      'membership.providers.sandbox': {
        plans: { basic: { ...plans.basic, limits: { exports: { amount: 10, every: 'month' } } } },
      },
      hooks: { 'limit.near': note('near'), 'limit.reached': note('reached') },
    })
    await m.limits.use(id, 'exports', 7)
    await m.runDueJobs()
    t.deepEqual(told, [])
    await m.limits.use(id, 'exports', 1)
    await m.limits.use(id, 'exports', 1)
    await m.limits.use(id, 'exports', 1)
    await refusal(t, () => m.limits.use(id, 'exports'))
    await m.runDueJobs()
    t.deepEqual(told, ['near ann@example.com 2', 'reached ann@example.com 0'])
    clock.advance({ days: 30 })
    await m.limits.use(id, 'exports', 10)
    await m.runDueJobs()
    t.deepEqual(told.slice(2), ['reached ann@example.com 0'])
  })

  test(`${name}: a merge adds up the use of both accounts, and keys take nothing again`, async (t) => {
    const { m, id, ann } = await open(t)
    const other = await m.users.create({ email: 'ann@second.example', verified: true })
    await m.users.grant({ memberId: other.id, gate: 'basic' })
    await m.limits.use(id, 'exports', 1)
    await m.limits.use(other.id, 'exports', 1, { key: 'job' })
    await m.limits.correct({ memberId: other.id, name: 'exports', amount: 5, reason: 'a gift', by: 'Op' })
    await m.users.merge({ keep: id, merge: other.id, by: 'Op', write: true })
    t.like((await ann()).limit('exports'), { amount: 3, used: 2, left: 6, added: 5 })
    await m.limits.use(other.id, 'exports', 1, { key: 'job' })
    t.is((await ann()).limit('exports').used, 2)
    await m.limits.use(id, 'exports', 3)
    t.like((await ann()).limit('exports'), { used: 3, left: 3, added: 3 })
    await m.users.unmerge({ merged: other.id, by: 'Op' })
    t.like((await m.users.findById(other.id))?.limit('exports'), { used: 1, added: 3 })
    t.like((await ann()).limit('exports'), { used: 3, left: 0, added: 0 })
  })

  test(`${name}: parallel processes, killed midway, never take too much and lose nothing`, async (t) => {
    for (const members of [1, 7]) {
      const result = await raceForLimits({
        url: await databases.url(),
        processes: 4,
        calls: 400,
        members,
        kills: 2,
        amount: Math.ceil(150 / members),
      })
      t.deepEqual(
        [result.over, result.lost, result.inexact, result.refusedWrongly],
        [[], [], [], []],
        JSON.stringify(result),
      )
      t.is(result.killed, 2)
      t.true(result.taken >= 150 && result.refused > 0, JSON.stringify(result))
    }
  })
}

test('an unknown limit and an invalid amount are errors', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.sandbox': { plans },
    'membership.secret': 'x'.repeat(32),
    install: false,
    root: false,
    log: () => {},
  })
  t.teardown(() => m.close())
  const { id } = await m.users.create({ email: 'ann@example.com' })
  const error = await t.throwsAsync(m.limits.use(id, 'exprots' as never))
  t.true(isMembershipError(error, 'ERR_USAGE') && error.action === 'Did you mean "exports"?')
  await t.throwsAsync(m.limits.use(id, 'exports', 0), { code: 'ERR_USAGE' })
  await t.throwsAsync(m.limits.use(id, 'exports', 1.5), { code: 'ERR_USAGE' })
  await t.throwsAsync(m.limits.use('nobody', 'exports'), { code: 'ERR_NOT_FOUND' })
})

test('a route with a reached limit answers 402, with a page of the offers that give more', async (t) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.features': { exports: { name: 'Exports', words: { de: 'Ausgaben' } } },
    'membership.providers.sandbox': {
      plans: {
        basic: { limits: { exports: { amount: 3, every: 'month' } }, prices: ['price_basic'] },
        pro: {
          limits: { exports: { amount: 100, every: 'month' } },
          prices: [{ id: 'price_pro', amount: 900, currency: 'EUR', interval: 'month' }],
        },
      },
    },
    'membership.secret': 'x'.repeat(32),
    identify: () => ({ email: 'ann@example.com' }),
    install: false,
    root: false,
    log: () => {},
  })
  t.teardown(() => m.close())
  const app = new Koa()
  app.use(m.koa())
  app.use(async (ctx) => {
    await m.limits.use((await m.viewOf(ctx)).user()!, 'exports', 2)
    ctx.body = 'the export'
  })
  const server = app.listen(0)
  t.teardown(() => server.close())
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = (path: string, accept: string, language = 'en') =>
    fetch(`${site}${path}`, { headers: { accept, 'accept-language': language } })
  await ask('/', 'text/html')
  const ann = (await m.users.findByEmail('ann@example.com'))!
  await m.users.grant({ memberId: ann.id, gate: 'basic' })
  t.is((await ask('/export', 'application/json')).status, 200)
  const problem = await ask('/export', 'application/json')
  t.is(problem.status, 402)
  const body = (await problem.json()) as Record<string, unknown>
  t.like(body, { code: 'ERR_LIMIT', opens_more: [{ plan: 'pro', amount: 100, every: 'month' }] })
  const page = await ask('/export', 'text/html')
  t.is(page.status, 402)
  t.is(page.headers.get('cache-control'), 'private, no-store')
  const text = await page.text()
  t.regex(text, /You have reached your limit/)
  t.regex(text, /2 of 3 used, 1 left\. Resets on/)
  t.regex(text, /price_pro/)
  const account = (await (await ask('/membership/account', 'text/html', 'de')).text()).replaceAll(/\s+/g, ' ')
  t.regex(account, /<b>Ausgaben<\/b> <span>2 von 3 genutzt, 1 übrig\. Ab .* wird neu gezählt\./)
})
