/**
 * Runs the suite on each Node that the package promises: `npm run nodes [-- 22 24 test/site/*.test.ts …]`;
 * with `--record` the table of docs/tested.md counts its tests. `--hosts koa next …` walks hosts there
 * instead.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { noteSuite } from './hosts/record.ts'
import { countsIn } from './hosts/table.ts'
import { envOfNode, nodeInto } from './node-binary.ts'

const root = join(import.meta.dirname, '..')
const given = process.argv.slice(2).filter((item) => !item.startsWith('--'))
const isRecorded = process.argv.includes('--record')
const walksHosts = process.argv.includes('--hosts')
function isVersion(item: string) {
  return /^\d+(\.\d+)*$/.test(item)
}
const versions = given.some(isVersion) ? given.filter(isVersion) : ['20.19', '22', '24']
const wanted = given.filter((item) => !isVersion(item))
// A folder with everything installed saves the install and the build of better-sqlite3.
const kept = process.env.NODES_FOLDER
const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-nodes-'))

/** The tree as it lies here, without what is built or ignored, with modules that this Node has built. */
function copyFor(version: string, env: NodeJS.ProcessEnv): string {
  const at = join(folder, `tree-${version}`)
  rmSync(join(at, 'dist'), { recursive: true, force: true })
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  for (const name of execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\0')) {
    if (name === '' || !existsSync(join(root, name))) continue
    mkdirSync(dirname(join(at, name)), { recursive: true })
    cpSync(join(root, name), join(at, name))
  }
  // Public payloads that tests read where they lie beside the tree.
  const [payloads, linked] = [join(root, '../shared'), join(folder, 'shared')]
  if (existsSync(payloads) && !existsSync(linked)) symlinkSync(payloads, linked)
  if (!existsSync(join(at, 'node_modules')))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent', '--prefer-offline'], {
      cwd: at,
      env,
      stdio: 'inherit',
    })
  return at
}

interface There {
  readonly node: string
  readonly at: string
  readonly env: NodeJS.ProcessEnv
}

async function runSuite({ node, at, env }: There, exact: string): Promise<boolean> {
  const args = ['--import', 'tsx', 'test/run.ts', ...(wanted.length > 0 ? wanted : ['--all'])]
  const suite = spawn(node, args, { cwd: at, env, stdio: ['inherit', 'pipe', 'inherit'] })
  let said = ''
  suite.stdout.setEncoding('utf8').on('data', (chunk) => {
    process.stdout.write(chunk)
    said += chunk
  })
  const [status] = await once(suite, 'close')
  if (isRecorded && wanted.length === 0) noteSuite(exact, countsIn(said))
  return status === 0
}

function runHosts({ node, at, env }: There): boolean {
  const args = ['--import', 'tsx', 'scripts/hosts/main.ts', ...wanted, ...(isRecorded ? ['--record'] : [])]
  return spawnSync(node, args, { cwd: at, env: { ...env, RUNS_ROOT: root }, stdio: 'inherit' }).status === 0
}

let failed = 0
for (const version of versions) {
  const home = nodeInto(folder, version)
  const env = envOfNode(home)
  const there = { node: join(home, 'bin', 'node'), at: copyFor(version, env), env }
  const exact = execFileSync(there.node, ['--version'], { encoding: 'utf8' }).trim().slice(1)
  console.log(`== Node ${exact}`)
  const holds = walksHosts ? runHosts(there) : await runSuite(there, exact)
  console.log(`${holds ? '✔' : '✘'} Node ${exact}`)
  if (!holds) failed++
}
if (kept === undefined) rmSync(folder, { recursive: true, force: true })
if (failed > 0) process.exitCode = 1
