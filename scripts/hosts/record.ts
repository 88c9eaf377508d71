import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Added, type EntrySize, type Runs, type Suite, withRuns } from './table.ts'
import type { Walked } from './walk.ts'

// A run in a copy of the tree writes where the tree itself lies.
const root = process.env.RUNS_ROOT ?? join(import.meta.dirname, '../..')
const file = join(root, 'scripts/hosts/runs.json')
const page = join(root, 'docs/tested.md')

/** What has been recorded. */
export function readRuns(): Runs {
  return { add: {}, sizes: {}, ...JSON.parse(readFileSync(file, 'utf8')) }
}

/** Records walks on a Node, in place of earlier ones on its major version, and writes docs/tested.md. */
export function noteWalks(node: string, walks: Readonly<Record<string, Walked>>): void {
  const { hosts, ...others } = readRuns()
  const noted = Object.entries(walks).map(([name, { events, gate, sells }]) => [
    name,
    newest(hosts[name] ?? {}, node, { events, gate, sells }),
  ])
  write({ ...others, hosts: { ...hosts, ...Object.fromEntries(noted) } })
}

/** Records how the suite ended on a Node, likewise. */
export function noteSuite(node: string, counted: Suite): void {
  const runs = readRuns()
  write({ ...runs, suite: newest(runs.suite, node, counted) })
}

/** Records the sizes and load times of entries. */
export function noteSizes(sizes: Readonly<Record<string, EntrySize>>): void {
  const runs = readRuns()
  write({ ...runs, sizes: { ...runs.sizes, ...sizes } })
}

/** Records what `membership add` showed in starters. */
export function noteAdds(added: Readonly<Record<string, Added>>): void {
  const runs = readRuns()
  write({ ...runs, add: { ...runs.add, ...added } })
}

function newest<T>(known: Readonly<Record<string, T>>, node: string, shown: T): Record<string, T> {
  const others = Object.entries(known).filter(([item]) => majorOf(item) !== majorOf(node))
  return Object.fromEntries([...others, [node, shown] as const].sort(([a], [b]) => majorOf(a) - majorOf(b)))
}
function majorOf(version: string): number {
  return Number.parseInt(version, 10)
}

function write(runs: Runs): void {
  writeFileSync(file, `${JSON.stringify(runs, null, 2)}\n`)
  writeFileSync(page, withRuns(readFileSync(page, 'utf8'), runs))
}
