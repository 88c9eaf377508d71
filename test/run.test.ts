import test from 'ava'
import { toGlobs } from './support/test-names.ts'

test('a plain word runs the test files whose path contains it', (t) => {
  t.deepEqual(toGlobs(['ledger']), ['test/**/*ledger*.test.ts', 'test/**/*ledger*/**/*.test.ts'])
})

test('paths, globs, options and their values stay as they are', (t) => {
  const args = ['test/core/errors.test.ts', 'test/core/**', '--match', 'a*', '--fail-fast', '-m', 'word']
  t.deepEqual(toGlobs(args), args)
})
