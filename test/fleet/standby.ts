import { setTimeout as pause } from 'node:timers/promises'
import { startPooler } from './between.ts'
import { createCluster } from './cluster.ts'
import { createStream, type Sent, sendUntil, toTarget } from './load.ts'
import { endSites, startSites } from './sites.ts'

const processes = 4
const connections = 8

/**
 * The primary goes under load, once killed and once silent as a machine without power; the standby is promoted and
 * PgBouncer is led to it. What was acknowledged must be there, and every process must write again by itself.
 */
export async function runStandby(folder: string): Promise<void> {
  console.log(
    '\n### A standby takes over\n\n| the primary is | process | acknowledged before | after | longest without an answer 200, s | writes again after the promotion, s |\n|---|---|---|---|---|---|',
  )
  for (const how of ['killed', 'silent'] as const) await takeOver(`${folder}-${how}`, how)
}

async function takeOver(folder: string, how: 'killed' | 'silent'): Promise<void> {
  const primary = await createCluster(`${folder}/primary`, ['wal_level=replica'])
  await primary.query('create database site')
  const standby = await primary.standby(`${folder}/standby`, [])
  await primary.query("alter system set synchronous_standby_names = 'standby1'")
  await primary.query('select pg_reload_conf()')
  const pooler = await startPooler(`${folder}/pooler`, { port: primary.port, name: 'site' })
  const sites = await startSites(processes, pooler.url)
  const targets = sites.map(({ port }) => toTarget(port, connections))
  let isOver = false
  try {
    const loads = targets.map((target, n) =>
      sendUntil(target, createStream(`p${n}_`, 500), connections, () => isOver),
    )
    await pause(underLoadMs)
    const [sync] = await primary.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_replication where sync_state = 'sync'",
    )
    if (sync?.n !== 1) throw new Error('the standby is not synchronous')
    const lostAt = performance.now()
    primary.lose(how)
    // Somebody, or a watchdog, notices.
    await pause(noticeMs)
    standby.promote()
    await pooler.moveTo(standby.port)
    const promotedAt = performance.now()
    await pause(afterMs)
    isOver = true
    const answers = await Promise.all(loads)
    for (const [n, sent] of answers.entries()) console.log(rowOf(how, n, sent, lostAt, promotedAt))
    await compare(standby, answers.flat(), how)
  } finally {
    isOver = true
    await Promise.all(targets.map(({ pool }) => pool.destroy()))
    await endSites(sites)
    await pooler.close()
    await Promise.all([primary.stop(), standby.stop()])
  }
}

const underLoadMs = 5000
const noticeMs = 3000
const afterMs = 15_000

function rowOf(how: string, n: number, sent: readonly Sent[], lostAt: number, promotedAt: number): string {
  const taken = sent.filter(({ status }) => status === 200).map(({ at }) => at)
  const gaps = taken.slice(1).map((at, i) => at - taken[i]!)
  const again = taken.find((at) => at > promotedAt)
  return `| ${how} | ${n + 1} | ${taken.filter((at) => at < lostAt).length} | ${taken.filter((at) => at > promotedAt).length} | ${(Math.max(...gaps) / 1000).toFixed(1)} | ${again === undefined ? 'NOT' : ((again - promotedAt) / 1000).toFixed(1)} |`
}

/** Looks for every acknowledged event in the database that was promoted. */
async function compare(
  standby: { query<R extends object>(sql: string, database: string): Promise<R[]> },
  sent: readonly Sent[],
  how: string,
): Promise<void> {
  const rows = await standby.query<{ event_id: string }>('select event_id from events', 'site')
  const there = new Set(rows.map(({ event_id }) => event_id))
  const acknowledged = sent.filter(({ status }) => status === 200)
  const lost = acknowledged.filter(({ id }) => !there.has(id))
  console.log(
    `\nThe primary ${how}: ${acknowledged.length} acknowledged, ${lost.length} of them lost; ${sent.length - acknowledged.length} answered 503 or cut, and sent again.\n`,
  )
  if (lost.length > 0) throw new Error(`lost: ${lost.slice(0, 5).map(({ id }) => id)}`)
}
