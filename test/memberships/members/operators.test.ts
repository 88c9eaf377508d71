import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import type { AuditRecord } from '../../../src/memberships/audit-log/index.ts'
import { runCommand } from '../../support/command.ts'
import { openInstance } from '../../support/converge.ts'
import { allDatabases } from '../../support/databases.ts'
import { emptyFolder } from '../../support/migrate.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createVisitor } from '../../support/visitor.ts'

for (const databases of allDatabases)
  test.serial(
    `${databases.name.replace('Databases', '')}: members are listed in pages, and found by part of address or name`,
    async (t) => {
      const database = await databases()
      t.teardown(() => database.close())
      const m = await openInstance(await database.url(), () => new Date())
      t.teardown(() => m.close())
      for (const name of ['Ann', 'Ben', '50%_Off']) {
        const email = `${name.toLowerCase().replace(/\W/g, '')}@example.com`
        await m.users.create({ email, name })
      }
      const first = await m.users.list({ limit: 2 })
      const second = await m.users.list({ limit: 2, cursor: first.next! })
      t.is(second.next, null)
      const all = [...first.members, ...second.members].map(({ name }) => name)
      t.deepEqual(all.sort(), ['50%_Off', 'Ann', 'Ben'])
      const found = async (q: string) => (await m.users.list({ q })).members.map(({ name }) => name)
      t.deepEqual(await found('aNN'), ['Ann'])
      t.deepEqual(await found(' ben@EXAMPLE.com '), ['Ben'])
      t.deepEqual(await found('%'), ['50%_Off'], 'a sign of patterns is a sign')
      t.deepEqual(await found('50%_'), ['50%_Off'])
      t.deepEqual(await found("' or 1=1 --"), [])
    },
  )

test('an operator manages members from the command line', async (t) => {
  const folder = await emptyFolder(t)
  const url = `sqlite:${join(folder, 'site.db')}`
  const site = await openStripeSite(t, { 'membership.database.url': url }, { start: new Date() })
  const { m, fake } = site
  const { id: subscription } = await buy(site, 'ann@example.com')
  const ann = (await m.users.findByEmail('ann@example.com'))!
  mkdirSync(join(folder, 'config'))
  const membership = {
    url: site.site,
    database: { url },
    provider: { handler: 'stripe' },
    providers: {
      stripe: {
        secret: fake.secret,
        api_base: fake.url,
        webhook: 'whsec_1',
        plans: { pro: { prices: ['price_month'] }, book: { prices: ['price_book'] } },
      },
      // The same plan, sold twice.
      paddle: { webhook: 'pdl_ntfset_1', livemode: false, plans: { pro: { prices: ['pri_1'] } } },
    },
  }
  writeFileSync(join(folder, 'config/membership.json'), JSON.stringify({ membership }))
  const run = (...args: string[]) => runCommand(folder, ['members', ...args])
  const json = async (...args: string[]) => {
    const { stdout, stderr } = await run(...args, '--json')
    t.not(stdout, '', stderr)
    return JSON.parse(stdout)
  }

  t.like((await json('find', subscription)).members, [{ id: ann.id, email: 'ann@example.com' }])
  t.is((await json('find', ann.payments()[0]!.id)).members.length, 1)
  const shown = await run('show', 'ann@example.com')
  t.is(shown.stdout.match(/pro +Open: subscription/g)?.length, 1, 'each plan once')
  t.regex(shown.stdout, /book +Closed: nothing was bought that opens it\./)

  const { grant } = await json(
    'grant',
    ann.id,
    'book',
    '--until',
    '2099-01-01',
    '--reason',
    'prize',
    '--by',
    'Eve',
  )
  t.true((await m.users.findById(ann.id))!.hasGate('book' as never))
  t.regex((await run('revoke', grant)).stdout, /would open book no more[\s\S]*--write does it/)
  t.true((await m.users.findById(ann.id))!.hasGate('book' as never), 'a plan changes nothing')
  const revoked = await run('revoke', grant, '--write')
  t.is(revoked.code, 0, revoked.stderr)
  t.false((await m.users.findById(ann.id))!.hasGate('book' as never))
  const misspelt = await run('grant', ann.id, 'boook')
  t.is(misspelt.code, 1)
  t.regex(misspelt.stderr, /Name one of: pro, book/)

  // Only who proved an address gets a link, since opening one proves nothing here.
  const { id: ben } = await m.users.create({ email: 'ben@example.com' })
  t.regex((await run('login-link', ben)).stderr, /ERR_ACTION_REFUSED/)
  await m.users.verify(ann.id)
  const { url: link } = await json('login-link', ann.id)
  const path = new URL(link).pathname
  t.like((await createVisitor(site.site).send(path)).json, { member_id: ann.id })
  t.is((await createVisitor(site.site).send(path)).status, 410, 'once')

  const payment = ann.payments()[0]!
  t.regex((await run('refund', ann.id, payment.id, '--amount', '100')).stdout, /Would give back 100 of/)
  t.is((await m.users.findById(ann.id))!.payments()[0]!.amount_refunded, 0, 'a plan gives nothing back')
  t.like(await json('refund', ann.id, payment.id, '--amount', '100', '--write'), { amount_refunded: 100 })
  t.regex((await run('refund', ann.id, 'pi_of_nobody')).stderr, /ERR_NOT_FOUND/)
  // Stripe's clock only moves when it is told to.
  await fake.advance({ ms: 60_000 })
  t.regex((await run('cancel', ann.id, 'sub_of_nobody')).stderr, /has no subscription sub_of_nobody/)
  t.like(await json('cancel', ann.id, subscription), { cancel_at_period_end: false })
  t.like(await json('cancel', ann.id, subscription, '--write'), { cancel_at_period_end: true })
  await fake.advance({ ms: 60_000 })
  t.like(await json('cancel', ann.id, subscription, '--now', '--write'), { status: 'canceled' })
  // What the site asked for in the background may be of the same second; the message is younger.
  await fake.deliver()
  t.like((await m.users.findById(ann.id))!.explain('pro' as never), { open: false })

  const log = await json('audit', 'ann@example.com')
  const actions = log.map(({ action, outcome }: AuditRecord) => `${action} ${outcome}`)
  t.deepEqual(actions.reverse(), [
    'grant done',
    'revoke done',
    'login-link done',
    'refund done',
    'cancel done',
    'cancel done',
  ])
  const [given, taken, login, refund] = log.reverse() as AuditRecord[]
  t.like(given, { by: 'Eve', subject: 'book', after: { grant, reason: 'prize' } })
  t.like(taken, { by: userInfo().username, subject: grant, before: { gate: 'book' } })
  t.like(refund, { subject: payment.id, before: { amount_refunded: 0 }, after: { amount_refunded: 100 } })
  t.false(JSON.stringify(login).includes(path.split('/').at(-1)!), 'the link is the member’s')
  t.regex(
    (await run('audit')).stdout,
    /login-link +\S+ +.*failed: ERR_ACTION_REFUSED/,
    'of everybody, also what failed',
  )
})

test('an action is recorded before it is done, and marked if its outcome is unknown', async (t) => {
  const m = await openInstance('sqlite::memory:', () => new Date('2026-01-15T12:00:00Z'))
  t.teardown(() => m.close())
  const { id: memberId } = await m.users.create({ email: 'ann@example.com', verified: true })
  const action = {
    by: 'Eve',
    action: 'refund',
    memberId,
    subject: 'pi_1',
    before: { email: 'ann@example.com' },
  } as const
  let seen: readonly AuditRecord[] = []
  await m.operator.audit.during(action, async () => {
    seen = await m.operator.audit.list({ member: memberId })
  })
  t.like(seen, [{ outcome: 'begun', by: 'Eve', action: 'refund' }], 'also of whoever is killed meanwhile')
  const failure = m.operator.audit.during(action, () => m.users.verify('nobody'))
  await t.throwsAsync(failure, { code: 'ERR_NOT_FOUND' })
  const known = await m.operator.audit.list({ member: memberId })
  t.deepEqual(known.map(({ outcome, error }) => [outcome, error]).sort(), [
    ['done', null],
    ['failed', 'ERR_NOT_FOUND'],
  ])
  t.like(await m.users.export((await m.users.findById(memberId))!), {
    audit_log: [{ action: 'refund' }, { action: 'refund' }],
  })

  await m.users.delete(memberId)
  const after = await m.operator.audit.list({ member: memberId })
  t.is(after.length, 2, 'that it was done stays')
  t.false(JSON.stringify(after).includes('ann@'), 'whom it was done to goes')
})
