import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import type { TestDatabase } from '../support/databases.ts'
import { databaseTitle, ratio, report, table } from './report.ts'

interface Said {
  readonly cpu: number
  readonly p50: number
  readonly p99: number
  readonly refused: number
  readonly why: string | null
}

export interface HotRun {
  readonly processes: number
  readonly customers: number
  readonly seconds: number
  /** Of all processes together, the database's excluded. */
  readonly cpu: number
  readonly p50: number
  readonly p99: number
  readonly refused: number
  readonly deadlocks: number
}

/**
 * So many messages about so many customers, handed in turns to so many processes: at one database, or
 * `apart`, each at a database of its own, which shows what the processes themselves cost a machine.
 */
export async function hotRun(
  database: TestDatabase,
  {
    processes,
    count,
    customers,
    connections = 64,
    apart = false,
  }: {
    processes: number
    count: number
    customers: number
    connections?: number
    apart?: boolean
  },
): Promise<HotRun> {
  const shared = await database.url()
  const before = await deadlocksIn(shared)
  const children = []
  for (let index = 0; index < processes; index++) {
    const url = apart ? await database.url() : shared
    const numbers = [index, processes, count, customers, Math.ceil(connections / processes)].map(String)
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', join(import.meta.dirname, 'hot-process.ts'), url, ...numbers],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    await once(child.stdout, 'data')
    children.push(child)
  }
  const begun = performance.now()
  const results = await Promise.all(
    children.map(async (child) => {
      child.stdin.write('go\n')
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const seconds = (performance.now() - begun) / 1000
      const said = JSON.parse(line.toString()) as Said
      if (said.why) console.log(`  ${said.why.slice(0, 300)}`)
      return { ...said, seconds }
    }),
  )
  const most = (of: (item: (typeof results)[number]) => number) => Math.max(...results.map(of))
  return {
    processes,
    customers,
    seconds: most((r) => r.seconds),
    cpu: results.reduce((sum, r) => sum + r.cpu, 0),
    p50: most((r) => r.p50),
    p99: most((r) => r.p99),
    refused: results.reduce((sum, r) => sum + r.refused, 0),
    deadlocks: (await deadlocksIn(shared)) - before,
  }
}

async function deadlocksIn(url: string): Promise<number> {
  if (url.startsWith('sqlite:')) return 0
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ n: string }>(
    'select deadlocks as n from pg_stat_database where datname = current_database()',
  )
  await client.end()
  return Number(rows[0]?.n ?? 0)
}

interface HotLevel {
  readonly database: string
  readonly run: HotRun
  /** The run of one process. */
  readonly single: HotRun
  /** As many processes that share nothing but the machine; null for one process. */
  readonly apart: HotRun | null
}

/** One, two and four processes, with few and with many customers. */
export async function benchHot(database: TestDatabase, count: number): Promise<HotLevel[]> {
  const levels: HotLevel[] = []
  for (const customers of [200, 2500]) {
    const single = await hotRun(database, { processes: 1, count, customers })
    levels.push({ database: databaseTitle(database), run: single, single, apart: null })
    for (const processes of [2, 4]) {
      const run = await hotRun(database, { processes, count, customers })
      const apart = await hotRun(database, { processes, count, customers, apart: true })
      levels.push({ database: databaseTitle(database), run, single, apart })
    }
  }
  return levels
}

export function printHot(levels: readonly HotLevel[], count: number): void {
  const sum = (key: 'refused' | 'deadlocks') => levels.reduce((all, { run }) => all + run[key], 0)
  report(
    'several',
    `Several processes at one database, ${count} messages`,
    table(
      levels,
      {
        database: ({ database }) => database,
        customers: ({ run }) => run.customers,
        processes: ({ run }) => run.processes,
        'time, of one process': ({ run, single }) => ratio(run.seconds / single.seconds),
        'slowest of 100 messages, of one process': ({ run, single }) => ratio(run.p99 / single.p99),
        'time, of processes apart': ({ run, apart }) => (apart ? ratio(run.seconds / apart.seconds) : ''),
      },
      {
        seconds: ({ run }) => run.seconds.toFixed(1),
        'messages/s': ({ run }) => Math.round(count / run.seconds),
        'CPU s': ({ run }) => run.cpu.toFixed(1),
        'p50 ms': ({ run }) => run.p50.toFixed(1),
        'p99 ms': ({ run }) => run.p99.toFixed(1),
        'seconds apart': ({ apart }) => apart?.seconds.toFixed(1) ?? '',
      },
    ),
    `${sum('refused')} messages were not answered, and there were ${sum('deadlocks')} deadlocks.`,
  )
}
