import test from 'ava'
import { postgresDatabases } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'
import { search } from './model/run.ts'
import { providers } from './model/steps.ts'

// `npm run simulate -- --model --minutes 10 --seed random` plays others, for longer.
for (const [declare, runs] of [
  [test, 10],
  [thorough(test), 100],
] as const) {
  declare.serial(
    `whatever a few people do, access is what was paid or given, and nobody pays twice: ${runs} histories`,
    async (t) => {
      const { played, report } = await search({ keys: providers, seed: 2026, ms: 600_000, runs })
      t.log(`${played} histories`)
      t.is(report, null, report ?? '')
      t.true(played > 3)
    },
  )

  declare.serial(`the same on PostgreSQL: ${runs / 5} histories`, async (t) => {
    const databases = await postgresDatabases()
    t.teardown(() => databases.close())
    const database = () => databases.url()
    const { played, report } = await search({
      keys: providers,
      seed: 2027,
      ms: 600_000,
      runs: runs / 5,
      database,
    })
    t.log(`${played} histories`)
    t.is(report, null, report ?? '')
  })
}
