import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from './events.ts'
import type { bringPeers } from './peers.ts'
import { ratio, report, table } from './report.ts'

interface Started {
  readonly cpu: number
  readonly heap: number
  readonly packages: Readonly<Record<string, number>>
}

/**
 * What it costs to import the built package and to make an instance that sells at Stripe on an SQLite file that is there,
 * beside better-auth with its Stripe plugin: processes of their own, in turn; and which files that loads.
 */
export function benchStart(folder: string, rounds: number, peers: ReturnType<typeof bringPeers>): void {
  const kinds = ['own', ...(peers === null ? [] : ['better-auth'])]
  const start = (kind: string, ...more: readonly string[]): Started => {
    const child = join(import.meta.dirname, 'start-child.mjs')
    const args = ['--expose-gc', child, kind, join(folder, `start-${kind}.db`), peers?.folder ?? '', ...more]
    const said = execFileSync(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    })
    return JSON.parse(said.trim().split('\n').at(-1)!) as Started
  }
  const runs = new Map(kinds.map((kind) => [kind, [] as Started[]]))
  // The first makes the database.
  for (let round = -1; round < rounds; round++)
    for (const kind of kinds) {
      const item = start(kind)
      if (round >= 0) runs.get(kind)!.push(item)
    }
  const others = runs.get('better-auth')
  report(
    'start',
    'A start',
    table(
      kinds.map((kind) => {
        const files = Object.entries(start(kind, 'list').packages).sort(([, a], [, b]) => b - a)
        return { kind, mine: runs.get(kind)!, files }
      }),
      {
        '': ({ kind }) =>
          kind === 'own' ? 'membership' : `better-auth ${peers?.version}, with its Stripe plugin`,
        'CPU, of better-auth’s': ({ mine }) =>
          others ? ratio(median(mine.map(({ cpu }, n) => cpu / others[n]!.cpu))) : '',
        'heap MB': ({ mine }) => median(mine.map(({ heap }) => heap)).toFixed(1),
        files: ({ files }) => files.reduce((sum, [, count]) => sum + count, 0),
      },
      {
        'CPU ms': ({ mine }) => median(mine.map(({ cpu }) => cpu)).toFixed(0),
        'most of the files': ({ files }) =>
          files
            .slice(0, 12)
            .map(([name, count]) => `${name} ${count}`)
            .join(', '),
      },
    ),
  )
}
