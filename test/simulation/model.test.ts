import test from 'ava'
import { histories } from './model/histories.ts'
import { run } from './model/run.ts'
import { kinds } from './model/steps.ts'

for (const [title, history] of Object.entries(histories))
  test.serial(title, async (t) => {
    const { broken, log } = await run(history)
    t.deepEqual(broken, [], log.join('\n'))
  })

test('every kind of step can be left out, and every name is a kind', (t) => {
  for (const { steps } of Object.values(histories))
    for (const step of steps)
      t.true(kinds.includes(step.do === 'import' ? 'grant' : step.do === 'undo switch' ? 'switch' : step.do))
})
