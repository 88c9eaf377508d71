import test from 'ava'
import { openStorage } from '../../../src/core/storage/index.ts'
import { doctorQueries, type Readable } from '../../../src/site/doctor/statements.ts'
import { sqliteDatabases } from '../../support/databases.ts'
import { Database } from '../../support/sqlite.ts'

// Whose number of rows is fixed by a limit, or who walk an index and never a table.
const bounded = {
  newestEvents: ['SCAN events'],
  // What is wrong now: a handful.
  troubles: ['SCAN troubles'],
  unpricedPayments: ['SCAN payments USING INDEX', 'SCAN some'],
  intentsSince: ['SCAN intents USING INDEX', 'SCAN some'],
  failingFetches: ['SCAN fetches USING INDEX', 'SCAN some'],
  stuckEvents: ['SCAN events USING INDEX events_visible'],
  contestedSubscriptions: ['SCAN subscriptions USING INDEX subscriptions_contested'],
  contestedFacts: ['SCAN facts USING INDEX facts_contested'],
  waitingCustomers: ['SCAN customers USING INDEX customers_waiting', 'SEARCH customers USING INDEX'],
  cutSubscriptions: ['SCAN subscriptions USING INDEX subscriptions_items'],
  givenUp: ['SCAN outbox USING INDEX outbox_dead'],
  unnotified: ['SCAN notify_queue USING INDEX notify_queue_failed'],
  busyOwners: ['SCAN subscriptions USING COVERING INDEX subscriptions_owner'],
  canceledThere: ['SCAN some'],
  // As many rows as the office has people.
  sealedFactors: ['SCAN operators'],
  // The query itself stops after some rows.
  feedSeeds: ['SCAN feeds'],
  trialMarks: ['SCAN trials'],
  busyMembers: ['SCAN customers USING COVERING INDEX customers_member'],
} as Record<string, readonly string[]>

test('no query of doctor scans a whole table', async (t) => {
  const database = await sqliteDatabases()
  const url = await database.url()
  const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now: () => new Date() })
  const db = new Database(url.slice('sqlite:'.length))
  const key = { provider: 'p', account: '', owner_id: 'o' }
  const args: Record<string, unknown> = {
    reasonOf: 1,
    customersOf: ['m'],
    memberOf: key,
    subscriptionsOf: key,
    intentsSince: '2026',
    unassignedPayments: { before: '2026', settled: new Set() },
    aCustomer: 'p',
    canceledThere: ['p'],
    paymentsOf: { provider: 'p', account: '', id: 'i', owner_id: 'o' },
  }
  for (const [name, run] of Object.entries(doctorQueries)) {
    let sql = ''
    const readable: Readable = {
      dialect: 'sqlite',
      read: (build) =>
        storage.read((kysely) => {
          const query = build(kysely)
          sql = query.compile().sql
          return query
        }),
    }
    await (run as (storage: Readable, argument: unknown) => Promise<unknown>)(readable, args[name])
    // Asked of a shared database alone.
    if (name === 'databaseClock') continue
    const places = sql.match(/\?/g)?.map(() => null) ?? []
    const plan = db.prepare(`explain query plan ${sql}`).all(places) as { detail: string }[]
    const scans = plan.map(({ detail }) => detail).filter((detail) => /^SCAN /.test(detail))
    for (const scan of scans)
      t.true(
        bounded[name]?.some((allowed) => scan.startsWith(allowed)),
        `${name}: ${scan}`,
      )
    const isLimited = /SCAN (events$|payments|intents|fetches)/.test(scans.join('\n'))
    if (isLimited && name !== 'stuckEvents') t.regex(sql, /limit \?/, name)
    t.false(
      isLimited && plan.some(({ detail }) => detail.includes('TEMP B-TREE FOR ORDER')),
      `${name} sorts the whole table`,
    )
  }
  db.close()
  await storage.close()
  await database.close()
})
