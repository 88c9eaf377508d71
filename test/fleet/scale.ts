import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { startProxy } from './between.ts'
import { createCluster } from './cluster.ts'
import {
  createStream,
  headersOf,
  type Prepared,
  path,
  prepare,
  type Sent,
  sendPrepared,
  type Target,
  toTarget,
} from './load.ts'
import { endSites, startSites } from './sites.ts'

const processes = 4
// As many as a provider sends from: https://docs.stripe.com/ips#webhook-ip-addresses
const addresses = 12
const connections = 128

/**
 * So many deliveries in ten seconds, each sent at its moment whatever became of those before, to four processes behind
 * HAProxy. What is not answered 200 is sent again later, as providers do. Nothing may be lost, and whoever waits for longer
 * than five seconds is told to come again.
 */
export async function runScale(folder: string, { count, seconds }: { count: number; seconds: number }) {
  const cluster = await createCluster(`${folder}/data`, ['shared_buffers=512MB', 'max_wal_size=4GB'])
  await cluster.query('create database site')
  setPriority(cluster.pid(), 10)
  const sites = await startSites(processes, cluster.url('site'))
  // The sender and the proxy have machines of their own elsewhere: here they have their turn first.
  for (const { pid } of sites) setPriority(pid, 10)
  const proxy = await startProxy(
    `${folder}/proxy`,
    sites.map(({ port }) => port),
  )
  const target = toTarget(proxy.port, connections)
  try {
    // Every process has its code compiled, as one that runs for days.
    const warm = createStream('warm', 2000)
    await again(
      Array.from({ length: count / 10 }, () => prepare(warm.next())),
      target,
    )
    const stream = createStream('', 20_000)
    const prepared = Array.from({ length: count }, () => prepare(stream.next()))
    const begun = performance.now()
    const answers = await offer(prepared, proxy.port, seconds)
    const offeredMs = performance.now() - begun
    print(answers, count, offeredMs / 1000)
    const taken = new Set(answers.filter(({ status }) => status === 200).map(({ id }) => id))
    let left = prepared.filter(({ id }) => !taken.has(id))
    let rounds = 0
    for (; left.length > 0 && rounds < 50; rounds++) left = await again(left, target)
    const rows = await cluster.query<{ event_id: string; status: string }>(
      'select event_id, status from events',
      'site',
    )
    const applied = new Set(
      rows.filter(({ status }) => ['processed', 'ignored'].includes(status)).map(({ event_id }) => event_id),
    )
    const lost = prepared.filter(({ id }) => !applied.has(id))
    console.log(
      `\nAll answered 200 after ${rounds} more rounds, ${((performance.now() - begun) / 1000).toFixed(0)} s after the first; ${applied.size} applied, ${lost.length} lost.`,
    )
    const late = answers.filter(({ status, took }) => took > 5000 && status !== 503)
    if (lost.length > 0) throw new Error('deliveries are lost')
    if (late.length > 0) throw new Error(`${late.length} were answered after five seconds, and not 503`)
  } finally {
    await target.pool.destroy()
    await proxy.close()
    await endSites(sites)
    await cluster.stop()
  }
}

/** Each at its moment, from several addresses as a provider's; what was sent late by the sender's fault waited too. */
async function offer(prepared: readonly Prepared[], port: number, seconds: number): Promise<Sent[]> {
  const agents = Array.from(
    { length: addresses },
    () => new Agent({ keepAlive: true, scheduling: 'lifo', maxSockets: 200 }),
  )
  // Signed before: what is offered is the deliveries, not the work of signing them.
  const signed = prepared.map(({ id, body }) => ({ id, body, headers: headersOf(body) }))
  const begun = performance.now()
  const perMs = prepared.length / (seconds * 1000)
  const sending: Promise<Sent>[] = []
  let mostBehind = 0
  while (sending.length < signed.length) {
    const at = performance.now() - begun
    const due = Math.min(signed.length, Math.ceil(at * perMs))
    mostBehind = Math.max(mostBehind, (due - sending.length) / perMs)
    while (sending.length < due) {
      const n = sending.length
      sending.push(
        post(port, signed[n]!, begun + n / perMs, agents[n % addresses]!, `127.0.0.${(n % addresses) + 2}`),
      )
    }
    await pause(1)
  }
  console.log(
    `Offered in ${((performance.now() - begun) / 1000).toFixed(1)} s, ${mostBehind.toFixed(0)} ms behind at most.`,
  )
  const answers = await Promise.all(sending)
  for (const agent of agents) agent.destroy()
  return answers
}

function post(
  port: number,
  { id, body, headers }: Prepared & { headers: OutgoingHttpHeaders },
  moment: number,
  agent: Agent,
  localAddress: string,
): Promise<Sent> {
  return new Promise((done) => {
    const end = (status: number) => {
      const at = performance.now()
      done({ id, status, took: at - moment, at })
    }
    request({ host: '127.0.0.1', port, method: 'POST', path, headers, agent, localAddress }, (answer) =>
      answer.resume().on('end', () => end(answer.statusCode ?? 0)),
    )
      .on('error', () => end(0))
      .end(body)
  })
}

async function again(left: readonly Prepared[], target: Target): Promise<Prepared[]> {
  const failed: Prepared[] = []
  let n = 0
  const worker = async () => {
    for (let item = left[n++]; item; item = left[n++])
      if ((await sendPrepared(target, item)).status !== 200) failed.push(item)
  }
  await Promise.all(Array.from({ length: connections }, worker))
  return failed
}

function print(answers: readonly Sent[], count: number, seconds: number): void {
  const within = [1, 2, 5, 10, 30, Number.POSITIVE_INFINITY]
  console.log(
    [
      `\n### ${count} deliveries offered, all answered after ${seconds.toFixed(1)} s\n`,
      `| answered | all | ${within.map((s) => (Number.isFinite(s) ? `within ${s} s` : 'later')).join(' | ')} |`,
      `|---|---|${'---|'.repeat(within.length)}`,
    ].join('\n'),
  )
  for (const status of [...new Set(answers.map((answer) => answer.status))].sort()) {
    const times = answers.filter((answer) => answer.status === status).map(({ took }) => took / 1000)
    const counts = within.map(
      (s, i) => times.filter((took) => took <= s && took > (within[i - 1] ?? 0)).length,
    )
    console.log(`| ${status === 0 ? 'not, cut off' : status} | ${times.length} | ${counts.join(' | ')} |`)
  }
}
