import test from 'ava'
import Database from 'better-sqlite3'
import { ledgerStatements } from '../../src/ledger/statements/index.ts'
import { memberStatements } from '../../src/members/statements.ts'
import { createStatements } from '../../src/reports/statements/index.ts'
import { openStorage, type Statement } from '../../src/storage/index.ts'
import { inboxStatements } from '../../src/webhooks/statements.ts'
import { sqliteDatabases } from '../support/databases.ts'

test('every hot query uses an index', async (t) => {
  const database = await sqliteDatabases()
  const url = await database.url()
  const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now: () => new Date() })
  const all: Statement<never, unknown>[] = [
    ...Object.values(ledgerStatements(storage)),
    ...Object.values(memberStatements(storage)),
    ...Object.values(inboxStatements(storage)),
    ...Object.values(createStatements(storage)),
  ] as never
  const db = new Database(url.slice('sqlite:'.length))
  const slow: string[] = []
  for (const statement of all) {
    const { sql, places } = statement.compile(1)
    const plan = db.prepare(`explain query plan ${sql}`).all(places.map(() => null)) as { detail: string }[]
    if (plan.some(({ detail }) => /^SCAN (?!CONSTANT)/.test(detail)))
      slow.push(`${statement.name}: ${plan.map((p) => p.detail).join('; ')}`)
  }
  t.deepEqual(slow, [])
  t.true(all.length > 70)
  db.close()
  await storage.close()
  await database.close()
})
