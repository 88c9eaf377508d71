import { join } from 'node:path'

/** What Node runs as `membership`: what was built once for the whole suite, which starts in a third of the time; alone, a
 *  test file runs the source. */
export const command: readonly string[] = process.env.TEST_BUILT
  ? [join(process.env.TEST_BUILT, 'cli/main.js')]
  : ['--import', import.meta.resolve('tsx'), join(import.meta.dirname, '../../src/cli/main.ts')]
