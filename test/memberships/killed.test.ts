import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test, { type ExecutionContext } from 'ava'
import { loader, programFile } from '../support/command.ts'
import { allDatabases, sqliteDatabases, type TestDatabase } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'
import { rowsOfMembers } from '../support/rows.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { askFake, buy, createMailbox, logIn } from '../support/visitor.ts'

/** What ends in several units: the account of a group's owner, an account that becomes another, a group. */
const ends = ['deletion', 'merge', 'group'] as const
type End = (typeof ends)[number]

/**
 * The owner of a group with a member and an invitation. `commits`: the process is gone once it has written so many units of
 * the end; another process of the site goes on after its leases.
 */
async function play(t: ExecutionContext, url: string, end: End, commits: number) {
  const teardowns: (() => unknown)[] = []
  const mailbox = createMailbox()
  let isGone = false
  const opened = await openStripeSite(
    { teardown: (close) => void teardowns.unshift(close) },
    {
      mails: {
        transport: async (mail) => {
          if (isGone) throw new Error('the process is gone')
          await mailbox.options.mails.transport(mail)
        },
      },
      'membership.database.url': url,
      'membership.providers.stripe.plans': {
        pro: {
          seats: 5,
          limits: { exports: { amount: 100, every: 'month' } },
          prices: [{ id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' }],
        },
      },
    },
  )
  const { m, fake, another } = opened
  const settle = async (of: typeof m): Promise<void> => {
    await of.runDueJobs()
    await fake.deliver()
    await of.runDueJobs()
  }
  const { id: subscription } = await buy(opened, 'boss@example.com')
  await settle(m)
  const boss = (await m.users.findByEmail('boss@example.com'))!
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  const kept = await m.users.create({ email: 'kept@example.com', verified: true })
  await m.users.grant({ memberId: boss.id, gate: 'extra', reason: 'known' })
  await m.limits.use(boss.id, 'exports' as never, 30)
  for (const email of ['ann@example.com', 'tom@example.com'])
    await m.teams.invite({ subscriptionId: subscription, email })
  await settle(m)
  const mails = mailbox.of('ann@example.com').map(({ text }) => text)
  const [, token] = /\/membership\/join\/(\S+)/.exec(mails.join('\n'))!
  const visitor = await logIn(opened, mailbox, 'ann@example.com')
  t.is((await visitor.send(`/membership/join/${token}`, {})).status, 200)
  await settle(m)

  const { commit } = m.storage
  const storage = m.storage as { commit: typeof commit }
  let left = commits
  storage.commit = async (unit, how) => {
    if (isGone) throw new Error('the process is gone')
    await commit(unit, how)
    if (unit.length > 0) left--
    if (left <= 0) {
      isGone = true
      throw new Error('the process is gone')
    }
  }
  const done = async (): Promise<void> => {
    if (end === 'deletion') await m.users.delete(boss.id)
    else if (end === 'merge') await m.users.merge({ keep: kept.id, merge: boss.id, by: 'op', write: true })
    else await askFake(fake, 'DELETE', `/v1/subscriptions/${subscription}`)
    await settle(m)
  }
  await done().catch((error: unknown) => {
    if (!isGone) throw error
  })
  const wasKilled = isGone
  isGone = true

  const next = await another()
  fake.sendTo({ url: `${next.site}/membership/webhooks/stripe`, secret: 'whsec_of_the_fake' })
  // A first request shows the process its own address, which mails need.
  await fetch(next.site)
  isGone = false
  storage.commit = () => Promise.reject(new Error('the process is gone'))
  // The command of an operator is given again.
  if (end === 'merge') await next.m.users.merge({ keep: kept.id, merge: boss.id, by: 'op', write: true })
  // Two hours later the deletion has looked for late messages, too.
  for (let round = 0; round < 4; round++) {
    await fake.advance({ ms: 1_800_000 })
    await settle(next.m)
  }
  const names = [
    [boss.id, 'boss'],
    [ann.id, 'ann'],
    [kept.id, 'kept'],
  ] as const
  // The other process goes on half an hour later, and may have read what the first was sent.
  const timeless = (text: string): string =>
    text.replace(/T\d\d:\d\dZ|\bsource=\d/g, '').replace(/\b17\d{8}\b/g, '*')
  const tables = Object.entries(await rowsOfMembers(next.m, new Map(names))).map(
    ([table, all]) => [table, all.map(timeless).sort()] as const,
  )
  const access: string[] = []
  for (const [id, name] of names) {
    const user = await next.m.users.findById(id)
    access.push(
      `${name}: ${user?.hasGate('pro') ?? 'gone'}, ${user?.limit('exports' as never).left ?? 0} left`,
    )
  }
  for (const close of teardowns) await Promise.resolve(close()).catch(() => {})
  return {
    rows: Object.fromEntries(tables),
    access,
    wasKilled,
    mails: [...new Set(mailbox.sent.map(({ to, kind }) => `${kind} to ${to}`))].sort(),
  }
}

for (const connect of allDatabases) {
  let databases: TestDatabase
  test.before(async () => {
    databases = await connect()
  })
  test.after.always(() => databases.close())

  const part = connect.name.startsWith('sqlite') ? test : thorough(test)
  for (const end of ends)
    part.serial(
      `${connect.name}: a process killed after any unit of the end of a ${end} ends it as one that lives`,
      async (t) => {
        const whole = await play(t, await databases.url(), end, Number.POSITIVE_INFINITY)
        let kills = 0
        for (let commits = 1; ; commits++) {
          const killed = await play(t, await databases.url(), end, commits)
          if (!killed.wasKilled) break
          kills++
          t.deepEqual(killed.access, whole.access, `after ${commits}`)
          t.deepEqual(killed.rows, whole.rows, `after ${commits}`)
          // An account that is still there hears that its membership was cancelled.
          const more = end === 'deletion' ? ['cancellation to boss@example.com'] : []
          const mails = killed.mails.filter((mail) => whole.mails.includes(mail) || !more.includes(mail))
          t.deepEqual(mails, whole.mails, `after ${commits}`)
        }
        t.log(`${kills} kills`)
        t.true(kills > 2)
      },
    )
}

/** Everybody's rows after the deletion of a member with a purchase, a grant and a team, in a process that is killed. */
async function deleteIn(t: ExecutionContext, url: string, commits: number) {
  const teardowns: (() => unknown)[] = []
  const mailbox = createMailbox()
  const plans = { pro: { seats: 5, prices: ['price_month'] } }
  const opened = await openStripeSite(
    { teardown: (close) => void teardowns.unshift(close) },
    {
      ...mailbox.options,
      'membership.database.url': url,
      'membership.providers.stripe.plans': plans,
      'membership.secret': 'of two processes, and long enough',
    },
  )
  const { m, fake } = opened
  const settle = async () => {
    for (let round = 0; round < 2; round++) {
      await m.runDueJobs()
      await fake.deliver()
    }
  }
  const { user, id } = await buy(opened, 'boss@example.com')
  await m.users.grant({ memberId: user.id, gate: 'extra', reason: 'known' })
  await m.teams.invite({ subscriptionId: id, email: 'tom@example.com' })
  await settle()
  const options = {
    'membership.database.url': url,
    'membership.secret': 'of two processes, and long enough',
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe.secret': fake.secret,
    'membership.providers.stripe.webhook': 'whsec_of_the_fake',
    'membership.providers.stripe.api_base': fake.url,
    'membership.providers.stripe.plans': plans,
    'membership.compare.automatic': false,
    now: fake.now().toISOString(),
  }
  const args = [...loader, programFile('deletion-host'), JSON.stringify(options), user.id, String(commits)]
  const [code, signal] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')
  t.true(code === 0 || signal === 'SIGKILL', `${code} ${signal}`)
  for (let round = 0; round < 6; round++) {
    await fake.advance({ ms: 1_800_000 })
    await settle()
  }
  const rows = await rowsOfMembers(m, new Map([[user.id, 'boss']]))
  const isThere = (await m.users.findByEmail('boss@example.com')) !== null
  const seats = await m.storage.read((db) => db.selectFrom('group_seats').select(['email', 'status']))
  const { status } = fake.objects.get(id) as { status: string }
  for (const close of teardowns) await close()
  const counts = Object.entries(rows).map(([table, all]) => [table, all.length] as const)
  return { wasKilled: signal === 'SIGKILL', end: { isThere, seats, status, counts } }
}

// Each unit is in the tests above; a process of its own costs five seconds.
const stride = 4

thorough(test).serial(
  'a process that the system kills in a deletion leaves what another one ends',
  async (t) => {
    const databases = await sqliteDatabases()
    t.teardown(() => databases.close())
    const whole = await deleteIn(t, await databases.url(), Number.MAX_SAFE_INTEGER)
    t.false(whole.wasKilled)
    t.like(whole.end, { isThere: false, status: 'canceled' })
    let kills = 0
    for (let commits = 1; ; commits += stride) {
      const { wasKilled, end } = await deleteIn(t, await databases.url(), commits)
      if (!wasKilled) break
      kills++
      t.deepEqual(end, whole.end, `after ${commits}`)
    }
    t.log(`${kills} kills`)
    t.true(kills > 2)
  },
)
