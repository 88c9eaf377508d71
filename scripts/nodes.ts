/** Runs the suite on each Node that the package promises: `npm run nodes [-- 22 24 test/site/*.test.ts …]`. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const given = process.argv.slice(2)
const isVersion = (one: string) => /^\d+(\.\d+)*$/.test(one)
const versions = given.some(isVersion) ? given.filter(isVersion) : ['20.19', '22', '24']
const tests = given.filter((one) => !isVersion(one))
// A folder with everything installed saves the install and the build of better-sqlite3.
const kept = process.env.NODES_FOLDER
const folder = kept ?? mkdtempSync(join(tmpdir(), 'membership-nodes-'))

/** A Node with its headers, from the registry: its folder. */
const nodeOf = (version: string): string => {
  const at = join(folder, `node-${version}`)
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const home = join(at, 'node_modules', name)
  if (existsSync(home)) return home
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'package.json'), '{ "private": true }')
  // Its own script would look for another package.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent', '--prefer-offline']
  execFileSync('npm', ['install', ...options, `${name}@${version}`], { cwd: at, stdio: 'inherit' })
  return home
}

/** The tree as it lies here, without what is built or ignored, with modules that this Node has built. */
const copyFor = (version: string, env: NodeJS.ProcessEnv): string => {
  const at = join(folder, `tree-${version}`)
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  for (const name of execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\0')) {
    if (name === '' || !existsSync(join(root, name))) continue
    mkdirSync(dirname(join(at, name)), { recursive: true })
    cpSync(join(root, name), join(at, name))
  }
  if (!existsSync(join(at, 'node_modules')))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent', '--prefer-offline'], {
      cwd: at,
      env,
      stdio: 'inherit',
    })
  return at
}

let failed = 0
for (const version of versions) {
  const home = nodeOf(version)
  const env = {
    ...process.env,
    PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}`,
    // What is compiled is compiled against this Node's own headers.
    npm_config_nodedir: home,
  }
  const at = copyFor(version, env)
  const node = join(home, 'bin', 'node')
  const exact = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  console.log(`== Node ${exact}`)
  const { status } = spawnSync(node, ['--import', 'tsx', 'test/run.ts', ...tests], {
    cwd: at,
    env,
    stdio: 'inherit',
  })
  console.log(`${status === 0 ? '✔' : '✘'} Node ${exact}`)
  if (status !== 0) failed++
}
if (kept === undefined) rmSync(folder, { recursive: true, force: true })
if (failed > 0) process.exitCode = 1
