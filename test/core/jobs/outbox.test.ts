import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { createOutbox, type Handlers, type Message } from '../../../src/core/jobs/outbox.ts'
import { outboxClaim } from '../../../src/core/jobs/statements.ts'
import { createLine } from '../../../src/core/jobs/worker-pool.ts'
import { openStorage, type Storage } from '../../../src/core/storage/index.ts'
import { postgresDatabases, sqliteDatabases } from '../../support/databases.ts'
import { Database } from '../../support/sqlite.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
function open(url: string) {
  return openStorage({ url, synchronous: 'normal', pool: 4, now: () => new Date(start) })
}

function outboxOf(
  storage: Storage,
  handlers: Handlers,
  { now = () => new Date(start), patience = { handlerMs: 60_000, closeMs: 50 } } = {},
) {
  const log: string[] = []
  const outbox = createOutbox({
    storage,
    now,
    log: (line, details) => log.push(`${line}: ${details?.reason}`),
    retries: 3,
    handlers,
    patience,
  })
  return { outbox, log }
}

function message(id: string, lane: string, kind = 'hook'): Message {
  return { id, lane, kind, payload: { id } }
}

test('a message queued while its lane finishes is delivered by the next runner', async (t) => {
  // However many steps after it was begun.
  for (let steps = 0; steps < 10; steps++) {
    const rows: number[] = []
    const line = createLine<number>({
      claim: async (_now, limit) => rows.splice(0, limit),
      deliver: async () => true,
      giveBack: async () => undefined,
      now: () => new Date(start),
      log: () => undefined,
    })
    const ending = line.run()
    for (let step = 0; step < steps; step++) await null
    rows.push(1)
    await line.run()
    t.deepEqual(rows, [], `${steps} steps`)
    await ending
  }
})

test('one question finds what is due of all kinds, and only those are claimed', async (t) => {
  const storage = await open('sqlite::memory:')
  t.teardown(() => storage.close())
  const asked: string[] = []
  const heard: Storage = {
    ...storage,
    all: (statement, params) => {
      asked.push(statement.name)
      return storage.all(statement, params)
    },
  }
  const done: string[] = []
  const handler = async ({ id }: { id: string }) => void done.push(id)
  const { outbox } = outboxOf(heard, { hook: handler, mail: handler, customer: handler, gift: handler })
  t.is(await outbox.deliverDue(), 0)
  t.deepEqual(asked, ['outbox-due'])
  await storage.commit(outbox.steps([message('one', 'a', 'mail'), message('two', 'b', 'gift')]))
  t.is(await outbox.deliverDue(), 2)
  t.deepEqual(done.sort(), ['one', 'two'])
  t.deepEqual([...new Set(asked)].filter((name) => name.endsWith('claim')).sort(), [
    'outbox-gift-claim',
    'outbox-mail-claim',
  ])
})

test('on SQLite nothing due is known while another process writes', async (t) => {
  const databases = await sqliteDatabases()
  t.teardown(() => databases.close())
  const url = await databases.url()
  const storage = await open(url)
  t.teardown(() => storage.close())
  const claim = outboxClaim(storage, 'mail', 1000)
  const { outbox } = outboxOf(storage, {})
  await storage.commit(outbox.steps([message('one', 'a', 'mail')]))
  const other = new Database(url.slice('sqlite:'.length))
  t.teardown(() => other.close())
  other.exec('begin immediate')
  t.deepEqual(await claim(new Date(start - 1), 10), [])
  other.exec('commit')
  t.is((await claim(new Date(start), 10)).length, 1)
})

test('a hanging handler blocks only its own lane, is aborted, and its message is retried', async (t) => {
  const storage = await open('sqlite::memory:')
  t.teardown(() => storage.close())
  const seen: string[] = []
  const aborted: string[] = []
  let moment = start
  const { outbox, log } = outboxOf(
    storage,
    {
      hook: async ({ id, signal }) => {
        seen.push(id)
        signal.addEventListener('abort', () => aborted.push(id))
        if (id === 'slow' && aborted.length === 0) await new Promise(() => {})
      },
      mail: async ({ id }) => void seen.push(id),
    },
    { now: () => new Date(moment), patience: { handlerMs: 300, closeMs: 50 } },
  )
  const first = [message('slow', 'a'), message('after', 'a'), message('other', 'b')]
  await storage.commit(outbox.steps(first))
  const run = outbox.deliverDue()
  while (seen.length < 2) await pause(5)
  // What becomes due meanwhile does not wait for what hangs.
  await storage.commit(outbox.steps([message('later', 'c'), message('mail', 'd', 'mail')]))
  outbox.nudge()
  while (seen.length < 4) await pause(5)
  t.deepEqual([...seen].sort(), ['later', 'mail', 'other', 'slow'])
  t.deepEqual(aborted, [], 'and it is still waited for')
  await run
  t.deepEqual(aborted, ['slow'])
  t.deepEqual(log, ['a message could not be delivered: Not finished after 1 s.'])
  moment += 60_000
  await outbox.deliverDue()
  t.deepEqual(seen.slice(4), ['slow', 'after'])
  t.deepEqual(await outbox.list(), [])
})

test('closing does not wait for a handler that hangs, and leaves its message to the next process', async (t) => {
  const storage = await open('sqlite::memory:')
  t.teardown(() => storage.close())
  let isEnded = false
  let isBegun = false
  const hanging: Handlers = {
    hook: ({ signal }) => {
      isBegun = true
      signal.addEventListener('abort', () => {
        isEnded = true
      })
      return new Promise(() => {})
    },
  }
  const { outbox } = outboxOf(storage, hanging)
  await storage.commit(outbox.steps([message('m', 'a')]))
  const run = outbox.deliverDue()
  while (!isBegun) await pause(5)
  await outbox.close()
  await run
  t.true(isEnded)
  const seen: string[] = []
  const next = outboxOf(
    storage,
    { hook: async ({ id }) => void seen.push(id) },
    { now: () => new Date(start + 61_000) },
  )
  await next.outbox.deliverDue()
  t.deepEqual(seen, ['m'], 'its minute is over')
})

test('closing gives back at once what ended when it was asked to, and counts no try', async (t) => {
  const storage = await open('sqlite::memory:')
  t.teardown(() => storage.close())
  let begun = 0
  const heeding: Handlers = {
    hook: ({ id, signal }) => {
      begun++
      return new Promise((arrived, failed) => {
        signal.addEventListener('abort', () => (id === 'm' ? failed(signal.reason) : arrived()))
      })
    },
  }
  const { outbox } = outboxOf(storage, heeding)
  await storage.commit(outbox.steps([message('m', 'a'), message('n', 'b'), message('after', 'a')]))
  const run = outbox.deliverDue()
  while (begun < 2) await pause(5)
  await outbox.close()
  await run
  t.deepEqual(
    (await outbox.list()).map(({ id, attempts }) => [id, attempts]),
    [
      ['m', 0],
      ['after', 0],
    ],
    'n arrived in the meantime',
  )
  const seen: string[] = []
  await outboxOf(storage, { hook: async ({ id }) => void seen.push(id) }).outbox.deliverDue()
  t.deepEqual(seen, ['m', 'after'])
})

test('a message postponed to next year by a wrong clock is delivered when the clock is right, and replay delivers waiting ones', async (t) => {
  const storage = await open('sqlite::memory:')
  t.teardown(() => storage.close())
  let moment = start + 365 * 86_400_000
  let isDown = true
  const seen: string[] = []
  const { outbox } = outboxOf(
    storage,
    {
      hook: async ({ id }) => {
        if (isDown) throw new Error('down')
        seen.push(id)
      },
    },
    { now: () => new Date(moment) },
  )
  await storage.commit(outbox.steps([message('m', 'a')]))
  await outbox.deliverDue()
  isDown = false
  moment = start
  await outbox.deliverDue()
  t.deepEqual(seen, ['m'])

  isDown = true
  await storage.commit(outbox.steps([message('n', 'a')]))
  await outbox.deliverDue()
  isDown = false
  const [waiting] = await outbox.list()
  await outbox.replay(waiting!.seq)
  await outbox.deliverDue()
  t.deepEqual(seen, ['m', 'n'])
})

for (const databases of [sqliteDatabases, postgresDatabases])
  test(`four processes share the messages, in order within each lane, and take over what one left: ${databases.name}`, async (t) => {
    const database = await databases()
    t.teardown(() => database.close())
    const url = await database.url()
    const storages = await Promise.all(Array.from({ length: 4 }, () => open(url)))
    t.teardown(() => Promise.all(storages.map((storage) => storage.close())))
    let moment = start
    const seen: { id: string; by: number }[] = []
    let isDead = false
    const hasSome = createLatch()
    // However slow one of them is, none goes on before each has a message in hand, or nothing is left for it.
    const haveBegun = storages.map(createLatch)
    const outboxes = storages.map(
      (storage, by) =>
        outboxOf(
          storage,
          {
            hook: async ({ id }) => {
              if (by === 0 && isDead) {
                hasSome.open()
                await new Promise(() => {})
              }
              seen.push({ id, by })
              haveBegun[by]!.open()
              await Promise.all(haveBegun.map(({ opened }) => opened))
            },
          },
          { now: () => new Date(moment) },
        ).outbox,
    )
    const lanes = Array.from({ length: 60 }, (_, lane) => lane)
    const queue = async (prefix: string) => {
      for (const n of [0, 1, 2])
        await storages[0]!.commit(
          outboxes[0]!.steps(lanes.map((lane) => message(`${prefix}${lane}:${n}`, `${lane}`))),
        )
    }
    await queue('a')
    await Promise.all(outboxes.map((outbox, by) => outbox.deliverDue().then(haveBegun[by]!.open)))
    t.is(seen.length, 180)
    t.is(new Set(seen.map(({ id }) => id)).size, 180, 'each once')
    for (const lane of lanes)
      t.deepEqual(
        seen.filter(({ id }) => id.startsWith(`a${lane}:`)).map(({ id }) => id),
        [0, 1, 2].map((n) => `a${lane}:${n}`),
      )
    for (const by of [0, 1, 2, 3])
      t.true(
        seen.some((item) => item.by === by),
        `process ${by} has its share`,
      )

    isDead = true
    await queue('b')
    void outboxes[0]!.deliverDue()
    await hasSome.opened
    await Promise.all(outboxes.slice(1).map((outbox) => outbox.deliverDue()))
    t.true(seen.length < 360, 'one of them has some in hand')
    await outboxes[0]!.close()
    moment += 3_600_000
    await Promise.all(outboxes.slice(1).map((outbox) => outbox.deliverDue()))
    t.is(new Set(seen.map(({ id }) => id)).size, 360)
  })

function createLatch() {
  let open = (): void => undefined
  const opened = new Promise<void>((done) => {
    open = done
  })
  return { open, opened }
}
