import test from 'ava'
import { createMembership } from '../../src/index.ts'

/** Calls that README, the guides and the page about tests showed before 2.0, by the name that they have now. */
const shown: Readonly<Record<string, string | null>> = {
  use: 'limits.use',
  release: 'limits.release',
  reserve: 'limits.reserve',
  'groups.invite': 'teams.invite',
  'groups.remove': 'teams.remove',
  'groups.leave': 'teams.leave',
  'groups.transfer': 'teams.transfer',
  'groups.find': 'teams.find',
  'groups.of': 'teams.of',
  'prices.plan': 'raises.plan',
  'prices.raise': 'raises.raise',
  'prices.list': 'raises.list',
  'prices.show': 'raises.show',
  'prices.stop': 'raises.stop',
  'prices.resume': 'raises.resume',
  'prices.undo': 'raises.undo',
  'users.findById': null,
  'users.findByEmail': null,
  'users.grant': null,
  'storage.read': null,
  runAs: null,
  viewOf: null,
  runDueJobs: null,
  listener: null,
}

test('names of before 2.0 do what the new ones do, and each is logged once with its new name', async (t) => {
  const lines: string[] = []
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.sandbox.plans.pro': {
      prices: [{ id: 'pro_month', amount: 900, currency: 'EUR', interval: 'month' }],
      limits: { exports: { amount: 100, every: 'month' } },
    },
    install: false,
    root: false,
    log: (line: string) => void lines.push(line),
  })
  t.teardown(() => m.close())
  const at = (path: string): unknown =>
    path.split('.').reduce((value: unknown, name) => (value as Record<string, unknown>)[name], m)
  lines.length = 0
  for (const [name, now] of Object.entries(shown)) {
    t.is(typeof at(name), 'function', name)
    if (now !== null) t.is(at(name), at(now), name)
  }
  const renamed = ['use', 'release', 'reserve', 'groups', 'prices']
  t.deepEqual(
    lines.map((line) => /^m\.(\w+) is called m\.[\w.]+ now\./.exec(line)?.[1]),
    renamed,
  )
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.users.grant({ memberId: ann.id, gate: 'pro' })
  t.is((await m.use((await m.users.findById(ann.id))!, 'exports')).left, 99)
  t.deepEqual(await m.prices.list(), [])
  t.is(lines.length, renamed.length)
})
