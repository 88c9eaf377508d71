// Plays one test by a JSON with its file, its title and the law that it holds. It exits with 3 when the test fails.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

interface Named {
  readonly file: string
  readonly title: string
  readonly law: string
}

const root = join(import.meta.dirname, '../../..')
const { file, title, law } = JSON.parse(process.argv[2] ?? '{}') as Named
const ava = join(root, 'node_modules/ava/entrypoints/cli.mjs')
const { status } = spawnSync(process.execPath, [ava, file, '-m', title], { cwd: root })
if (status === 0) process.exit(0)
console.log(`test: ${law}: ${title}`)
process.exit(3)
