import test from 'ava'
import { createRandom } from '../../src/fakes/engine/random.ts'
import { loader, programFile } from '../support/command.ts'
import { run } from './model/run.ts'
import { type ActionName, actionNames, historyOf, selections } from './model/triples.ts'
import { type Played, playIn } from './model/triples-run.ts'

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

test('what an action needs stands before all others, and after what it needs itself', (t) => {
  const kinds = historyOf(['buy a plan', 'merge', 'resume']).steps.map((step) => step.do)
  t.deepEqual(kinds.slice(0, 4), ['buy', 'pause', 'merge', 'resume'])
})

const week = Math.floor(Date.now() / (7 * 86_400_000))
const host = [...loader, programFile('triples-host')]
const usual = { depth: 3, only: [], worker: [1, 1], all: false, ms: 60_000, branches: 1 } as const

test.serial(`a part of all triples, another each week: week ${week}`, async (t) => {
  const found: Played[] = []
  await playIn(host, { ...usual, part: [1 + (week % 1000), 1000], leaves: 8 }, (branch) => found.push(branch))
  t.is(found[0]?.played, 8)
  t.deepEqual(
    found.flatMap(({ broken }) => broken),
    [],
  )
})

test.serial('a copy of what several histories begin with ends like a replay of each', async (t) => {
  const found: Played[] = []
  const terms = {
    ...usual,
    only: ['refund in full', 'give'],
    part: [3, 50],
    leaves: 3,
    compares: true,
  } as const
  await playIn(host, terms, (branch) => found.push(branch))
  t.true(found[0]!.played > 1)
  t.is(found[0]?.different, 0)
})

test.serial('some are played from their start, over HTTP', async (t) => {
  const random = createRandom('triples', `week ${week}`)
  const one = (): ActionName => actionNames[Math.floor(random() * actionNames.length)]!
  for (let n = 0; n < 2; n++) {
    const names = [one(), one(), one()]
    const { broken, log } = await run(historyOf(names))
    t.deepEqual(broken, [], [names.join(', '), ...log].join('\n'))
  }
})
