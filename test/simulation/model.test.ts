import test from 'ava'
import { postgresDatabases } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'
import { histories } from './model/histories.ts'
import { run, search } from './model/run.ts'
import { kinds, providers } from './model/steps.ts'

for (const [title, history] of Object.entries(histories))
  test.serial(title, async (t) => {
    const { broken, log } = await run(history)
    t.deepEqual(broken, [], log.join('\n'))
  })

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
      ...{ keys: providers, seed: 2027, ms: 600_000 },
      ...{ runs: runs / 5, database },
    })
    t.log(`${played} histories`)
    t.is(report, null, report ?? '')
  })
}

test('every kind of step can be left out, and every name is a kind', (t) => {
  for (const { steps } of Object.values(histories))
    for (const step of steps)
      t.true(kinds.includes(step.do === 'import' ? 'grant' : step.do === 'undo switch' ? 'switch' : step.do))
})
