import { setTimeout as pause } from 'node:timers/promises'
import { startProxy } from './between.ts'
import { createCluster } from './cluster.ts'
import { createStream, sendUntil, spread, toTarget } from './load.ts'
import { endSites, type Site, startSite, startSites } from './sites.ts'

const processes = 3
const connections = 16

/**
 * A deploy under load: each process in turn is told to end (SIGTERM) and started again, behind HAProxy, which
 * tries again elsewhere only what was refused when it connected.
 */
export async function runRolling(folder: string): Promise<void> {
  const cluster = await createCluster(`${folder}/data`)
  await cluster.query('create database site')
  const url = cluster.url('site')
  const sites: Site[] = await startSites(processes, url)
  const proxy = await startProxy(
    `${folder}/proxy`,
    sites.map(({ port }) => port),
  )
  const target = toTarget(proxy.port, connections)
  let isOver = false
  try {
    await pause(2000)
    const load = sendUntil(target, createStream('', 500), connections, () => isOver)
    await pause(2000)
    const took: string[] = []
    for (const [n, { port, pid, kill, gone }] of sites.entries()) {
      const begun = performance.now()
      kill('SIGTERM')
      await gone
      const ended = performance.now()
      sites[n] = await startSite(url, {}, { port })
      took.push(`process ${n + 1} (${pid}) ended after ${((ended - begun) / 1000).toFixed(1)} s`)
      // Until the proxy has seen it.
      await pause(2500)
    }
    isOver = true
    const sent = await load
    const failed = sent.filter(({ status }) => status !== 200)
    const { p50, p99, most } = spread(sent)
    console.log(
      `\n### A deploy under load\n\n${took.join('; ')}. ${sent.length} deliveries through the proxy, ${failed.length} not answered 200${failed.length > 0 ? ` (${[...new Set(failed.map(({ status }) => status))].join(', ')})` : ''}; p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${most.toFixed(0)} ms.`,
    )
    if (failed.length > 0) throw new Error('a deploy cut deliveries off')
  } finally {
    isOver = true
    await target.pool.destroy()
    await proxy.close()
    await endSites(sites)
    await cluster.stop()
  }
}
