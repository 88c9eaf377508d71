import { execFileSync, spawn } from 'node:child_process'
import test, { type ExecutionContext } from 'ava'
import { Redis } from 'ioredis'
import { openCounters } from '../../../src/core/http/open-counters.ts'
import { createRateLimit } from '../../../src/core/http/rate-limit.ts'
import { openStorage, type Storage } from '../../../src/core/storage/index.ts'
import { createMembership } from '../../../src/index.ts'
import { until } from '../../support/browser.ts'
import { freePort, postgresDatabases } from '../../support/databases.ts'
import { hasPooler, pooledDatabases } from '../../support/pooler.ts'

function now() {
  return new Date()
}
function quiet() {}

/** Two processes' limits of 5 a minute, each with connections of its own. */
async function two(t: ExecutionContext, url: string, store: string | null, log: string[] = []) {
  const open = async () => {
    const storage = await openStorage({ url, pool: 2, now } as never)
    // A first connection may take longer than a request waits.
    await storage.send?.('select 1', [])
    const counters = await openCounters(store, { storage, log: (message) => log.push(message) })
    t.teardown(async () => {
      await counters.close()
      await storage.close()
    })
    const limit = createRateLimit({ limit: 5, counters })
    return { limit, other: createRateLimit({ limit: 5, name: 'other', counters }), storage }
  }
  return [await open(), await open()] as const
}

/** The sixth of six requests that two processes share is refused, and what is counted apart is not touched. */
async function countsTogether(t: ExecutionContext, [item, another]: Awaited<ReturnType<typeof two>>) {
  for (const { limit } of [item, another, item, another, item]) await limit.consume('visitor')
  for (const { limit } of [item, another])
    await t.throwsAsync(limit.consume('visitor'), { code: 'ERR_RATE_LIMIT' })
  await t.throwsAsync(another.limit.assertLeft('visitor'), { code: 'ERR_RATE_LIMIT' })
  t.is((await another.limit.consume('somebody else')).remaining, 4)
  // A path that somebody made up is counted by all of itself, however long.
  const long = `/membership/payment/${'x'.repeat(2000)}`
  await item.limit.consume(long)
  t.is((await another.limit.consume(long)).remaining, 3)
  t.is((await another.other.consume('visitor')).remaining, 4)
}

test('two processes on one PostgreSQL count a visitor together without configuration', async (t) => {
  const database = await postgresDatabases()
  t.teardown(database.close)
  await countsTogether(t, await two(t, await database.url(), null))
})

test('an exhausted caller is refused from memory, without a database query', async (t) => {
  const database = await postgresDatabases()
  t.teardown(database.close)
  const [{ storage }] = await two(t, await database.url(), null)
  let asked = 0
  const send: Storage['send'] = (text, values) => {
    asked += 1
    return storage.send!(text, values)
  }
  const limit = createRateLimit({
    limit: 5,
    counters: await openCounters('database', { storage: { ...storage, send }, log: quiet }),
  })
  for (let i = 0; i < 100; i++) await limit.consume('attacker').catch(quiet)
  t.true(asked <= 7, `${asked} statements for 100 requests`)
})

test('each process counts by itself while the database is unavailable', async (t) => {
  const database = await postgresDatabases()
  t.teardown(database.close)
  const [{ storage }] = await two(t, await database.url(), null)
  const away = () => Promise.reject(new Error('away'))
  const counters = await openCounters(null, { storage: { ...storage, send: away }, log: quiet })
  const limit = createRateLimit({ limit: 5, counters })
  for (let i = 0; i < 5; i++) await limit.consume('visitor')
  await t.throwsAsync(limit.consume('visitor'), { code: 'ERR_RATE_LIMIT' })
})

const pooled = hasPooler() ? test : test.skip
pooled('behind PgBouncer in transaction mode they count together, too', async (t) => {
  const database = await pooledDatabases()
  t.teardown(database.close)
  const opened = await two(t, await database.url(), 'database')
  await countsTogether(t, opened)
  // Many at once, so that the pooler's three connections are shared: a statement's name would meet another's.
  const asked = Array.from({ length: 60 }, (_, i) => opened[i % 2]!.limit.consume(`visitor ${i % 20}`))
  t.is((await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected').length, 0)
})

const hasRedis = (() => {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

const withRedis = hasRedis ? test : test.skip
withRedis(
  'a Redis counts for all processes; while it is away each counts by itself, and it is told',
  async (t) => {
    const port = await freePort()
    const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], {
      stdio: 'ignore',
    })
    t.teardown(() => server.kill('SIGKILL'))
    const log: string[] = []
    const url = `redis://127.0.0.1:${port}`
    const look = new Redis(url, { maxRetriesPerRequest: null })
    look.on('error', quiet)
    t.teardown(() => look.disconnect())
    await look.ping()
    const opened = await two(t, 'sqlite::memory:', url, log)
    // Both processes, and who looks.
    await until(
      () => look.info('clients'),
      (said) => said.includes('connected_clients:3'),
    )
    await countsTogether(t, opened)
    server.kill('SIGKILL')
    await until(
      async () => log,
      ({ length }) => length > 0,
    )
    const [{ limit }] = opened
    for (let i = 0; i < 5; i++) await limit.consume('later')
    await t.throwsAsync(limit.consume('later'), { code: 'ERR_RATE_LIMIT' })
    t.true(log.some((line) => /Redis .* is away: each process counts by itself/.test(line)))
  },
)

withRedis(
  'a Redis that hangs holds a request up for a fraction of a second, and later ones not at all',
  async (t) => {
    const port = await freePort()
    const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], {
      stdio: 'ignore',
    })
    t.teardown(() => server.kill('SIGKILL'))
    const log: string[] = []
    const url = `redis://127.0.0.1:${port}`
    const look = new Redis(url, { maxRetriesPerRequest: null })
    look.on('error', quiet)
    t.teardown(() => look.disconnect())
    await look.ping()
    const [{ limit }] = await two(t, 'sqlite::memory:', url, log)
    await until(
      () => look.info('clients'),
      (said) => said.includes('connected_clients:3'),
    )
    await limit.consume('visitor')
    const before = log.length
    server.kill('SIGSTOP')
    const started = Date.now()
    await limit.consume('visitor')
    t.true(Date.now() - started < 10_000, 'the first request waits for a moment')
    await until(
      async () => log,
      ({ length }) => length > before,
    )
    const later = Date.now()
    for (let i = 0; i < 20; i++) await limit.consume(`visitor ${i}`)
    t.true(Date.now() - later < 8000, 'later ones count in memory')
    for (let i = 0; i < 5; i++) await limit.consume('guesser')
    await t.throwsAsync(limit.consume('guesser'), { code: 'ERR_RATE_LIMIT' }, 'the limit still holds')
    t.is(log.filter((line) => /Redis .* is away/.test(line)).length, before + 1, log.join('\n'))
  },
)

test('an unreachable store stops the start, and says what to do', async (t) => {
  const options = {
    root: false,
    install: false,
    log: quiet,
    'membership.database.url': 'sqlite::memory:',
  } as const
  await t.throwsAsync(createMembership({ ...options, 'membership.ratelimit.store': 'database' }), {
    code: 'ERR_CONFIG',
    message: /SQLite keeps no counts/,
  })
  await t.throwsAsync(createMembership({ ...options, 'membership.ratelimit.store': 'memcached://x' }), {
    code: 'ERR_CONFIG',
    message: /must be memory, database, or the address of a Redis/,
  })
})

test('a silent PostgreSQL delays one request for a moment, and the next ones count in memory', async (t) => {
  const log: string[] = []
  const send = () => new Promise<never>(() => {})
  const counters = await openCounters(null, { storage: { send } as never, log: (line) => log.push(line) })
  const limit = createRateLimit({ limit: 2, counters })
  const begun = performance.now()
  await limit.consume('visitor')
  const first = performance.now() - begun
  await limit.consume('visitor')
  const both = performance.now() - begun
  t.true(first < 1000, `${first} ms`)
  t.true(both - first < 100, `${both - first} ms`)
  await t.throwsAsync(limit.consume('visitor'), { code: 'ERR_RATE_LIMIT' })
  t.deepEqual(log, ['PostgreSQL does not answer: each process counts requests by itself'])
})
