import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const built = 'node_modules/better-sqlite3/build'
/** The version of a package that a folder got. */
export function versionIn(place: string, name: string): string {
  return JSON.parse(readFileSync(join(place, 'node_modules', name, 'package.json'), 'utf8')).version
}

function npm(place: string, ...args: readonly string[]): string {
  return execFileSync('npm', args, {
    cwd: place,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  })
}

/** The package as it would be published, in `place`: the tarball's path. `dist/` must lie here. */
export function packInto(place: string): string {
  const [{ filename }] = JSON.parse(npm(root, 'pack', '--json', '--silent', '--pack-destination', place)) as [
    { filename: string },
  ]
  return join(place, filename)
}

/**
 * Installs packages into an empty folder, as a site's. What an install would build for a minute lies here already, made
 * by this very Node; where the site gets another version of it, it is built.
 */
export function installInto(place: string, packages: readonly string[]): void {
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'site', private: true, type: 'module' }))
  const spared = existsSync(join(root, built)) ? ['--ignore-scripts'] : []
  npm(place, 'install', '--no-audit', '--no-fund', '--silent', '--prefer-offline', ...spared, ...packages)
  if (spared.length > 0) withBuiltSqlite(place)
}

/** Copies the built better-sqlite3 from here into a folder that was installed without scripts, else builds it there. */
export function withBuiltSqlite(place: string): void {
  const isBuilt = existsSync(join(root, built))
  if (isBuilt && versionIn(place, 'better-sqlite3') === versionIn(root, 'better-sqlite3'))
    cpSync(join(root, built), join(place, built), { recursive: true })
  else npm(place, 'rebuild', '--silent', 'better-sqlite3')
}
