import { randomBytes } from 'node:crypto'
import { step } from '../../src/core/storage/index.ts'
import { createMembership } from '../../src/index.ts'
import type { TestDatabase } from '../support/databases.ts'
import { limitSite } from '../support/limits-race.ts'
import { Database } from '../support/sqlite.ts'
import { median } from './events.ts'
import { ratio, report, table } from './report.ts'

const calls = 2000
const warmUps = 2

/**
 * What `m.limits.use` costs in CPU beside one bare transaction (begin, the same upsert, commit) on a database of the same
 * settings, in the same run and in turn. One at a time, each waits for the disk; `use` is also measured with 64 at once,
 * as a busy site calls it.
 */
export async function benchLimits(databases: TestDatabase, rounds: number): Promise<void> {
  const m = await createMembership({ ...limitSite(1e12), 'membership.database.url': await databases.url() })
  const { id } = await m.users.create({ email: 'ann@example.com' })
  await m.users.grant({ memberId: id, gate: 'pro' })
  const user = (await m.users.findById(id))!
  const bare = bareTransactions((await databases.url()).slice('sqlite:'.length))
  let key = 0

  const oneByOne = async (): Promise<void> => {
    for (let i = 0; i < calls; i++) await m.limits.use(user, 'exports')
  }
  const keyed = async (): Promise<void> => {
    for (let i = 0; i < calls; i++) await m.limits.use(user, 'exports', 1, { key: `${key++}` })
  }
  const atOnce = async (): Promise<void> => {
    for (let i = 0; i < calls; i += 64)
      await Promise.all(Array.from({ length: 64 }, () => m.limits.use(user, 'exports')))
  }
  // A row that stays as it was would not be written: SQLite compares it first.
  const count = m.storage.prepare<{ member_id: string }>('bench-count', (db, p) =>
    db
      .updateTable('limit_usage')
      .set((eb) => ({ used: eb('used', '+', 1) }))
      .where('member_id', '=', p.member_id)
      .where('name', '=', 'exports')
      .where('bucket', '=', 'once'),
  )
  await m.limits.use(user, 'exports')
  const committed = async (): Promise<void> => {
    for (let i = 0; i < calls; i++) await m.storage.commit([step(count, { member_id: id }, 1)])
  }
  const parts = {
    'a commit of one row by the package': committed,
    'a bare transaction': async () => bare.one(calls),
    'm.limits.use': oneByOne,
    'a bare transaction of two rows': async () => bare.two(calls),
    'm.limits.use with a key': keyed,
    'm.limits.use, 64 at once': atOnce,
  }
  const measured = new Map<string, number[]>()
  for (let round = -warmUps; round < rounds; round++)
    for (const [name, run] of Object.entries(parts)) {
      const before = process.cpuUsage()
      await run()
      const { user: own, system } = process.cpuUsage(before)
      if (round >= 0) measured.set(name, [...(measured.get(name) ?? []), (own + system) / calls])
    }
  await m.close()
  bare.close()
  const cost = (name: keyof typeof parts) => median(measured.get(name) ?? [])
  report(
    'limits',
    'A use of a limit: CPU',
    table(
      [
        ['a commit of one row by the package', 'a bare transaction'],
        ['m.limits.use, 64 at once', 'a bare transaction'],
        ['m.limits.use', 'a bare transaction'],
        ['m.limits.use with a key', 'a bare transaction of two rows'],
      ] as const,
      {
        '': ([name]) => name,
        'of its bare transaction': ([name, bareName]) => ratio(cost(name) / cost(bareName)),
      },
      {
        'CPU µs': ([name]) => cost(name).toFixed(1),
        'µs of the bare transaction': ([, bareName]) => cost(bareName).toFixed(1),
      },
    ),
  )
}

/** The least that a durable count can cost: prepared statements on the driver itself. */
function bareTransactions(file: string) {
  const db = new Database(file)
  for (const pragma of [
    'journal_mode = WAL',
    'foreign_keys = ON',
    'secure_delete = ON',
    'synchronous = full',
  ])
    db.pragma(pragma)
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const count = db.prepare(
    "insert into limit_usage (member_id, name, bucket, starts_at, ends_at, used, amount, at) values (?, 'exports', 'once', '2026', '9999', 1, 1e12, '2026') on conflict (member_id, name, bucket) do update set used = used + 1 where used + 1 <= excluded.amount",
  )
  const note = db.prepare(
    "insert into limit_keys (member_id, name, key, amount, parts, taken_at) values (?, 'exports', ?, 1, '[]', '2026')",
  )
  return {
    one: (times: number): void => {
      for (let i = 0; i < times; i++) {
        begin.run()
        count.run('ann')
        commit.run()
      }
    },
    two: (times: number): void => {
      for (let i = 0; i < times; i++) {
        begin.run()
        note.run('ann', randomBytes(6).toString('hex'))
        count.run('ann')
        commit.run()
      }
    },
    close: () => db.close(),
  }
}
