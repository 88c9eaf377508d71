import test from 'ava'
import { createRandom } from '../../src/fakes/engine/random.ts'
import { run } from './model/run.ts'
import { type ActionName, actionNames, historyOf, selections } from './model/triples.ts'

// `npm run simulate -- --triples` plays all of them.

test('two actions in each order, and each action alone, are histories that begin with what they need', (t) => {
  t.true(actionNames.length >= 32)
  const { all, chosen } = selections(2)
  t.is(all, actionNames.length ** 2)
  t.true(chosen.length > all * 0.95)
  for (const names of chosen) {
    const { steps } = historyOf(names)
    t.true(steps.length >= 5, names.join(', '))
    if (names.includes('merge back')) t.true(steps.some((step) => step.do === 'merge'))
    if (names.includes('redeem')) t.true(steps.some((step) => step.do === 'give'))
  }
})

const week = Math.floor(Date.now() / (7 * 86_400_000))

test.serial(`a few of all triples, others each week: week ${week}`, async (t) => {
  const random = createRandom('triples', `week ${week}`)
  const one = (): ActionName => actionNames[Math.floor(random() * actionNames.length)]!
  for (let n = 0; n < 4; n++) {
    const names = [one(), one(), one()]
    const { broken, log } = await run(historyOf(names))
    t.deepEqual(broken, [], [names.join(', '), ...log].join('\n'))
  }
})
