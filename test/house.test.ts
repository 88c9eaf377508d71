import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { providers } from '../src/providers/index.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)

test('a provider is one folder and one line', async (t) => {
  const entries = await readdir(join(root, 'src', 'providers'), { withFileTypes: true })
  t.deepEqual(
    providers.map(({ key }) => key).sort(),
    entries
      .filter((e) => e.isDirectory())
      .map((e) => e.name)
      .sort(),
  )
})

test('a database is one file', async (t) => {
  const files = (await readdir(join(root, 'src', 'storage'))).filter((name) => /sqlite|postgres/.test(name))
  t.deepEqual(files.sort(), ['postgres.ts', 'sqlite.ts'])
})

test('the layer rule finds an import that goes up', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'membership-house-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'src', 'dto'), { recursive: true })
  await mkdir(join(folder, 'src', 'members'), { recursive: true })
  await writeFile(join(folder, 'tsconfig.json'), '{}')
  await writeFile(join(folder, 'src', 'members', 'index.ts'), 'export const name = 1\n')
  await writeFile(
    join(folder, 'src', 'dto', 'wrong.ts'),
    "import { name } from '../members/index.ts'\nexport const other = name\n",
  )
  const found = await t.throwsAsync(
    run(
      process.execPath,
      [
        join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs'),
        '--config',
        join(root, '.dependency-cruiser.cjs'),
        'src',
      ],
      { cwd: folder },
    ),
  )
  t.regex((found as unknown as { stdout: string }).stdout, /floor-of-dto/)
})
