/**
 * `npm run installs [-- 22 24]`: installs the packed package into an empty folder on each Node that it promises, with
 * and without install scripts, and prints a table: seconds, packages, megabytes, and which driver opens a SQLite file.
 * `dist/` must lie here (`npm run build`). `NODES_FOLDER` keeps the Nodes that were brought.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packInto, versionIn } from './install.ts'
import { envOfNode, nodeInto } from './node-binary.ts'

const versions = process.argv.length > 2 ? process.argv.slice(2) : ['20.19', '22', '24']
const folder = mkdtempSync(join(tmpdir(), 'membership-installs-'))
const nodes = process.env.NODES_FOLDER ?? folder

// Opens a site's file, as the first start does, and says which driver did.
const probe = `
import { createMembership } from 'membership'
const said = []
try {
  const m = await createMembership({ root: false, log: (text) => said.push(text), 'membership.database.url': 'sqlite:site.db' })
  await m.close()
  console.log(said.some((text) => text.includes('node:sqlite')) ? 'node:sqlite' : 'better-sqlite3')
} catch (error) {
  console.log(error.code ?? error.message)
}
`

try {
  const tarball = packInto(folder)
  console.log('| Node | Install | Seconds | Packages | MB | SQLite through |\n|---|---|---|---|---|---|')
  for (const version of versions)
    for (const options of [[], ['--ignore-scripts']]) console.log(lineOf(version, options, tarball))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function lineOf(version: string, options: readonly string[], tarball: string): string {
  const home = nodeInto(nodes, version)
  const env = envOfNode(home)
  const place = join(folder, `site-${version}${options.join('')}`)
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{ "private": true, "type": "module" }')
  writeFileSync(join(place, 'probe.js'), probe)
  const begun = Date.now()
  const args = ['install', '--no-audit', '--no-fund', '--silent', ...options, tarball]
  execFileSync('npm', args, { cwd: place, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const seconds = (Date.now() - begun) / 1000
  const modules = join(place, 'node_modules')
  const driver = execFileSync('node', ['probe.js'], { cwd: place, env, encoding: 'utf8' }).trim()
  const named = driver === 'better-sqlite3' ? `better-sqlite3 ${versionIn(place, 'better-sqlite3')}` : driver
  const exact = execFileSync('node', ['--version'], { env, encoding: 'utf8' }).trim().slice(1)
  const how = options.length > 0 ? 'without install scripts' : 'as usual'
  const megabytes = (sizeOf(modules) / 1_000_000).toFixed(1)
  return `| ${exact} | ${how} | ${seconds.toFixed(0)} | ${countOf(modules)} | ${megabytes} | ${named} |`
}

function sizeOf(path: string): number {
  return readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    const below = join(path, entry.name)
    if (entry.isDirectory()) return sum + sizeOf(below)
    return entry.isFile() ? sum + statSync(below).size : sum
  }, 0)
}

/** Packages below a folder, those within others included. */
function countOf(modules: string): number {
  const names = readdirSync(modules, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  )
  return names.reduce((sum, { name }) => {
    const path = join(modules, name)
    if (name.startsWith('@')) return sum + countOf(path)
    const inner = readdirSync(path).includes('node_modules') ? countOf(join(path, 'node_modules')) : 0
    return sum + 1 + inner
  }, 0)
}
