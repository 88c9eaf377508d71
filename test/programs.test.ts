import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'

const folder = join(import.meta.dirname, 'programs')

/** What somebody writes against the types alone; `test/types.test.ts` compiles each as a site would. */
for (const name of readdirSync(folder))
  test(`a program of a site runs as it compiles: ${name}`, async (t) => {
    const { run, expected } = (await import(join(folder, name))) as {
      run: () => Promise<string>
      expected: string
    }
    t.is(await run(), expected)
  })
