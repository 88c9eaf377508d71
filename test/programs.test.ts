import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { toProgram } from './support/programs.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'examples/programs')
// Inside the project, so that its packages are found.
const translated = mkdtempSync(join(root, '.programs-'))
test.after.always(() => rmSync(translated, { recursive: true, force: true }))

/** What somebody writes against the types alone; `test/types.test.ts` compiles each as a site would. */
for (const name of readdirSync(folder))
  test(`a site’s program compiles and runs: ${name}`, async (t) => {
    const file = join(translated, name.replace('.ts', '.mjs'))
    await toProgram(join(folder, name), file)
    const { run, expected } = (await import(file)) as { run: () => Promise<string>; expected: string }
    t.is(await run(), expected)
  })
