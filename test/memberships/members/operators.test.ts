import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
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
      const first = await m.users.list({ limit: 2, cursor: null })
      t.deepEqual(await m.users.list({ limit: 2 }), first, 'null and nothing are the first page')
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
  t.regex(
    (await run('refund', ann.id, payment.id, '--amount', '100')).stdout,
    /Would give back €1 of €9 that are left of .*goes on: --end now/,
  )
  t.is((await m.users.findById(ann.id))!.payments()[0]!.amount_refunded, 0, 'a plan gives nothing back')
  t.like(await json('refund', ann.id, payment.id, '--amount', '100', '--write'), { amount_refunded: 100 })
  const missing = await run('refund', ann.id, 'pi_of_nobody', '--json')
  t.is(missing.code, 1)
  t.regex(missing.stderr, /ERR_NOT_FOUND/)
  const { error } = JSON.parse(missing.stdout)
  t.is(error.code, 'ERR_NOT_FOUND')
  t.regex(error.message, /has no payment pi_of_nobody/)
  t.regex(error.action, /membership members show/)
  t.regex((await run('show', ann.id)).stdout, /partially_refunded +€9 /)
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

test('a refund leaves the subscription running, unless --end says now or period_end', async (t) => {
  const { m, fake, folder } = await openCommandSite(t)
  const run = (...args: string[]) => runCommand(folder, ['members', 'refund', ...args])
  const own = async (email: string) => (await m.users.findByEmail(email))!
  const state = async (email: string) => {
    const { status, cancel_at_period_end } = (await own(email)).subscriptions()[0]!
    return { status, cancel_at_period_end, given: (await own(email)).payments()[0]!.amount_refunded }
  }
  const payment = async (email: string) => (await own(email)).payments()[0]!.id
  const [first, second, third] = ['ann@example.com', 'bea@example.com', 'cleo@example.com'] as const

  const dry = await run(first, await payment(first), '--end', 'now')
  t.regex(dry.stdout, /Would give back €9 of €9 .*would end at once/)
  t.deepEqual(await state(first), { status: 'active', cancel_at_period_end: false, given: 0 })
  t.is((await run(first, await payment(first), '--write')).code, 0)
  t.deepEqual(await state(first), { status: 'active', cancel_at_period_end: false, given: 900 })
  await fake.advance({ ms: 60_000 })
  t.is((await run(second, await payment(second), '--end', 'period_end', '--write')).code, 0)
  // The message is younger than what was asked for in the same second.
  await fake.deliver()
  t.deepEqual(await state(second), { status: 'active', cancel_at_period_end: true, given: 900 })
  await fake.advance({ ms: 60_000 })
  const now = await run(third, await payment(third), '--end', 'now', '--write')
  t.regex(now.stdout, /€9 of €9 given back\. \S+ ends at once\./)
  await fake.deliver()
  t.deepEqual(await state(third), { status: 'canceled', cancel_at_period_end: false, given: 900 })
  t.is(fake.objects.list('refund').length, 3)
})

test('m.payments.refund ends the subscription on request, and refuses before money moves', async (t) => {
  const site = await openStripeSite(t)
  const { m, fake } = site
  const { user } = await buy(site, 'ann@example.com')
  const { user: reader } = await buy(site, 'ben@example.com', {
    path: '/membership/payment',
    product: 'price_book',
  })
  const book = reader.payments()[0]!
  await t.throwsAsync(m.payments.refund({ payment: book, end: 'now' }), {
    code: 'ERR_USAGE',
    message: /of no subscription/,
  })
  await t.throwsAsync(m.payments.refund({ payment: user.payments()[0]!, end: 'later' as never }), {
    code: 'ERR_USAGE',
    message: /no end "later"/,
  })
  t.is(fake.objects.list('refund').length, 0)
  await m.payments.refund({ payment: user.payments()[0]!, end: 'period_end' })
  t.true((await m.users.findById(user.id))!.subscriptions()[0]!.cancel_at_period_end)
  t.is(fake.objects.list('refund').length, 1)
})

test('with --json a mistake in the flags is read by programs, too', async (t) => {
  const { folder } = await openCommandSite(t, [])
  const wrong = await runCommand(folder, ['members', 'list', '--json', '--limit', 'many'])
  t.is(wrong.code, 1)
  const { error } = JSON.parse(wrong.stdout)
  t.is(error.code, 'ERR_USAGE')
  t.regex(error.message, /^option '--limit <n>' argument 'many' is invalid/)
  t.is(typeof error.action, 'string')
  const people = await runCommand(folder, ['members', 'list', '--limit', 'many'])
  t.deepEqual([people.code, people.stdout], [1, ''])
  t.is((await runCommand(folder, ['members', 'list', '--help', '--json'])).code, 0)

  const raise = ['prices', 'raise', '--from', 'price_month', '--to', 'price_dear', '--on', '2099-01-01']
  const none = await runCommand(folder, [...raise, '--notice', '30d', '--write', '--json'])
  t.is(none.code, 1)
  t.regex(JSON.parse(none.stdout).error.message, /No membership runs at the price price_month/)
  t.is((await runCommand(folder, ['prices', 'list'])).stdout, 'No raises.\n')
})

/** A site in a folder, as commands find it, with members who bought. */
async function openCommandSite(
  t: ExecutionContext,
  buyers: readonly string[] = ['ann@example.com', 'bea@example.com', 'cleo@example.com'],
) {
  const folder = await emptyFolder(t)
  const url = `sqlite:${join(folder, 'site.db')}`
  const site = await openStripeSite(t, { 'membership.database.url': url }, { start: new Date() })
  for (const email of buyers) await buy(site, email)
  const { fake } = site
  const price = (id: string, amount: number) => ({ id, amount, currency: 'EUR', interval: 'month' })
  const stripe = {
    secret: fake.secret,
    api_base: fake.url,
    webhook: 'whsec_1',
    plans: { pro: { prices: [price('price_month', 900), price('price_dear', 1200)] } },
  }
  const membership = {
    url: site.site,
    database: { url },
    provider: { handler: 'stripe' },
    providers: { stripe },
  }
  mkdirSync(join(folder, 'config'))
  writeFileSync(join(folder, 'config/membership.json'), JSON.stringify({ membership }))
  return { ...site, folder }
}

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
