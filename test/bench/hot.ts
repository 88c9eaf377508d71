import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import type { TestDatabase } from '../support/databases.ts'

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

/** So many messages about so many customers, handed in turns to so many processes: at one database, or
 *  `apart`, each at a database of its own, which shows what the processes themselves cost a machine. */
export const hotRun = async (
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
): Promise<HotRun> => {
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

const deadlocksIn = async (url: string): Promise<number> => {
  if (url.startsWith('sqlite:')) return 0
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ n: string }>(
    'select deadlocks as n from pg_stat_database where datname = current_database()',
  )
  await client.end()
  return Number(rows[0]?.n ?? 0)
}

/** One, two and four processes, with few and with many customers, and as many that share nothing but the machine. */
export const benchHot = async (database: TestDatabase, count: number): Promise<void> => {
  console.log(
    `\n### Several processes at one ${database.name === 'sqlite' ? 'SQLite file' : 'PostgreSQL'}, ${count} messages\n\n| customers | processes | seconds | messages/s | CPU s | p50 ms | p99 ms | not answered | deadlocks | seconds apart | of apart |\n|---|---|---|---|---|---|---|---|---|---|---|`,
  )
  for (const customers of [200, 2500])
    for (const processes of [1, 2, 4]) {
      const r = await hotRun(database, { processes, count, customers })
      const alone = processes > 1 ? await hotRun(database, { processes, count, customers, apart: true }) : r
      console.log(
        `| ${customers} | ${processes} | ${r.seconds.toFixed(1)} | ${Math.round(count / r.seconds)} | ${r.cpu.toFixed(1)} | ${r.p50.toFixed(1)} | ${r.p99.toFixed(1)} | ${r.refused} | ${r.deadlocks} | ${alone.seconds.toFixed(1)} | ${(r.seconds / alone.seconds).toFixed(2)} |`,
      )
    }
}
