import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { faults, type Trial } from './model/without.ts'
import { plantedTrials } from './planted.ts'
import { shopTrials } from './shops/planted.ts'
import { storeTrials } from './stores/planted.ts'

// The simulations are tried by planting faults in the sources. A fault whose place has changed would be planted nowhere.

const root = join(import.meta.dirname, '../..')

test('every planted fault still has its place in the sources, once', (t) => {
  const all: readonly Pick<Trial, 'name' | 'fix'>[] = [
    ...faults,
    ...plantedTrials,
    ...storeTrials,
    ...shopTrials,
  ]
  t.true(all.length >= 40)
  const lost = all.flatMap(({ name, fix }) =>
    fix
      .filter(({ file, lines }) => readFileSync(join(root, file), 'utf8').split(lines).length !== 2)
      .map(({ file, lines }) => `${name}: ${file}: ${lines}`),
  )
  t.deepEqual(lost, [])
})
