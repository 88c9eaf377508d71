import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What an install brings onto a disk, largest first: the package by its folders, then each package that it needs. */
export const benchDisk = (root: string): void => {
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
}

const filesPacked = (root: string): { path: string; size: number }[] => {
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
const foldersNeeded = (root: string): string[] => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages as Record<string, Locked>)
    .filter(([path, { dev, devOptional, peer }]) => path !== '' && !dev && !devOptional && !peer)
    .map(([path]) => path)
    .filter((path) => existsSync(join(root, path)))
}

const nameOf = (path: string): string => path.split('node_modules/').at(-1)!

/** Without the packages below it, which count for themselves. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .reduce((sum, entry) => {
      const path = join(folder, entry.name)
      return sum + (entry.isDirectory() ? sizeOf(path) : statSync(path).size)
    }, 0)

const tally = (sizes: readonly (readonly [string, number])[]): [string, number][] => {
  const sums = new Map<string, number>()
  for (const [name, size] of sizes) sums.set(name, (sums.get(name) ?? 0) + size)
  return [...sums].sort(([, a], [, b]) => b - a)
}

const kB = (bytes: number): number => Math.round(bytes / 1000)
