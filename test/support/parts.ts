import type { TestFn } from 'ava'

/**
 * Declares tests that `npm test` leaves out: more of what one of its own tests shows already, for other
 * providers or databases. `npm run test:all` and a run of single files have them.
 */
export function thorough(test: TestFn): TestFn {
  return (test as TestFn & { readonly thorough?: TestFn }).thorough ?? test
}
