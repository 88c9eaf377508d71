import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What an install brings onto a disk, largest first: the package by its folders, then each package that it needs. */
export function benchDisk(root: string): void {
  const own = tally(filesPacked(root).map(({ path, size }) => [path.split('/')[0]!, size]))
  const needed = tally(foldersNeeded(root).map((path) => [nameOf(path), sizeOf(join(root, path))]))
  for (const [title, sizes] of [
    ['The package on disk', own],
    ['What is installed with it', needed],
  ] as const) {
    const total = sizes.reduce((sum, [, size]) => sum + size, 0)
    console.log(`\n### ${title}: ${kB(total)} kB\n\n| | kB |\n|---|---|`)
    for (const [name, size] of sizes.slice(0, 20)) console.log(`| ${name} | ${kB(size)} |`)
  }
  console.log(
    '\n### What would go with a dependency: itself, and what nothing else needs\n\n| | kB | packages |\n|---|---|---|',
  )
  for (const { name, size, count } of goneWithout(root)) console.log(`| ${name} | ${kB(size)} | ${count} |`)
}

/** Dependencies that are no use without each other. */
const together = [
  ['koa', '@koa/router'],
  ['htmlparser2', 'entities'],
]

function goneWithout(root: string): { name: string; size: number; count: number }[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Needing>>
  }
  const direct = Object.keys(packages['']?.dependencies ?? {})
  const all = reached(packages, direct)
  return direct
    .filter((name) => !together.some(([, ...others]) => others.includes(name)))
    .map((name) => together.find(([first]) => first === name) ?? [name])
    .map((names) => {
      const left = reached(
        packages,
        direct.filter((other) => !names.includes(other)),
      )
      const gone = [...all].filter((path) => !left.has(path) && existsSync(join(root, path)))
      const size = gone.reduce((sum, path) => sum + sizeOf(join(root, path)), 0)
      return { name: names.join(', '), size, count: gone.length }
    })
    .sort((a, b) => b.size - a.size)
}

interface Needing {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The places of these packages and of all that they need. */
function reached(packages: Readonly<Record<string, Needing>>, names: readonly string[]): Set<string> {
  const found = new Set<string>()
  const visit = (from: string, name: string): void => {
    const path = placeOf(packages, from, name)
    if (path === undefined || found.has(path)) return
    found.add(path)
    const { dependencies, optionalDependencies } = packages[path] ?? {}
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(path, next)
  }
  for (const name of names) visit('', name)
  return found
}

/** Where Node finds a package that another one asks for: beside it, or above. */
function placeOf(
  packages: Readonly<Record<string, Needing>>,
  from: string,
  name: string,
): string | undefined {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, folder.lastIndexOf('node_modules/')).replace(/\/$/, '')
  ) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (folder === '') return undefined
  }
}

function filesPacked(root: string): { path: string; size: number }[] {
  const args = ['pack', '--dry-run', '--json', '--silent', '--ignore-scripts']
  const [{ files }] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }))
  return files
}

interface Locked {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly peer?: boolean
}

// What only developing needs, and what a site installs if it wants it, is marked in the lock.
function foldersNeeded(root: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages as Record<string, Locked>)
    .filter(([path, { dev, devOptional, peer }]) => path !== '' && !dev && !devOptional && !peer)
    .map(([path]) => path)
    .filter((path) => existsSync(join(root, path)))
}

function nameOf(path: string): string {
  return path.split('node_modules/').at(-1)!
}

/** Without the packages below it, which count for themselves. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .reduce((sum, entry) => {
      const path = join(folder, entry.name)
      return sum + (entry.isDirectory() ? sizeOf(path) : statSync(path).size)
    }, 0)
}

function tally(sizes: readonly (readonly [string, number])[]): [string, number][] {
  const sums = new Map<string, number>()
  for (const [name, size] of sizes) sums.set(name, (sums.get(name) ?? 0) + size)
  return [...sums].sort(([, a], [, b]) => b - a)
}

function kB(bytes: number): number {
  return Math.round(bytes / 1000)
}
