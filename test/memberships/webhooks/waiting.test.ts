import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import Koa from 'koa'
import { createWaiting, type Patience } from '../../../src/core/http/waiting.ts'
import { webhookRouter } from '../../../src/memberships/webhooks/router.ts'

/** A site whose deliveries are done when the test says so. */
async function open(t: ExecutionContext, patience: Patience) {
  const inHand: (() => void)[] = []
  const counted: string[] = []
  const caller = { address: '127.0.0.1' }
  const router = webhookRouter({
    receive: () => new Promise((done) => inHand.push(() => done('processed'))),
    isPing: () => false,
    hasProvider: () => true,
    providerKeys: () => ['acme'],
    callers: {
      callerOf: () => caller,
      count: async () => counted.push('one'),
      giveBack: async () => counted.pop(),
    } as never,
    limitVerified: false,
    log: () => {},
    patience,
  })
  const app = new Koa()
  app.use(router.routes() as unknown as Koa.Middleware)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/membership/webhooks/acme`
  const deliver = async (to = url) => {
    const answer = await fetch(to, { method: 'POST', body: '{}' })
    const { code, status } = (await answer.json()) as { code?: string; status: unknown }
    return { status: answer.status, says: code ?? status, again: answer.headers.get('retry-after') }
  }
  return { deliver, url, inHand, counted }
}

const never: Patience = { longestMs: 60_000, crowd: 256, crowdedMs: 60_000, roomMs: 0 }
const busy = { status: 503, says: 'ERR_BUSY', again: '5' }

test('a slow delivery is told to retry, continues, and counts against nobody', async (t) => {
  const { deliver, inHand, counted } = await open(t, { ...never, longestMs: 20 })
  t.deepEqual(await deliver(), busy)
  t.is(inHand.length, 1, 'it was begun')
  inHand[0]?.()
  const next = deliver()
  while (inHand.length < 2) await new Promise((turn) => setImmediate(turn))
  inHand[1]?.()
  t.is((await next).says, 'processed')
  t.deepEqual(counted, [])
})

test('while many deliveries wait for long, no new one begins; afterwards all are accepted', async (t) => {
  const { deliver, url, inHand } = await open(t, { ...never, crowd: 2, crowdedMs: -1 })
  const begun = [deliver(), deliver()]
  while (inHand.length < 2) await new Promise((turn) => setImmediate(turn))
  t.deepEqual(await deliver(), busy)
  t.is(inHand.length, 2, 'it was not begun')
  const another = deliver(url.replace('acme', 'another'))
  while (inHand.length < 3) await new Promise((turn) => setImmediate(turn))
  for (const end of inHand) end()
  t.deepEqual(
    (await Promise.all(begun)).map(({ says }) => says),
    ['processed', 'processed'],
  )
  t.is((await another).says, 'processed', 'what comes from another provider was begun')
  const after = deliver()
  while (inHand.length < 4) await new Promise((turn) => setImmediate(turn))
  inHand[3]?.()
  t.is((await after).says, 'processed')
})

test('more deliveries are accepted while no more wait than are processed in time', async (t) => {
  const { deliver, inHand } = await open(t, { ...never, crowd: 2, crowdedMs: -1, roomMs: 1e9 })
  const begun = [deliver(), deliver()]
  while (inHand.length < 2) await new Promise((turn) => setImmediate(turn))
  t.deepEqual(await deliver(), busy, 'nothing is known to have been done')
  inHand[0]?.()
  await Promise.race(begun)
  const more = [deliver(), deliver()]
  while (inHand.length < 4) await new Promise((turn) => setImmediate(turn))
  for (const end of inHand) end()
  t.true((await Promise.all([...begun, ...more])).every(({ says }) => says === 'processed'))
})

test('a delivery unread while the process was busy has already waited for that time', async (t) => {
  const { wait } = createWaiting({ ...never, longestMs: 4000 })
  const begun: (() => void)[] = []
  t.teardown(() => {
    for (const done of begun) done()
  })
  const waiting = () =>
    wait((begin) => {
      begin()
      return new Promise<void>((done) => begun.push(done))
    }).then(
      () => 'done',
      ({ code }) => code,
    )
  void waiting()
  // No turn for three of the four seconds, as a long computation of the site takes it. A second more is too long then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000)
  t.is(await Promise.race([waiting(), pause(2800, 'waits')]), 'ERR_BUSY')
})
