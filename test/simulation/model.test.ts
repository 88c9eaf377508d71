import test from 'ava'
import { postgresDatabases } from '../support/databases.ts'
import { histories } from './model/histories.ts'
import { run, search } from './model/run.ts'
import { kinds, providers } from './model/steps.ts'

for (const [title, history] of Object.entries(histories))
  test.serial(title, async (t) => {
    t.timeout(120_000)
    const { broken, log } = await run(history)
    t.deepEqual(broken, [], log.join('\n'))
  })

// `npm run simulate -- --model --minutes 10 --seed random` plays others, for longer.
const runs = process.env.CI ? 60 : 15

test.serial(
  'whatever a few people do, access is what was paid or given, and nobody pays twice',
  async (t) => {
    t.timeout(600_000)
    const { played, report } = await search({ keys: providers, seed: 2026, ms: 240_000, runs })
    t.log(`${played} histories`)
    t.is(report, null, report ?? '')
    t.true(played > 3)
  },
)

test.serial('the same on PostgreSQL', async (t) => {
  t.timeout(600_000)
  const databases = await postgresDatabases()
  t.teardown(() => databases.close())
  const database = () => databases.url()
  const { played, report } = await search({
    keys: providers,
    seed: 2027,
    ms: 240_000,
    runs: runs / 5,
    database,
  })
  t.log(`${played} histories`)
  t.is(report, null, report ?? '')
})

test('every kind of step can be left out, and is a kind', (t) => {
  for (const { steps } of Object.values(histories))
    for (const step of steps)
      t.true(kinds.includes(step.do === 'import' ? 'grant' : step.do === 'undo switch' ? 'switch' : step.do))
})
