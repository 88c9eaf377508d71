import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createMembership } from '../../../src/index.ts'
import { runCommand } from '../../support/command.ts'
import { confirm, openOfficeSite } from '../../support/office.ts'

test('commands show plans by features, what a member has of a limit, and correct it with a reason', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-limits-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const plans = {
    basic: { opens: ['archive'], prices: ['price_basic'] },
    pro: {
      opens: ['archive', 'export'],
      limits: { exports: { amount: 3, every: 'once' } },
      prices: ['price_pro', { id: 'price_more', type: 'one_time', adds: { exports: 50 } }],
    },
  } as const
  const config = {
    'membership.database.url': `sqlite:${join(folder, 'site.db')}`,
    'membership.provider.handler': 'sandbox' as const,
    'membership.providers.sandbox.plans': plans,
    'membership.secret': 'x'.repeat(32),
  }
  await writeFile(join(folder, 'membership.json'), JSON.stringify(config))
  const m = await createMembership({ ...config, install: false, root: false, log: () => {} })
  const { id } = await m.users.create({ email: 'ann@example.com' })
  await m.users.grant({ memberId: id, gate: 'pro' })
  await m.limits.use(id, 'exports', 1)
  await m.close()
  const run = (...args: string[]) => runCommand(folder, [...args, '--config', 'membership.json'])

  const table = (await run('features')).stdout
    .split('\n')
    .map((line) => line.split(/ {2,}/).map((cell) => cell.trim()))
  t.deepEqual(table.slice(0, 5), [
    ['', 'basic', 'pro'],
    ['archive', 'yes', 'yes'],
    ['export', '-', 'yes'],
    ['exports', '-', '3 once'],
    ['exports top-up', 'price_more'],
  ])
  const json = JSON.parse((await run('features', '--json')).stdout) as Record<string, unknown>
  t.like(json, {
    plans: ['basic', 'pro'],
    features: { archive: ['basic', 'pro'], export: ['pro'] },
    top_ups: { exports: ['price_more'] },
  })
  const shown = await run('members', 'show', 'ann@example.com')
  t.regex(shown.stdout, /exports {2}1 of 3 used {2}2 left/)
  t.regex(shown.stdout, /export {2,}Open: grant/)

  const without = await run('members', 'limit', 'ann@example.com', 'exports', '--add', '10')
  t.is(without.code, 1)
  t.regex(without.stderr, /A correction needs a reason/)
  const added = await run(
    'members',
    'limit',
    'ann@example.com',
    'exports',
    '--add',
    '10',
    '--reason',
    'an outage',
    '--by',
    'Op',
  )
  t.regex(added.stdout, /1 of 3 used, 12 left \(10 of it added\)/)
  const audit = JSON.parse((await run('members', 'audit', '--json')).stdout) as Record<string, unknown>[]
  t.like(audit[0], { by: 'Op', action: 'limit', subject: 'exports', outcome: 'done' })
})

test('the office shows what a member has of each limit, and corrects it with a reason that the log keeps', async (t) => {
  const { m, enter } = await openOfficeSite(t, {
    'membership.providers.stripe.plans.pro.limits': { exports: { amount: 5, every: 'once' } },
  })
  const { visitor } = await enter('ada@example.com')
  const { id } = await m.users.create({ email: 'ann@example.com' })
  await m.users.grant({ memberId: id, gate: 'pro' })
  await m.limits.use(id, 'exports', 2)
  const page = await visitor.get(`/membership/office/members/${id}`)
  t.regex(page.text, /<b>exports<\/b> 2 of 5 used, 3 left\./)
  const path = `/membership/office/members/${id}/do/limit?limit=exports&amount=4&reason=an+outage`
  t.regex((await visitor.get(path)).text, /exports: the member gets 4 more\. 3 are left now\./)
  await confirm(visitor, path)
  t.like((await m.users.findById(id))?.limit('exports' as never), { used: 2, left: 7, added: 4 })
  const [noted] = await m.operator.audit.list({ member: id })
  t.like(noted, { by: 'ada@example.com', action: 'limit', subject: 'exports', outcome: 'done' })
  t.like(noted?.after, { reason: 'an outage' } as never)
})
