import { setTimeout as pause } from 'node:timers/promises'
import { median } from '../bench/events.ts'
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
export const runProcesses = async (
  folder: string,
  { rounds, count, warmUp }: { rounds: number; count: number; warmUp: number },
): Promise<void> => {
  const cluster = await createCluster(folder, ['shared_buffers=512MB', 'max_wal_size=4GB'])
  const kinds = [
    { name: 'each process with 16 connections', connections: () => 16 },
    {
      name: 'as many, but a database each: what the machine itself costs',
      connections: () => 16,
      alone: true,
    },
    { name: '64 connections spread over them', connections: (processes: number) => 64 / processes },
  ]
  try {
    const measured = kinds.map(() => levels.map((): Level[] => []))
    for (let round = 0; round < rounds; round++)
      for (const [k, { connections, alone = false }] of kinds.entries())
        for (const [l, processes] of levels.entries())
          measured[k]![l]!.push(
            await level(cluster, { processes, count, warmUp, alone, connections: connections(processes) }),
          )
    for (const [k, { name }] of kinds.entries()) print(name, measured[k]!)
  } finally {
    await cluster.stop()
  }
}

const level = async (
  cluster: Cluster,
  {
    processes,
    count,
    warmUp,
    alone,
    connections,
  }: { processes: number; count: number; warmUp: number; alone: boolean; connections: number },
): Promise<Level> => {
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

const print = (name: string, measured: readonly (readonly Level[])[]): void => {
  console.log(
    [
      `\n### CPU of an event, ${name}\n`,
      '| processes | site µs | database µs | together | of one process | events/s | p50 ms | p99 ms | not answered 200 | idle, ms of CPU a second |',
      '|---|---|---|---|---|---|---|---|---|---|',
    ].join('\n'),
  )
  const of = (all: readonly Level[], what: (level: Level) => number) => median(all.map(what))
  const together = (level: Level) => level.site + level.database
  const item = of(measured[0]!, together)
  for (const all of measured)
    console.log(
      `| ${all[0]!.processes} | ${[(l: Level) => l.site, (l: Level) => l.database, together].map((what) => of(all, what).toFixed(0)).join(' | ')} | ${(of(all, together) / item).toFixed(2)} | ${of(all, (l) => l.perSecond).toFixed(0)} | ${of(all, (l) => l.p50).toFixed(1)} | ${of(all, (l) => l.p99).toFixed(1)} | ${all.reduce((sum, l) => sum + l.refused, 0)} | ${of(all, (l) => l.idle).toFixed(1)} |`,
    )
  const grown = measured.map((all) => of(all, together) / item)
  const each = (grown.at(-1)! / grown[0]!) ** (1 / Math.log2(levels.at(-1)!))
  console.log(
    `\nEach doubling costs ${((each - 1) * 100).toFixed(1)} % more an event. Extrapolated, not measured: ${[16, 32].map((n) => `${n} processes ${(each ** Math.log2(n)).toFixed(2)}`).join(', ')} of one.`,
  )
}
