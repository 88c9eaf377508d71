import { setTimeout as pause } from 'node:timers/promises'
import { median } from '../bench/events.ts'
import { ratio, report, table } from '../bench/report.ts'
import { type Cluster, createCluster } from './cluster.ts'
import { cpuOfTree } from './cpu.ts'
import { createStream, sendAll, spread, toTarget } from './load.ts'
import { endSites, type Site, startSites } from './sites.ts'

interface Level {
  readonly processes: number
  /** Microseconds of CPU an event: of the sites, and of the database. */
  readonly site: number
  readonly database: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly refused: number
  /** Milliseconds of CPU that a second costs, with its database, while nothing arrives. */
  readonly idle: number
}

const levels = [1, 2, 4, 8]
const customers = 2500

/**
 * What an event costs in CPU with 1, 2, 4 and 8 equal processes at one PostgreSQL, the database's own included. `full`:
 * each process has sixteen connections, as where a site grows by another machine; `spread`: the same 64 connections are
 * handed to more processes, whose commits then carry fewer events each.
 */
export async function runProcesses(
  folder: string,
  { rounds, count, warmUp }: { rounds: number; count: number; warmUp: number },
): Promise<void> {
  const cluster = await createCluster(folder, ['shared_buffers=512MB', 'max_wal_size=4GB'])
  const kinds = [
    { name: 'at one database', connections: () => 16 },
    // Shows what the machine itself costs.
    { name: 'a database each', connections: () => 16, alone: true },
    { name: 'at one database, 64 connections spread', connections: (processes: number) => 64 / processes },
  ]
  try {
    const measured = kinds.map(() => levels.map((): Level[] => []))
    for (let round = 0; round < rounds; round++)
      for (const [k, { connections, alone = false }] of kinds.entries())
        for (const [l, processes] of levels.entries())
          measured[k]![l]!.push(
            await level(cluster, { processes, count, warmUp, alone, connections: connections(processes) }),
          )
    print(kinds.map(({ name }, k) => ({ name, levels: measured[k]! })))
  } finally {
    await cluster.stop()
  }
}

async function level(
  cluster: Cluster,
  {
    processes,
    count,
    warmUp,
    alone,
    connections,
  }: { processes: number; count: number; warmUp: number; alone: boolean; connections: number },
): Promise<Level> {
  const names = Array.from(
    { length: alone ? processes : 1 },
    () => `fleet_${Math.random().toString(36).slice(2, 8)}`,
  )
  for (const name of names) await cluster.query(`create database ${name}`)
  const sites: Site[] = []
  for (const name of names) sites.push(...(await startSites(processes / names.length, cluster.url(name))))
  const targets = sites.map(({ port }) => toTarget(port, connections))
  // Those that share a database share a stream.
  const groups = alone ? targets.map((target) => [target]) : [targets]
  const sendEach = async (first: number, each: number) =>
    (
      await Promise.all(
        groups.map((group) =>
          sendAll(group, createStream('', customers, first), each * group.length, connections),
        ),
      )
    ).flat()
  try {
    // Every process has its code compiled, as one that runs for days; all customers are known then.
    await sendEach(0, warmUp)
    await cluster.query('checkpoint')
    const used = () => ({
      site: sites.reduce((sum, { pid }) => sum + cpuOfTree(pid), 0),
      database: cpuOfTree(cluster.pid()),
    })
    const before = used()
    const begun = performance.now()
    const sent = await sendEach(1_000_000, count)
    const seconds = (performance.now() - begun) / 1000
    const after = used()
    await pause(idleMs)
    const later = used()
    const { p50, p99 } = spread(sent)
    return {
      processes,
      site: ((after.site - before.site) * 1000) / sent.length,
      database: ((after.database - before.database) * 1000) / sent.length,
      perSecond: sent.length / seconds,
      p50,
      p99,
      refused: sent.filter(({ status }) => status !== 200).length,
      idle: ((later.site + later.database - after.site - after.database) * 1000) / idleMs,
    }
  } finally {
    await Promise.all(targets.map(({ pool }) => pool.destroy()))
    await endSites(sites)
    for (const name of names) await cluster.query(`drop database ${name} with (force)`)
  }
}

const idleMs = 5000

function print(
  kinds: readonly { readonly name: string; readonly levels: readonly (readonly Level[])[] }[],
): void {
  const together = ({ site, database }: Level) => site + database
  const of = (all: readonly Level[], what: (level: Level) => number) => median(all.map(what))
  const columns: Record<string, (l: number) => string | number> = { processes: (l) => levels[l]! }
  const absolute: Record<string, (l: number) => string | number> = {}
  for (const { name, levels } of kinds) {
    const add = (title: string, what: (level: Level) => number) => {
      absolute[`${name}: ${title}`] = (l) => of(levels[l]!, what).toFixed(1)
    }
    columns[`${name}, of one process`] = (l) => ratio(of(levels[l]!, together) / of(levels[0]!, together))
    add('site µs', ({ site }) => site)
    add('database µs', ({ database }) => database)
    add('events/s', ({ perSecond }) => perSecond)
    add('p50 ms', ({ p50 }) => p50)
    add('p99 ms', ({ p99 }) => p99)
    add('idle, ms of CPU a second', ({ idle }) => idle)
  }
  const [shared, apart] = kinds.map(({ levels }) => levels)
  columns['what sharing costs'] = (l) =>
    levels[l] === 1 ? '' : ratio(of(shared![l]!, together) / of(apart![l]!, together))
  const refused = kinds.flatMap(({ levels }) => levels.flat()).reduce((sum, { refused }) => sum + refused, 0)
  const grown = of(shared!.at(-1)!, together) / of(shared![0]!, together)
  const each = grown ** (1 / Math.log2(levels.at(-1)!))
  report(
    'processes',
    'CPU of an event, site and database together',
    table([...levels.keys()], columns, absolute),
    `${refused} deliveries were not answered 200.`,
    `Each doubling costs ${((each - 1) * 100).toFixed(1)} % more an event. Extrapolated, not measured: ${[16, 32].map((n) => `${n} processes ${(each ** Math.log2(n)).toFixed(2)}`).join(', ')} of one.`,
  )
}
