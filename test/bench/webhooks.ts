import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import type { TestDatabase } from '../support/databases.ts'
import { median } from './events.ts'
import { ratio, report, table } from './report.ts'

/**
 * `a` is node:http with the signature and no storage, `b` (on SQLite) and `e` (on PostgreSQL) are one
 * transaction per event, `c` is Koa by hand with one commit per turn, `d` is the package.
 */
type Kind = 'a' | 'b' | 'c' | 'd' | 'e'

interface Level {
  kind: Kind
  storage: string
  connections: number
  perSecond: number
  p50: number
  p99: number
}

interface Loaded {
  perSecond: number
  p50: number
  p99: number
  refused: number
  acknowledged: [number, number][]
}

function run(file: string, args: string[]) {
  return spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function load(args: string[]): Promise<Loaded> {
  const child = run('load.ts', args)
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  await once(child, 'close')
  return JSON.parse(text) as Loaded
}

/** Every customer's row against its last acknowledged event. */
async function check(url: string, acknowledged: ReadonlyMap<number, number>): Promise<number> {
  const sql = 'select id, data from subscriptions'
  const rows = url.startsWith('sqlite:')
    ? (new Database(url.slice(7), { readonly: true }).prepare(sql).all() as { id: string; data: string }[])
    : await postgresRows(url, sql)
  const versions = new Map(
    rows.map(({ id, data }) => [
      Number(id.slice(4)),
      Number((JSON.parse(data) as { metadata: { version: string } }).metadata.version),
    ]),
  )
  for (const [customer, version] of acknowledged)
    if (versions.get(customer) !== version)
      throw new Error(`customer ${customer}: acknowledged ${version}, stored ${versions.get(customer)}`)
  return acknowledged.size
}
async function postgresRows(url: string, sql: string): Promise<{ id: string; data: string }[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ id: string; data: string }>(sql)
  await client.end()
  return rows
}

/** All servers in turn, again in each round, so that what the machine does meanwhile meets all of them alike. */
export async function benchWebhooks(input: {
  database: TestDatabase
  kinds: readonly Kind[]
  synchronous: string
  rounds: number
  seconds: number
  connections: readonly number[]
}): Promise<Level[]> {
  const { database, kinds, synchronous, rounds, seconds, connections } = input
  const storage =
    database.name === 'sqlite' ? `SQLite, synchronous ${synchronous.toUpperCase()}` : 'PostgreSQL'
  const servers = []
  for (const kind of kinds) {
    const url = await database.url()
    const child = run('servers.ts', [kind, url, synchronous])
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    servers.push({
      kind,
      url,
      child,
      port: line.toString().trim(),
      version: 1,
      acknowledged: new Map<number, number>(),
    })
  }
  const results: (Level & { round: number })[] = []
  for (let round = 0; round <= rounds; round++)
    for (const count of connections)
      for (const server of servers) {
        process.stderr.write(
          `  ${storage}: round ${round} of ${rounds}, ${count} connections, (${server.kind})        \r`,
        )
        // Round 0 warms up and is not counted.
        const expected = { a: 16_000, b: 4000, c: 8000, d: 8000, e: 3000 }[server.kind] ?? 8000
        const loaded = await load([
          server.port,
          String(count),
          String(round === 0 ? 1 : seconds),
          String(server.version),
          String(expected),
        ])
        if (loaded.refused > 0) throw new Error(`(${server.kind}) refused ${loaded.refused} events`)
        server.version += 1000
        for (const [customer, version] of loaded.acknowledged) server.acknowledged.set(customer, version)
        if (server.kind !== 'a') await check(server.url, server.acknowledged)
        if (round > 0)
          results.push({
            round,
            kind: server.kind,
            storage,
            connections: count,
            perSecond: loaded.perSecond,
            p50: loaded.p50,
            p99: loaded.p99,
          })
      }
  for (const { child } of servers) child.kill()
  process.stderr.write('\n')
  return connections.flatMap((count) =>
    kinds.map((kind) => {
      const mine = results.filter((r) => r.kind === kind && r.connections === count)
      return {
        kind,
        storage,
        connections: count,
        perSecond: median(mine.map((r) => r.perSecond)),
        p50: median(mine.map((r) => r.p50)),
        p99: median(mine.map((r) => r.p99)),
      }
    }),
  )
}

/** Rates as shares of the composition by hand, which stores the same with one commit for all that wait. */
export function printLevels(levels: readonly Level[]): void {
  const rows = levels
    .filter(({ kind }) => kind === 'd')
    .map((own) => {
      const of = (...kinds: Kind[]) =>
        levels.find(
          ({ kind, storage, connections }) =>
            kinds.includes(kind) && storage === own.storage && connections === own.connections,
        )
      return { own, bare: of('a'), single: of('b', 'e')!, hand: of('c')! }
    })
  report(
    'webhooks',
    'Webhooks: rates, of a composition by hand',
    table(
      rows,
      {
        database: ({ own }) => own.storage,
        connections: ({ own }) => own.connections,
        'node:http, HMAC, no storage': ({ bare, hand }) =>
          bare ? ratio(bare.perSecond / hand.perSecond) : '–',
        'one transaction per event': ({ single, hand }) => ratio(single.perSecond / hand.perSecond),
        membership: ({ own, hand }) => ratio(own.perSecond / hand.perSecond),
        'membership, of one transaction per event': ({ own, single }) =>
          ratio(own.perSecond / single.perSecond),
        'its slowest of 100 events, of by hand': ({ own, hand }) => ratio(own.p99 / hand.p99),
      },
      {
        'events/s': ({ own }) => Math.round(own.perSecond),
        'p50 ms': ({ own }) => own.p50.toFixed(2),
        'p99 ms': ({ own }) => own.p99.toFixed(2),
      },
    ),
    'After each level every customer’s row was equal to its last acknowledged event.',
  )
}
