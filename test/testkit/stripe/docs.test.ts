import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'

const root = join(import.meta.dirname, '../../..')

test('the examples of docs/testing.md run as they stand', async (t) => {
  const text = await readFile(join(root, 'docs/testing.md'), 'utf8')
  const codes = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
  t.is(codes.length, 2)
  // Inside the project, so that its dependencies are found.
  const folder = await mkdtemp(join(root, '.testing-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const from = (file: string) => `'${pathToFileURL(join(root, file)).href}'`
  for (const [i, code] of codes.entries()) {
    const file = join(folder, `example-${i}.mts`)
    const resolved = code
      .replace("'membership/testkit'", from('src/testkit/index.ts'))
      .replace("'membership'", from('src/index.ts'))
    await writeFile(file, `${resolved}\nconsole.log('went through')\n`)
    const { stdout } = await promisify(execFile)(process.execPath, ['--import=tsx', file], { cwd: root })
    t.is(stdout, 'went through\n')
  }
})
