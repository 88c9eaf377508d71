import { readFileSync } from 'node:fs'
import test from 'ava'
import { type FaultName, faults } from '../../src/fakes/engine/index.ts'
import { lineOf } from '../simulation/figures.ts'
import { sellers } from '../simulation/sellers.ts'
import { simulateYear } from '../simulation/year.ts'
import { sqliteDatabases } from '../support/databases.ts'
import { thorough } from '../support/parts.ts'

const names = Object.keys(faults) as FaultName[]

/** Members of a provider with these faults for so many months, compared with its books at the end. */
const live = async (key: string, on: readonly FaultName[], months: number) => {
  const database = await sqliteDatabases()
  try {
    return await simulateYear({
      seller: sellers.find((seller) => seller.key === key)!,
      seed: '2028',
      members: 5,
      months,
      database: await database.url(),
      faults: on,
    })
  } finally {
    await database.close()
  }
}

// One fault for each provider always; every pair of them in the thorough run.
for (const [row, { key }] of sellers.entries())
  for (const [column, name] of names.entries())
    (column === row % names.length ? test : thorough(test)).serial(
      `${key}: with ${name}, access equals the provider’s books at the end`,
      async (t) => {
        const { broken, figures } = await live(key, [name], 2)
        t.log(lineOf(figures.counts.actions))
        t.deepEqual(broken, [])
        t.true((figures.counts.actions.get('pay') ?? 0) > 0)
      },
    )

for (const { key } of sellers)
  thorough(test).serial(`${key}: with every fault together, too`, async (t) => {
    const { broken, figures } = await live(key, names, 2)
    t.log(lineOf(figures.counts.actions))
    t.deepEqual(broken, [])
  })

test('docs/testing.md lists every fault', (t) => {
  const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8')
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)].filter(([, name = '']) => name in faults)
  t.deepEqual(
    listed.map(([, name, does]) => [name, does]),
    Object.entries(faults).map(([name, { does }]) => [name, does]),
  )
})
