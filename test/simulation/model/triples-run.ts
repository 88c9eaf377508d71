import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { toProgram } from '../../support/programs.ts'
import type { Terms } from '../../support/triples-host.ts'
import { reportOf, run } from './run.ts'
import { type Broken, historyOf, withoutIds } from './triples.ts'

/** A part of all selections, and how long it may take. */
export interface Part extends Omit<Partial<Terms>, 'ms' | 'worker'> {
  readonly ms: number
  readonly print?: (line: string) => void
}

/** What one branch came to. */
export interface Played {
  readonly played: number
  readonly twins: number
  /** Of copies that were compared with a replay. */
  readonly different: number
  readonly broken: readonly Broken[]
}

/**
 * Plays a part in two processes. Answers how many were played and came to the same state as another, and each kind of
 * broken law once, with the shortest history that breaks it when it is played from the start, over HTTP.
 */
export async function playTriples({ print = () => {}, ...part }: Part) {
  const terms = { depth: 3, only: [], part: [1, 1], all: false, ...part } as const
  const outfile = join(import.meta.dirname, '../../../.tests/triples/host.js')
  const source = join(import.meta.dirname, '../../support/triples-host.ts')
  const program = (await toProgram(source, outfile)).at(-1)!
  const kinds = new Map<string, { count: number; readonly names: Broken['names'] }>()
  let [played, twins] = [0, 0]
  const take = (branch: Played): void => {
    played += branch.played
    twins += branch.twins
    for (const { names, broken } of branch.broken) {
      const kind = broken.map(withoutIds).sort().join('\n')
      const known = kinds.get(kind)
      if (known) known.count++
      else {
        kinds.set(kind, { count: 1, names })
        print(`broken: ${names.join(', ')}: ${broken.join('; ')}`)
      }
    }
    print(`${played} played`)
  }
  const arguments_ = ['--max-semi-space-size=64', program]
  await Promise.all([1, 2].map((k) => playIn(arguments_, { ...terms, worker: [k, 2] }, take)))
  const reports: string[] = []
  for (const [kind, { count, names }] of kinds) reports.push(await confirmed(`${count} times`, names, kind))
  return { played, twins, reports }
}

/** Plays in a process of its own. */
export async function playIn(
  program: readonly string[],
  terms: Terms,
  take: (branch: Played) => void,
): Promise<void> {
  const child = spawn(process.execPath, [...program, JSON.stringify(terms)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((done) => child.once('close', done))
  for await (const line of createInterface({ input: child.stdout })) take(JSON.parse(line))
  const code = await ended
  if (code !== 0) throw new Error(`A process that plays triples ended with ${code}`)
}

/** The report of a history from its start. The tree runs fewer jobs, so that a law may break in the tree alone. */
async function confirmed(title: string, names: Broken['names'], kind: string): Promise<string> {
  const history = historyOf(names)
  const isBroken = (await run(history)).broken.length > 0
  const report = isBroken ? await reportOf(history) : `only in the tree:\n${kind}`
  return `${title}: ${names.join(', ')}\n${report}`
}
