import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import type { TestDatabase } from '../support/databases.ts'
import { percentile } from './events.ts'
import { ratio, report, table } from './report.ts'

interface Version {
  readonly name: string
  readonly alone: number[]
  readonly beside: number[]
  readonly rates: number[]
  refused: number
  deadlocks: number
}

/**
 * How long a merge waits for purchases on PostgreSQL: pairs of accounts are merged by one process, first alone, and then
 * while another takes messages about the same accounts. Versions take turns. Each runs from its sources.
 */
export async function benchMerges(
  database: TestDatabase,
  rounds: number,
  earlier: string | null,
): Promise<Version[]> {
  const folders = [
    ['this commit', resolve(import.meta.dirname, '../..')],
    ...(earlier === null ? [] : [['the commit before', earlier]]),
  ] as const
  const versions: Version[] = []
  const sites = []
  for (const [name = '', folder = ''] of folders) {
    const url = await database.emptyUrl()
    const merges = await start(folder, url, 'merges')
    sites.push({ url, merges, purchases: await start(folder, url, 'purchases') })
    versions.push({ name, alone: [], beside: [], rates: [], refused: 0, deadlocks: 0 })
  }
  interface Merged {
    readonly times: readonly number[]
    readonly refused: number
  }
  for (let round = -1; round < rounds; round++)
    for (const [n, version] of versions.entries()) {
      const { merges, purchases } = sites[n]!
      const alone = (await merges.ask()) as Merged
      await purchases.ask()
      const begun = performance.now()
      const beside = (await merges.ask()) as Merged
      const seconds = (performance.now() - begun) / 1000
      const taken = (await purchases.ask()) as number
      if (round < 0) continue
      version.alone.push(...alone.times)
      version.beside.push(...beside.times)
      version.rates.push(taken / seconds)
      version.refused += alone.refused + beside.refused
    }
  for (const [n, version] of versions.entries()) {
    const { url, merges, purchases } = sites[n]!
    version.deadlocks = await deadlocksIn(url)
    await merges.end()
    await purchases.end()
  }
  return versions
}

async function start(folder: string, url: string, role: 'merges' | 'purchases') {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'merges-process.ts'), folder, url, role],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`the process that ${role === 'merges' ? 'merges' : 'sells'} ended`)
    return value
  }
  await answer()
  return {
    ask: async (): Promise<unknown> => {
      child.stdin.write('go\n')
      return JSON.parse(await answer())
    },
    end: async () => {
      child.stdin.write('end\n')
      await once(child, 'exit')
    },
  }
}

async function deadlocksIn(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ n: string }>(
    'select deadlocks as n from pg_stat_database where datname = current_database()',
  )
  await client.end()
  return Number(rows[0]?.n ?? 0)
}

export function printMerges(versions: readonly Version[]): void {
  const at = (times: readonly number[], share: number) =>
    percentile(
      [...times].sort((a, b) => a - b),
      share,
    )
  const [own] = versions
  report(
    'merges',
    'Merges beside purchases, PostgreSQL',
    table(
      versions,
      {
        '': ({ name }) => name,
        'median, of merges alone': ({ alone, beside }) => ratio(at(beside, 0.5) / at(alone, 0.5)),
        'slowest of 20, of merges alone': ({ alone, beside }) => ratio(at(beside, 0.95) / at(alone, 0.5)),
        'median beside, of this commit’s': ({ beside }) => ratio(at(beside, 0.5) / at(own!.beside, 0.5)),
        'purchases meanwhile, of this commit’s': ({ rates }) => ratio(mean(rates) / mean(own!.rates)),
        refused: ({ refused }) => refused,
        deadlocks: ({ deadlocks }) => deadlocks,
      },
      {
        'alone ms': ({ alone }) => at(alone, 0.5).toFixed(1),
        'beside ms': ({ beside }) => at(beside, 0.5).toFixed(1),
        'slowest of 20 ms': ({ beside }) => at(beside, 0.95).toFixed(1),
        'messages/s': ({ rates }) => Math.round(mean(rates)),
      },
    ),
  )
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
