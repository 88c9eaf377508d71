import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { isMembershipError } from '../../src/core/errors.ts'
import { createOutbox } from '../../src/core/jobs/outbox.ts'
import { openStorage } from '../../src/core/storage/index.ts'
import { loader, programFile } from '../support/command.ts'
import { deliver, openInstance } from '../support/converge.ts'
import { postgresDatabases } from '../support/databases.ts'
import type { Said, Told } from '../support/outbox-process.ts'
import { hasPooler, pooledDatabases } from '../support/pooler.ts'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'

function now() {
  return new Date('2026-01-01T00:00:00Z')
}

test.serial(
  'four processes share deliveries fairly, and take over a killed process’s deliveries in order',
  async (t) => {
    const database = await postgresDatabases()
    t.teardown(() => database.close())
    const url = await database.url()
    const storage = await openStorage({ url, synchronous: 'full', pool: 3, now: () => new Date() })
    t.teardown(() => storage.close())
    const { steps } = createOutbox({
      storage,
      now: () => new Date(),
      log: () => {},
      retries: 3,
      handlers: {},
    })
    const lanes = Array.from({ length: 80 }, (_, lane) => lane)
    const queue = async (round: string) => {
      for (const n of [0, 1, 2])
        await storage.commit(
          steps(
            lanes.map((lane) => ({ id: `${round}${lane}:${n}`, lane: `${lane}`, kind: 'hook', payload: {} })),
          ),
        )
    }
    const processes = Array.from({ length: 4 }, () => startProcess(t, url))
    const [first, ...others] = processes as [Deliverer, ...Deliverer[]]
    await Promise.all(processes.map((deliverer) => deliverer.until('ready')))
    const inOrder = (round: string, all: readonly { id: string; at: number }[]) => {
      const ids = all.toSorted((a, b) => a.at - b.at).map(({ id }) => id)
      for (const lane of lanes)
        t.deepEqual(
          ids.filter((id) => id.startsWith(`${round}${lane}:`)),
          [0, 1, 2].map((n) => `${round}${lane}:${n}`),
        )
    }

    await queue('a')
    await Promise.all(processes.map((deliverer) => deliverer.work({ lateMs: 0, hangs: false })))
    inOrder(
      'a',
      processes.flatMap(({ did }) => did),
    )
    for (const { did } of processes) t.true(did.length >= 20, `${did.length} of 240, a fair part would be 60`)

    await queue('b')
    void first.work({ lateMs: 0, hangs: true })
    await first.until('has')
    await first.kill()
    await Promise.all(others.map((other) => other.work({ lateMs: 0, hangs: false })))
    // What it said that it has, and what it had not yet come to say.
    const claimed = await storage.read((db) => db.selectFrom('outbox').select('id').where('attempts', '>', 0))
    const left = claimed.map(({ id }) => id)
    t.true(first.has.length > 0 && first.has.every(({ id }) => left.includes(id)))
    const done = () => others.flatMap(({ did }) => did).filter(({ id }) => id.startsWith('b'))
    t.is(
      done().filter(({ id }) => left.includes(id)).length,
      0,
      'while it may still be alive nobody takes them',
    )
    t.is(done().length, 240 - 3 * left.length, 'nor what stands behind them; all else is delivered')
    await Promise.all(others.map((other) => other.work({ lateMs: 600_000, hangs: false })))
    inOrder('b', done())
  },
)

interface Deliverer {
  readonly did: { id: string; at: number }[]
  readonly has: { id: string; at: number }[]
  until(kind: Said['kind']): Promise<void>
  work(told: Told): Promise<void>
  kill(): Promise<void>
}

function startProcess(t: ExecutionContext, url: string): Deliverer {
  // It needs little of the package.
  const program = programFile('outbox-process', { whole: false })
  const child: ChildProcess = fork(program, [url], { execArgv: [...loader] })
  t.teardown(() => child.kill('SIGKILL'))
  const did: { id: string; at: number }[] = []
  const has: { id: string; at: number }[] = []
  const waiting = new Map<string, () => void>()
  child.on('message', (said: Said) => {
    if (said.kind === 'did') did.push(said)
    if (said.kind === 'has') has.push(said)
    waiting.get(said.kind)?.()
  })
  const until = (kind: Said['kind']) => new Promise<void>((done) => waiting.set(kind, done))
  return {
    did,
    has,
    until,
    work: async (told) => {
      const idle = until('idle')
      child.send(told)
      await idle
    },
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

test.serial('behind PgBouncer in transaction mode every delivery is processed', async (t) => {
  if (!hasPooler()) {
    t.log('skipped: PgBouncer is not installed (Debian: pgbouncer)')
    return t.pass()
  }
  const pooled = await pooledDatabases()
  t.teardown(() => pooled.close())
  const url = await pooled.url()
  const settings = { 'membership.secret': 'x'.repeat(32), 'membership.database.pool': 10 }
  const sites = [await openInstance(url, now, settings), await openInstance(url, now, settings)]
  const outcomes = await Promise.all(
    Array.from({ length: 240 }, (_, i) =>
      deliver(
        sites[i % 2]!,
        stripeEvent(
          'customer.subscription.created',
          subscriptionObject({ id: `sub_${i}`, customer: `cus_${i}` }),
        ),
      ),
    ),
  )
  t.deepEqual([...new Set(outcomes)], ['processed'])
  for (const site of sites) t.regex(site.storage.place, /through a pooler/)
  await Promise.all(sites.map((site) => site.close()))

  // A pooler that comes in between later: the line to the server is moved, and its connections are cut.
  const road = await createRoad(t, pooled.direct(url))
  const site = await openInstance(road.url, now, settings)
  t.notRegex(site.storage.place, /through a pooler/)
  // A delivery that is answered 503 comes again, as a provider sends it.
  const taken = async (event: Record<string, unknown>): Promise<string> => {
    for (;;)
      try {
        return await deliver(site, event)
      } catch (error) {
        if (!isMembershipError(error, 'ERR_STORAGE')) throw error
        await pause(50)
      }
  }
  const more = (from: number) =>
    Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        taken(stripeEvent('customer.subscription.created', subscriptionObject({ id: `sub_${from + i}` }))),
      ),
    )
  t.deepEqual([...new Set(await more(1000))], ['processed'])
  road.leadTo(url)
  t.deepEqual([...new Set(await more(2000))], ['processed'])
  await Promise.all(Array.from({ length: 10 }, () => site.webhooks.list()))
  await site.close()
})

/** A road to one database and then to another. */
async function createRoad(t: ExecutionContext, first: string) {
  let target = new URL(first)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far])
      sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)))
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => server.close())
  const through = new URL(first)
  through.port = String((server.address() as { port: number }).port)
  return {
    url: through.href,
    leadTo: (url: string) => {
      target = new URL(url)
      for (const socket of sockets) socket.destroy()
    },
  }
}
