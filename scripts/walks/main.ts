/**
 * Follows the pages as a reader would, each walk in an empty folder: `npm run walks` takes the quick ones,
 * `-- --all` all, `-- hono next` some, and `--node 24` gives the reader another Node. `--record` writes the
 * day into docs/tested.md. `MEMBERSHIP_TARBALL` names a packed package, and `PICTURES` a folder for pictures.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packInto } from '../install.ts'
import { envOfNode, nodeInto } from '../node-binary.ts'
import { withWalks } from './table.ts'
import { walkPages } from './walk.ts'
import { walks } from './walks.ts'

const root = join(import.meta.dirname, '../..')
const node = process.argv.includes('--node') ? process.argv[process.argv.indexOf('--node') + 1] : undefined
const named = process.argv.slice(2).filter((item) => !item.startsWith('--') && item !== node)
const isAll = process.argv.includes('--all')
const wanted = named.length > 0 ? named : Object.keys(walks).filter((name) => isAll || walks[name]?.isQuick)

const folder = mkdtempSync(join(tmpdir(), 'membership-walks-'))
const tarball = process.env.MEMBERSHIP_TARBALL ?? packed()
if (node !== undefined)
  Object.assign(process.env, envOfNode(nodeInto(process.env.NODES_FOLDER ?? folder, node)))
const version = execFileSync('node', ['--version'], { encoding: 'utf8' }).trim()
console.log(`Node ${version}: ${wanted.join(', ')}`)
const walked: string[] = []
for (const name of wanted) {
  const began = Date.now()
  const seconds = () => ((Date.now() - began) / 1000).toFixed(0)
  try {
    await walkPages(name, tarball)
    walked.push(name)
    console.log(`✔ ${name}: ${walks[name]?.title} (${seconds()} s)`)
  } catch (error) {
    console.log(`✘ ${name} (${seconds()} s)\n${(error as Error).message}`)
  }
}
if (process.argv.includes('--record')) {
  const page = join(root, 'docs/tested.md')
  const today = new Date().toISOString().slice(0, 10)
  writeFileSync(page, withWalks(readFileSync(page, 'utf8'), { walked, node: version, today }))
}
rmSync(folder, { recursive: true, force: true })
// The databases of the tests end a process that ends by itself with 0.
process.exit(walked.length === wanted.length ? 0 : 1)

/** Packs this tree, which is built first unless it is. */
function packed(): string {
  if (!existsSync(join(root, 'dist/index.js')))
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  return packInto(folder)
}
