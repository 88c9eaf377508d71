import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createMembership } from '../../../src/index.ts'
import { runCommand } from '../../support/command.ts'
import { strictRows } from '../../support/strict-csv.ts'

test('a command makes codes as CSV, each opens once, can be revoked, and is listed without itself', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-gifts-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const config = {
    'membership.database.url': `sqlite:${join(folder, 'site.db')}`,
    'membership.provider.handler': 'sandbox' as const,
    'membership.providers.sandbox.plans': { pro: { prices: ['price_pro'] } },
    'membership.secret': 'x'.repeat(32),
  }
  await writeFile(join(folder, 'membership.json'), JSON.stringify(config))
  const open = () => createMembership({ ...config, install: false, root: false, log: () => {} })
  await (await open()).close()
  const run = (...args: string[]) => runCommand(folder, [...args, '--config', 'membership.json'])

  const made = await run('gifts', 'create', '--plan', 'pro', '--months', '3', '--count', '100')
  t.is(made.code, 0, made.stderr)
  const rows = strictRows(made.stdout)
  t.deepEqual(Object.keys(rows[0]!), ['code', 'plan', 'months', 'expires_at', 'batch', 'id'])
  const codes = rows.map(({ code }) => code!)
  t.is(new Set(codes).size, 100)
  // 20 characters of 32: 100 bits.
  for (const code of codes) t.regex(code, /^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/)
  const unknown = await run('gifts', 'create', '--plan', 'gold', '--months', '3')
  t.is(unknown.code, 1)
  t.regex(unknown.stderr, /No plan is called "gold"/)

  const [taken, revoked, fresh] = codes as [string, string, string]
  const m = await open()
  const user = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.gifts.redeem({ code: taken, user })
  await m.close()
  t.regex((await run('members', 'show', 'ann@example.com')).stdout, /pro {2,}Open: gift/)

  t.regex((await run('gifts', 'revoke', revoked)).stdout, /Would revoke/)
  t.regex((await run('gifts', 'revoke', revoked, '--write')).stdout, /^Revoked/)
  t.is((await run('gifts', 'revoke', revoked, '--write')).code, 0, 'again, it changes nothing')
  t.regex((await run('gifts', 'revoke', taken, '--write')).stdout, /^Revoked/)
  t.notRegex((await run('members', 'show', 'ann@example.com')).stdout, /Open: gift/)
  const again = await open()
  t.teardown(() => again.close())
  const ann = (await again.users.findByEmail('ann@example.com'))!
  await t.throwsAsync(again.gifts.redeem({ code: revoked, user: ann }), { code: 'ERR_ACTION_REFUSED' })
  t.is((await again.gifts.redeem({ code: fresh, user: ann })).status, 'redeemed')

  const listed = await run('gifts', 'list', '--batch', rows[0]!.batch!, '--limit', '500')
  t.is(listed.stdout.trim().split('\n').length, 100)
  t.is(listed.stdout.match(/closed: revoked/g)?.length, 2)
  t.false(codes.some((code) => listed.stdout.includes(code)))
})
