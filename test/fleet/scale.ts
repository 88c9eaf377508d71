import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { createCluster } from './cluster.ts'
import { createStream, type Prepared, prepare, type Sent, sendPrepared, type Target } from './load.ts'
import { endSites, startSites } from './sites.ts'

const processes = 4
// As many as a provider sends from: https://docs.stripe.com/ips#webhook-ip-addresses
const addresses = 12

/**
 * So many deliveries in ten seconds, each sent at its moment whatever became of those before, to four processes. What is
 * not answered 200 is sent again later, as providers do. Nothing may be lost, and whoever waits for longer than five
 * seconds is told to come again.
 */
export const runScale = async (folder: string, { count, seconds }: { count: number; seconds: number }) => {
  const cluster = await createCluster(folder, ['shared_buffers=512MB', 'max_wal_size=4GB'])
  await cluster.query('create database site')
  const sites = await startSites(processes, cluster.url('site'))
  const targets = sites.flatMap(({ port }) =>
    Array.from({ length: addresses }, (_, n) => fromAddress(port, n)),
  )
  try {
    // Every process has its code compiled, as one that runs for days.
    const warm = createStream('warm', 2000)
    await again(
      Array.from({ length: count / 10 }, () => prepare(warm.next())),
      targets,
    )
    const stream = createStream('', 20_000)
    const prepared = Array.from({ length: count }, () => prepare(stream.next()))
    const begun = performance.now()
    const answers = await offer(prepared, targets, seconds)
    const offeredMs = performance.now() - begun
    print(answers, count, offeredMs / 1000)
    const taken = new Set(answers.filter(({ status }) => status === 200).map(({ id }) => id))
    let left = prepared.filter(({ id }) => !taken.has(id))
    let rounds = 0
    for (; left.length > 0 && rounds < 50; rounds++) left = await again(left, targets)
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
    await Promise.all(targets.map(({ pool }) => pool.destroy()))
    await endSites(sites)
    await cluster.stop()
  }
}

/** As many connections as are wanted, from an address of its own. */
const fromAddress = (port: number, n: number): Target => ({
  port,
  pool: new Pool(`http://127.0.0.1:${port}`, {
    connections: null,
    pipelining: 1,
    headersTimeout: 120_000,
    connect: { localAddress: `127.0.0.${n + 2}`, timeout: 60_000 },
  }),
})

const offer = async (
  prepared: readonly Prepared[],
  targets: readonly Target[],
  seconds: number,
): Promise<Sent[]> => {
  const begun = performance.now()
  const perMs = prepared.length / (seconds * 1000)
  const sending: Promise<Sent>[] = []
  while (sending.length < prepared.length) {
    const due = Math.min(prepared.length, Math.ceil((performance.now() - begun) * perMs))
    while (sending.length < due) {
      const n = sending.length
      sending.push(sendPrepared(targets[n % targets.length]!, prepared[n]!))
    }
    await pause(2)
  }
  return Promise.all(sending)
}

const again = async (left: readonly Prepared[], targets: readonly Target[]): Promise<Prepared[]> => {
  const failed: Prepared[] = []
  let n = 0
  const worker = async () => {
    for (let one = left[n++]; one; one = left[n++])
      if ((await sendPrepared(targets[n % targets.length]!, one)).status !== 200) failed.push(one)
  }
  await Promise.all(Array.from({ length: 128 }, worker))
  return failed
}

const print = (answers: readonly Sent[], count: number, seconds: number): void => {
  const within = [1, 2, 5, 10, 30, Number.POSITIVE_INFINITY]
  console.log(
    [
      `\n### ${count} deliveries offered, all answered after ${seconds.toFixed(1)} s\n`,
      `| answered | all | ${within.map((s) => (Number.isFinite(s) ? `within ${s} s` : 'later')).join(' | ')} |`,
      `|---|---|${'---|'.repeat(within.length)}`,
    ].join('\n'),
  )
  for (const status of [...new Set(answers.map((one) => one.status))].sort()) {
    const times = answers.filter((one) => one.status === status).map(({ took }) => took / 1000)
    const counts = within.map(
      (s, i) => times.filter((took) => took <= s && took > (within[i - 1] ?? 0)).length,
    )
    console.log(`| ${status === 0 ? 'not, cut off' : status} | ${times.length} | ${counts.join(' | ')} |`)
  }
}
