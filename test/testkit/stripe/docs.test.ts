import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'

const root = join(import.meta.dirname, '../../..')

test('the example of docs/testing.md runs as it stands', async (t) => {
  const text = await readFile(join(root, 'docs/testing.md'), 'utf8')
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(text) ?? []
  t.regex(code, /createFakeStripe/)
  // Inside the project, so that its dependencies are found.
  const folder = await mkdtemp(join(root, '.testing-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'example.mts')
  const kit = pathToFileURL(join(root, 'src/testkit/index.ts')).href
  await writeFile(file, `${code.replace("'membership/testkit'", `'${kit}'`)}\nconsole.log('went through')\n`)
  const { stdout } = await promisify(execFile)(process.execPath, ['--import=tsx', file], { cwd: root })
  t.is(stdout, 'went through\n')
})
