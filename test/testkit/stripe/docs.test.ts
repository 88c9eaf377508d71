import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { toProgram } from '../../support/programs.ts'

const root = join(import.meta.dirname, '../../..')

test('the examples of docs/testing.md run as printed', async (t) => {
  const text = await readFile(join(root, 'docs/testing.md'), 'utf8')
  const codes = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
  t.is(codes.length, 5)
  // Inside the project, so that its dependencies are found.
  const folder = await mkdtemp(join(root, '.readme-testing-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  for (const [i, code] of codes.entries()) {
    const file = join(folder, `example-${i}.mts`)
    await writeFile(file, `${code}\nconsole.log('went through')\n`)
    const program = await toProgram(file, join(folder, `example-${i}.mjs`))
    const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: root })
    t.is(stdout, 'went through\n')
  }
})
