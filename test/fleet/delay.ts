import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ratio, report, table } from '../bench/report.ts'
import { createCluster } from './cluster.ts'
import { createStream, sendAll, spread, toTarget } from './load.ts'
import { endSites, startSites } from './sites.ts'

/** A database that is 0, 1 and 5 ms away, each way, for one process and for four, alone and with 64 connections. */
export async function runDelay(
  folder: string,
  { count, warmUp }: { count: number; warmUp: number },
): Promise<void> {
  const cluster = await createCluster(folder, ['shared_buffers=512MB'])
  const levels: Level[] = []
  try {
    for (const ms of [0, 1, 5])
      for (const processes of [1, 4]) {
        const name = `delay_${ms}_${processes}`
        await cluster.query(`create database ${name}`)
        const line = ms === 0 ? null : await startLine(cluster.port, ms)
        const url = new URL(cluster.url(name))
        if (line !== null) url.port = String(line.port)
        const sites = await startSites(processes, url.href)
        try {
          for (const connections of [processes, 64]) {
            const each = connections / processes
            const targets = sites.map(({ port }) => toTarget(port, each))
            await sendAll(targets, createStream(`w${connections}`, 500), warmUp * processes, each)
            const begun = performance.now()
            const asked = connections === 64 ? count : Math.ceil(count / 10)
            const sent = await sendAll(targets, createStream(`m${connections}`, 2500), asked, each)
            const perSecond = (sent.length * 1000) / (performance.now() - begun)
            const { p50, p99 } = spread(sent)
            const failed = sent.filter(({ status }) => status !== 200).length
            levels.push({ ms, processes, connections, perSecond, p50, p99, failed })
            await Promise.all(targets.map(({ pool }) => pool.destroy()))
          }
        } finally {
          await endSites(sites)
          line?.end()
        }
      }
  } finally {
    await cluster.stop()
  }
  const near = ({ processes, connections }: Level) =>
    levels.find(
      (level) => level.ms === 0 && level.processes === processes && level.connections === connections,
    )!
  report(
    'delay',
    'The database is further away',
    table(
      levels.filter(({ ms }) => ms > 0),
      {
        'ms each way': ({ ms }) => ms,
        processes: ({ processes }) => processes,
        connections: ({ connections }) => connections,
        'events a second, of a database that is near': (level) =>
          ratio(level.perSecond / near(level).perSecond),
        // Those that come together wait for each other, too.
        'ways there and back in a lone delivery': (level) =>
          level.connections > level.processes
            ? ''
            : ((level.p50 - near(level).p50) / (2 * level.ms)).toFixed(1),
        'not answered 200': ({ failed }) => failed,
      },
      {
        'events/s': ({ perSecond }) => perSecond.toFixed(0),
        'p50 ms': ({ p50 }) => p50.toFixed(1),
        'p99 ms': ({ p99 }) => p99.toFixed(1),
      },
    ),
  )
}

interface Level {
  readonly ms: number
  readonly processes: number
  readonly connections: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
}

async function startLine(port: number, ms: number) {
  const file = join(import.meta.dirname, 'delay-proxy.mjs')
  const child = spawn(process.execPath, [file, String(port), String(ms)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { port: Number(line.toString()), end: () => child.kill('SIGKILL') }
}
