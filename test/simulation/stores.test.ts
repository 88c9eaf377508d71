import test from 'ava'
import { sqliteDatabases } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'
import { simulateStores } from './stores/year.ts'

// `npm run simulate -- --stores --seed random` plays another half year.
for (const [declare, members, months] of [
  [test, 8, 3],
  [thorough(test), 24, 6],
] as const)
  declare.serial(
    `${members} members buy on the web and in apps for ${months} months, and the books of all agree`,
    async (t) => {
      const database = await sqliteDatabases()
      try {
        const size = { seed: '2026', members, months, database: await database.url() }
        const { lost, wrong, lines, sent, tests, places } = await simulateStores(size)
        t.log(lines.join(' | '))
        t.deepEqual([...lost, ...wrong], [])
        for (const fate of ['twice', 'late', 'lost']) t.true((sent.get(fate) ?? 0) > 0, fate)
        t.true(tests > 0)
        t.true(places.both > 0)
      } finally {
        await database.close()
      }
    },
  )
