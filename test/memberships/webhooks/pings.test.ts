import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createRateLimit } from '../../../src/core/http/rate-limit.ts'
import { createReputation, type Proof } from '../../../src/core/http/reputation.ts'
import { openStorage } from '../../../src/core/storage/index.ts'
import type { Membership, MembershipOptions } from '../../../src/index.ts'
import { createLedger } from '../../../src/memberships/ledger/index.ts'
import { createFetches } from '../../../src/memberships/sync/fetches.ts'
import { createPings } from '../../../src/memberships/webhooks/pings.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import { neighboursOn } from '../../../src/site/assembly/doors.ts'
import {
  type AskedApi,
  credentialed,
  type Held,
  pinged,
  startAskedApi,
} from '../../support/asked-providers.ts'
import { loader, programFile } from '../../support/command.ts'
import { openInstance } from '../../support/converge.ts'
import { allDatabases, sqliteDatabases } from '../../support/databases.ts'
import { openHost } from '../../support/host.ts'
import { own } from '../../support/own-providers.ts'

const ann: Held = { id: 'sub_1', email: 'ann@example.com', price: 'price_1', status: 'active' }

async function startApi(t: ExecutionContext, ...held: Held[]): Promise<AskedApi> {
  const api = await startAskedApi()
  t.teardown(api.close)
  for (const item of held) api.objects.set(item.id, item)
  return api
}

/** A site that is pinged over HTTP, with a clock that can be set ahead; every two seconds it asks by itself. */
async function open(t: ExecutionContext, api: AskedApi | null, more: MembershipOptions = {}) {
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  const { m, site, port } = await openHost(t, {
    customProviders: [pinged],
    ...own({ 'membership.providers.pinged': api === null ? {} : { api: api.url } }),
    now,
    ...more,
  })
  const ping = (body: string, localAddress = '127.0.0.1') =>
    new Promise<{ status: number; text: string }>((done, failed) => {
      const path = '/membership/webhooks/pinged'
      const to = { port, host: '127.0.0.1', localAddress, method: 'POST', path }
      const sent = request(to, async (response) => {
        const text = Buffer.concat(await response.toArray()).toString()
        done({ status: response.statusCode ?? 0, text })
      })
      sent.on('error', failed).end(body)
    })
  const later = (seconds: number) => {
    aheadMs += seconds * 1000
  }
  return { m, site, ping, later, now }
}

/** The rooms alone, which ask only when they are told to. */
async function openRooms(t: ExecutionContext, api: AskedApi, limit = 30, kept = new Map<string, Proof>()) {
  let aheadMs = 0
  const now = () => new Date(Date.UTC(2026, 2, 1) + aheadMs)
  const database = await sqliteDatabases()
  const storage = await openStorage({ url: await database.url(), synchronous: 'normal', pool: 1, now })
  t.teardown(async () => {
    await storage.close()
    await database.close()
  })
  const rules = { create: true, roles: ['member'] }
  const canFetch = () => true
  const ledger = createLedger({
    neighbours: neighboursOn(storage),
    storage,
    now,
    randomId: randomUUID,
    rules,
    canFetch,
    reports: false,
  })
  const provider = { ...bareProvider(pinged, { api: api.url }), account: '' }
  const store = {
    list: async () => [...kept.values()],
    put: async (proof: Proof) => void kept.set(proof.address, proof),
    remove: async (address: string) => void kept.delete(address),
  }
  const reputation = createReputation(createRateLimit({ limit }), { store, now })
  const pings = createPings({ storage, ledger, reputation, now })
  const providers = new Map([['pinged', provider]])
  const acknowledge = async () => {}
  const fetches = createFetches({ storage, ledger, providers, reputation, acknowledge, now, log: () => {} })
  return {
    storage,
    ask: fetches.runDue,
    /** What became of it: queued, or the code of an error. */
    ping: (id: string, caller = '10.0.0.1'): Promise<string> =>
      pings
        .take({ provider, account: '', delivery: { body: Buffer.from(`id=${id}`), headers: {} }, caller })
        .catch(({ code }) => code),
    later: (seconds: number) => {
      aheadMs += seconds * 1000
    },
    statusOf: async (id: string) =>
      (await storage.read((db) => db.selectFrom('subscriptions').select('status').where('id', '=', id)))[0]
        ?.status ?? null,
  }
}

async function statusOf(m: Membership, email = ann.email) {
  return (await m.users.findByEmail(email))?.subscriptions()[0]?.status ?? null
}

function waiting({ storage }: Pick<Membership, 'storage'>) {
  return storage.read((db) => db.selectFrom('fetches').select(['id', 'precedence', 'caller', 'attempts']))
}

for (const openDatabases of allDatabases) {
  const name = openDatabases.name.replace('Databases', '')

  test(`${name}: a ping is answered before its fetch; pings meanwhile lead to one more fetch`, async (t) => {
    const database = await openDatabases()
    t.teardown(database.close)
    const api = await startApi(t, ann)
    let answer = () => {}
    api.meanwhile = () =>
      new Promise((next) => {
        answer = next
      })
    const { m, ping, later } = await open(t, api, { 'membership.database.url': await database.url() })
    t.deepEqual(await ping('id=sub_1'), { status: 200, text: '{"status":"queued"}' })
    const working = m.runDueJobs()
    while (api.asked.length === 0) await pause(10)
    api.objects.set('sub_1', { ...ann, status: 'canceled' })
    const answers = await Promise.all(Array.from({ length: 20 }, () => ping('id=sub_1')))
    t.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    t.is((await waiting(m)).length, 1)
    api.meanwhile = async () => {}
    answer()
    await working
    while ((await statusOf(m)) === null) await pause(10)
    t.is(await statusOf(m), 'active', 'as it was when it was asked for')
    later(3)
    while ((await waiting(m)).length > 0) await m.runDueJobs()
    t.is(await statusOf(m), 'canceled')
    later(300)
    await m.runDueJobs()
    t.deepEqual(api.asked, ['sub_1', 'sub_1'])
  })

  test(`${name}: an answered ping is fetched by the next process if the first is killed during the fetch`, async (t) => {
    const database = await openDatabases()
    t.teardown(database.close)
    const url = await database.url()
    const api = await startApi(t, ann)
    api.meanwhile = () => new Promise(() => {})
    const args = [...loader, programFile('pinged-host'), url, api.url]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(child.stdout!, 'data')) as [Buffer]
    const hook = `http://127.0.0.1:${line.toString().trim()}/membership/webhooks/pinged`
    t.is((await fetch(hook, { method: 'POST', body: 'id=sub_1' })).status, 200)
    while (api.asked.length === 0) await pause(20)
    child.kill('SIGKILL')
    await once(child, 'close')
    api.meanwhile = async () => {}
    const { m, later } = await open(t, api, { 'membership.database.url': url })
    await m.runDueJobs()
    t.is(api.asked.length, 1, 'it could be under way still')
    later(200)
    await m.runDueJobs()
    t.is(await statusOf(m), 'active')
  })

  test(`${name}: two processes never fetch one object at once, lose no ping, and end equal to the provider`, async (t) => {
    const database = await openDatabases()
    t.teardown(database.close)
    const url = await database.url()
    const api = await startApi(t)
    api.meanwhile = () => pause(3)
    let aheadMs = 0
    const instances = await Promise.all(
      [1, 2].map(() =>
        openInstance(url, () => new Date(Date.now() + aheadMs), {
          customProviders: [pinged],
          ...own({ 'membership.providers.pinged': { api: api.url } }),
        }),
      ),
    )
    t.teardown(() => Promise.all(instances.map((m) => m.close())))
    const ping = (m: Membership, id: string) =>
      m.webhooks.receive('pinged', { body: Buffer.from(`id=${id}`), headers: {} }, '10.0.0.1')
    const ids = Array.from({ length: 8 }, (_, n) => `sub_${n}`)
    for (let round = 0; round < 4; round++) {
      await Promise.all(
        ids.flatMap((id, n) => {
          const status = (n + round) % 3 === 0 ? 'canceled' : 'active'
          api.objects.set(id, { id, email: `${id}@example.com`, price: 'price_1', status })
          // Of some the same ping comes twice, to both.
          return [instances[n % 2]!, ...((n + round) % 2 ? instances : [])].map((m) => ping(m, id))
        }),
      )
      await Promise.all(instances.map((m) => m.runDueJobs()))
      aheadMs += 2500
    }
    await Promise.all(instances.map((m) => m.runDueJobs()))
    t.is(api.mostAtOnce, 1)
    for (const { id, email, status } of api.objects.values())
      t.is(await statusOf(instances[0]!, email), status, id)
    t.deepEqual(await waiting(instances[0]!), [])
  })
}

test('a provider that is down is retried with growing delays, and refuses no ping meanwhile', async (t) => {
  const api = await startApi(t, ann)
  api.isAway = true
  const { ping, ask, later, statusOf } = await openRooms(t, api, 3)
  for (let n = 0; n < 20; n++) t.is(await ping(`sub_${n}`, `10.3.0.${n}`), 'queued')
  const counts: number[] = []
  for (const seconds of [0, 9, 2, 18, 3]) {
    later(seconds)
    await ask()
    counts.push(api.asked.length)
  }
  t.deepEqual(counts, [20, 20, 40, 40, 60], 'after ten seconds, then after twenty')
  t.is(await ping('sub_20'), 'queued')
  api.isAway = false
  later(41)
  await ask()
  t.is(await statusOf('sub_1'), 'active')
})

test('pings for unknown objects count against their address; known ones are still accepted', async (t) => {
  const api = await startApi(t, ann)
  const { ping, ask, later } = await openRooms(t, api, 5)
  await ping('sub_1', '10.0.0.9')
  await ask()
  for (let n = 0; n < 8; n++) t.is(await ping(`made_up_${n}`), 'queued', 'nobody knows yet')
  later(8)
  await ask()
  t.is(api.asked.length, 9)
  t.is(await ping('made_up_9'), 'ERR_RATE_LIMIT')
  t.is(await ping('sub_1'), 'queued')
  t.is(await ping('sub_2', '10.0.0.2'), 'queued', 'another address')
  // Somebody with an account of his own can make the provider itself ping here in vain.
  for (let n = 0; n < 8; n++) t.is(await ping(`others_${n}`, '10.0.0.9'), 'queued')
  await ask()
  t.is(await ping('sub_3', '10.0.0.9'), 'queued', 'true pings came from there')
})

test('an unknown object is fetched again after a minute, and only after another ping', async (t) => {
  const api = await startApi(t)
  const { storage, ping, ask, later, statusOf } = await openRooms(t, api)
  await ping('sub_2')
  for (let n = 0; n < 100; n++) t.is(await ping('sub_1'), 'queued')
  later(1)
  await ask()
  t.deepEqual([...api.asked].sort(), ['sub_1', 'sub_2'])
  for (let n = 0; n < 100; n++) {
    await ping('sub_1')
    await ask()
  }
  t.is(api.asked.length, 2)
  api.objects.set(ann.id, ann)
  later(61)
  await ask()
  t.deepEqual(api.asked.slice(2), ['sub_1'])
  t.is(await statusOf('sub_1'), 'active', 'a ping may come before its object')
  t.deepEqual(await waiting({ storage }), [])
})

test('on renewal day no true ping is refused, however many come from two proven addresses', async (t) => {
  const held = Array.from({ length: 400 }, (_, n) => ({ ...ann, id: `sub_${n}`, email: `${n}@example.com` }))
  const api = await startApi(t, ...held)
  api.objects.set('sub_a', { ...ann, id: 'sub_a' }).set('sub_b', { ...ann, id: 'sub_b' })
  const { m, ping } = await open(t, api)
  for (const [n, id] of ['sub_a', 'sub_b'].entries()) await ping(`id=${id}`, `127.0.0.${3 + n}`)
  while ((await waiting(m)).length > 0) await m.runDueJobs()
  api.asked.length = 0
  const statuses = new Set<number>()
  for (let from = 0; from < held.length; from += 50) {
    const some = held.slice(from, from + 50)
    const answers = await Promise.all(some.map(({ id }, n) => ping(`id=${id}`, `127.0.0.${3 + (n % 2)}`)))
    for (const { status } of answers) statuses.add(status)
  }
  t.deepEqual([...statuses], [200])
  while ((await waiting(m)).length > 0) await m.runDueJobs()
  t.is(api.asked.length, 400)
  t.is((await m.storage.read((db) => db.selectFrom('subscriptions').select('id'))).length, 402)
})

test('invented ids from everywhere cost few fetches a minute; known objects and proven senders go first', async (t) => {
  const api = await startApi(t, ann, { ...ann, id: 'sub_2' })
  const { ping, ask, later } = await openRooms(t, api)
  await ping('sub_1')
  await ask()
  api.asked.length = 0
  for (let n = 0; n < 300; n++) await ping(`made_up_${n}`, `10.1.${n % 250}.${n}`)
  await ping('sub_2')
  await ping('sub_1', '10.2.0.1')
  await ask()
  t.deepEqual(api.asked.slice(0, 2), ['sub_1', 'sub_2'])
  t.is(api.asked.length, 2 + 60)
  await ask()
  t.is(api.asked.length, 2 + 60, 'the minute is used up')
  api.objects.set('sub_3', { ...ann, id: 'sub_3' })
  await ping('sub_3')
  await ask()
  t.is(api.asked.at(-1), 'sub_3', 'of an address whose pings were true')
  later(61)
  await ask()
  t.is(api.asked.length, 3 + 120)
})

test('a sender of invented ids gets a minute’s worth at most, and delays another’s true ping by seconds', async (t) => {
  const api = await startApi(t, ann)
  const { ping, ask, later, statusOf } = await openRooms(t, api, 1000)
  const answers = []
  for (let n = 0; n < 200; n++) answers.push(await ping(`made_up_${n}`, '10.0.0.66'))
  t.is(answers.filter((answer) => answer === 'queued').length, 60)
  t.is(answers.at(-1), 'ERR_BUSY')
  later(2)
  t.is(await ping('sub_1', '10.0.0.7'), 'queued')
  await ask()
  t.is(await statusOf('sub_1'), 'active')
  t.true(api.asked.length <= 5, `${api.asked.length} were asked for: the others' turn is later`)
})

test('a proven sender is known to other processes and later starts, for 35 days', async (t) => {
  const api = await startApi(t, ann, { ...ann, id: 'sub_2' })
  const kept = new Map<string, Proof>()
  const first = await openRooms(t, api, 30, kept)
  await first.ping('sub_1', '10.0.0.8')
  await first.ask()
  t.deepEqual([...kept.keys()], ['10.0.0.8'])
  const second = await openRooms(t, api, 30, kept)
  for (let n = 0; n < 61; n++) t.is(await second.ping(`made_up_${n}`, '10.0.0.8'), 'queued', `${n}`)
  const late = await openRooms(t, api, 30, kept)
  late.later(36 * 86_400)
  for (let n = 0; n < 60; n++) await late.ping(`made_up_${n}`, '10.0.0.8')
  t.is(await late.ping('made_up_61', '10.0.0.8'), 'ERR_BUSY')
  t.deepEqual([...kept.keys()], [])
})

test('pings of a sender from before its first true one are fetched at once after it', async (t) => {
  const held = Array.from({ length: 30 }, (_, n) => ({ ...ann, id: `sub_${n}`, email: `${n}@example.com` }))
  const api = await startApi(t, ...held)
  const { ping, ask } = await openRooms(t, api)
  for (const { id } of held) await ping(id, '10.0.0.9')
  await ask()
  t.is(api.asked.length, 30)
})

test('space for unproven pings is limited, and one address cannot have all of it', async (t) => {
  const api = await startApi(t, ann)
  const { storage, ping, ask, later } = await openRooms(t, api)
  await ping('sub_1', '10.0.0.2')
  await ask()
  later(60)
  const at = '2026-03-01T01:00:00.000Z'
  const row = { provider: 'pinged', account: '', kind: 'subscription', due_at: at, asks_at: at, attempts: 0 }
  for (let part = 0; part < 25; part++)
    await storage.read((db) =>
      db.insertInto('fetches').values(
        Array.from({ length: 500 }, (_, n) => ({
          ...row,
          id: `made_up_${part}_${n}`,
          wishes: 1,
          precedence: 2,
          caller: '10.0.0.2',
        })),
      ),
    )
  for (let n = 0; (await ping(`other_${n}`, '10.0.0.2')) === 'queued'; n++) await pause(100)
  t.is(await ping('sub_2', '10.0.0.2'), 'ERR_BUSY')
  t.is(await ping('sub_1', '10.0.0.2'), 'queued', 'what is known waits for no room')
  t.is(await ping('sub_2', '10.0.0.3'), 'queued')
})

test('an invalid ping gets 400, counts, and causes no fetch', async (t) => {
  const api = await startApi(t)
  const bodies = [
    '',
    'id=',
    `id=${'a'.repeat(129)}`,
    'id=..%2Fadmin',
    'id=sub_1%3Fembed=all',
    'id=sub%0A1',
    '{"id":"sub_1"}',
    Array.from({ length: 11 }, (_, n) => `id=sub_${n}`).join('&'),
  ]
  const { m, ping } = await open(t, api, { 'membership.ratelimit.limit': bodies.length })
  for (const body of bodies) t.is((await ping(body)).status, 400, body)
  t.is((await ping('')).status, 429)
  t.deepEqual(await waiting(m), [])
})

test('a ping of a provider without an API key is requested again from the provider, and counts against nobody', async (t) => {
  const { ping } = await open(t, null, { 'membership.ratelimit.limit': 2 })
  for (let n = 0; n < 4; n++) t.is((await ping('id=sub_1')).status, 503)
})

test('if only the sender is proven, an object counts as fetched', async (t) => {
  const api = await startApi(t, { ...ann, status: 'canceled' })
  const secret = 'name:password'
  const { m, site, later, now } = await open(t, null, {
    customProviders: [credentialed],
    ...own({ 'membership.providers.pinged': undefined }),
    ...own({ 'membership.providers.credentialed': { api: api.url, webhook: secret } }),
  })
  const send = async (body: object, password = secret) => {
    const authorization = `Basic ${Buffer.from(password).toString('base64')}`
    const answer = await fetch(`${site}/membership/webhooks/credentialed`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify(body),
    })
    return answer.status
  }
  const say = (id: string, object: Held, type = 'changed') =>
    send({ id, type, at: now().toISOString(), object })
  t.is(await send({}, 'name:guessed'), 403)
  api.isAway = true
  t.is(await say('e_1', ann), 200)
  await m.runDueJobs()
  t.is(await statusOf(m), null, 'the body alone opens nothing')
  api.isAway = false
  later(20)
  await m.runDueJobs()
  t.is(await statusOf(m), 'canceled')
  t.is(await say('e_2', { ...ann, id: 'sub_made_up', email: 'eve@example.com' }), 200)
  await m.runDueJobs()
  t.is(await statusOf(m, 'eve@example.com'), null)
  api.objects.set(ann.id, ann)
  later(20)
  await say('e_3', ann)
  later(20)
  await m.runDueJobs()
  t.is(await statusOf(m), 'active')
  // What is gone cannot be shown; what is not gone is as it is shown.
  await say('e_4', ann, 'deleted')
  t.is(await statusOf(m), 'canceled')
  later(20)
  await m.runDueJobs()
  t.is(await statusOf(m), 'active')
})

test('if only the sender is proven and no fetch is possible, the body counts', async (t) => {
  const { m } = await open(t, null, {
    customProviders: [credentialed],
    ...own({ 'membership.providers.pinged': undefined }),
    ...own({ 'membership.providers.credentialed': { webhook: 'name:password' } }),
  })
  const body = Buffer.from(
    JSON.stringify({ id: 'e_1', type: 'changed', at: '2026-03-01T00:00:00Z', object: ann }),
  )
  t.is(
    await m.webhooks.receive('credentialed', { body, headers: m.webhooks.sign('credentialed', body) }),
    'processed',
  )
  t.is(await statusOf(m), 'active')
})
