import test from 'ava'
import { readOutput, summaryOf, toGlobs } from './support/output.ts'

test('a plain word runs the test files whose path contains it', (t) => {
  t.deepEqual(toGlobs(['office/office']), [
    'test/**/*office/office*.test.ts',
    'test/**/*office/office*/**/*.test.ts',
  ])
  t.deepEqual(toGlobs(['ledger']), ['test/**/*ledger*.test.ts', 'test/**/*ledger*/**/*.test.ts'])
})

test('paths, globs, options and their values stay as they are', (t) => {
  const args = ['test/core/errors.test.ts', 'test/core/**', '--match', 'a*', '--fail-fast', '-m', 'word']
  t.deepEqual(toGlobs(args), args)
})

const output = `
  ✔ 01 › core › errors › it passes
  ✘ [fail]: 01 › core › log › it fails
  ✘ [fail]: 02 › core › lazy › it throws Error thrown in test
  ─

  01 › core › log › it fails

  Difference (- actual, + expected):

  - 1
  + 2



  02 › core › lazy › it throws

  Error: boom

  ─

  2 tests failed
`

test('a failed run ends with the titles of the failures, and the first failure', (t) => {
  const printed = readOutput(output)
  t.like(printed, { passed: 1, isBroken: false })
  t.is(
    summaryOf(printed),
    `
== Failed
  01 › core › log › it fails
  02 › core › lazy › it throws Error thrown in test

== The first failure
01 › core › log › it fails

  Difference (- actual, + expected):

  - 1
  + 2
`,
  )
})

test('an uncaught exception is distinguished from a failed test', (t) => {
  t.true(readOutput('  Uncaught exception in .tests/groups/03.test.js\n\n  Error: late').isBroken)
  t.true(readOutput('  ✘ Timed out while running tests').isBroken)
  t.false(readOutput('  ✔ 01 › core › errors › Uncaught exception is said').isBroken)
})
