import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import test from 'ava'
import { createBodyReader } from '../../../src/core/http/raw-body.ts'
import { defineProvider, MembershipError } from '../../../src/index.ts'
import { bareProvider } from '../../../src/providers/bare.ts'
import { stripe } from '../../../src/providers/stripe/index.ts'
import { createClock } from '../../../src/testkit/index.ts'
import { signed } from '../../../src/testkit/signed.ts'
import { openHost, secret, stored } from '../../support/host.ts'
import { Database } from '../../support/sqlite.ts'
import { customerObject, stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

function send(hook: string, body: Buffer | string, headers: Record<string, string> = {}) {
  return fetch(hook, { method: 'POST', body: Buffer.isBuffer(body) ? new Uint8Array(body) : body, headers })
}
function sign(payload: unknown, options: { secret?: string; now?: Date } = {}) {
  return signed('stripe', payload, { secret, ...options })
}
function deliver(hook: string, payload: unknown, options: { secret?: string; now?: Date } = {}) {
  const { body, headers } = sign(payload, options)
  return send(hook, body, headers)
}
function event() {
  return stripeEvent('customer.subscription.created', subscriptionObject())
}

test.serial('an unknown provider is 404 and names the configured ones', async (t) => {
  const { site } = await openHost(t)
  const answer = await send(`${site}/membership/webhooks/paypal`, '{}')
  t.is(answer.status, 404)
  t.is(answer.headers.get('content-type'), 'application/problem+json')
  const problem = (await answer.json()) as Record<string, unknown>
  t.deepEqual(Object.keys(problem).sort(), ['action', 'code', 'detail', 'status', 'title', 'type'])
  t.is(problem.code, 'ERR_PROVIDER_UNKNOWN')
  t.regex(String(problem.detail), /stripe/)
})

test.serial('only POST is taken', async (t) => {
  const { hook } = await openHost(t)
  const answer = await fetch(hook)
  t.is(answer.status, 405)
  t.is(answer.headers.get('allow'), 'POST')
})

test.serial(
  'an unverified delivery is 403, is not stored, and the log gives the reason without the secret',
  async (t) => {
    const { hook, m, log } = await openHost(t)
    const cases: [string, Response, RegExp][] = [
      [
        'wrong secret',
        await deliver(hook, event(), { secret: 'whsec_other' }),
        /No configured secret made this signature/,
      ],
      ['no header', await send(hook, JSON.stringify(event())), /Header missing/],
      ['old', await deliver(hook, event(), { now: new Date(Date.now() - 3_600_000) }), /old|clock/i],
      [
        'changed',
        await send(hook, `${JSON.stringify(event())} `, sign(event()).headers),
        /changed by a parser/,
      ],
    ]
    for (const [name, answer, why] of cases) {
      t.is(answer.status, 403, name)
      const text = await answer.text()
      t.is((JSON.parse(text) as { code: string }).code, 'ERR_WEBHOOK_SIGNATURE', name)
      t.regex(text, why, name)
      t.notRegex(text, /whsec_|at .*\.ts/, name)
    }
    t.is(await stored(m), 0)
    t.is(log.filter((line) => line.includes('refused')).length, 4)
    t.notRegex(log.join('\n'), /whsec_/)
  },
)

test.serial('without a configured secret nothing is accepted', async (t) => {
  const { hook, m } = await openHost(t, { 'membership.providers.stripe.webhook': [] })
  t.is((await deliver(hook, event())).status, 403)
  t.is((await deliver(hook, event(), { secret: '' })).status, 403)
  t.is(await stored(m), 0)
})

test.serial('any of several secrets verifies, and its label becomes the account', async (t) => {
  const { hook, m } = await openHost(t, {
    'membership.providers.stripe.webhook': { main: ['whsec_new', 'whsec_old'], shop: 'whsec_shop' },
  })
  for (const key of ['whsec_new', 'whsec_old', 'whsec_shop'])
    t.is((await deliver(hook, event(), { secret: key })).status, 200)
  t.deepEqual(
    (await m.webhooks.list()).map((e) => e.account),
    ['shop', 'main', 'main'],
  )
})

test.serial('verified bytes that cannot be read are 400', async (t) => {
  const { hook, m } = await openHost(t)
  const bodies: Record<string, Buffer> = {
    truncated: Buffer.from(JSON.stringify(event()).slice(0, 100)),
    empty: Buffer.alloc(0),
    'not UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    'no object': Buffer.from('[1,2]'),
    'no event': Buffer.from('{"id":1}'),
    deep: Buffer.from(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
  }
  for (const [name, body] of Object.entries(bodies)) {
    const answer = await send(hook, body, sign(body).headers)
    t.is(answer.status, 400, name)
    t.is(((await answer.json()) as { code: string }).code, 'ERR_BODY_UNREADABLE', name)
  }
  t.is(await stored(m), 0)
})

test.serial('more than a mebibyte is 413, declared or not', async (t) => {
  const { hook, port, m } = await openHost(t)
  const big = Buffer.alloc(10_000_000, 0x20)
  t.is((await send(hook, big, sign(big).headers)).status, 413)
  const status = await new Promise<string>((done, failed) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', failed)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
      if (answer.includes('\r\n')) {
        done(answer.split('\r\n')[0]!)
        socket.destroy()
      }
    })
    socket.write('POST /membership/webhooks/stripe HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    for (let i = 0; i < 20; i++) socket.write(chunk)
  })
  t.regex(status, /413/)
  t.is(await stored(m), 0)
})

test.serial('a body that does not arrive is dropped', async (t) => {
  const { PassThrough } = await import('node:stream')
  const slow = Object.assign(new PassThrough(), { headers: {} })
  slow.write('{')
  const reader = createBodyReader({ bytes: 100, bytesInFlight: 1000, milliseconds: 50 })
  await t.throwsAsync(reader.read(slow as never, 'somebody'), { code: 'ERR_BODY_SLOW' })
})

test.serial('a known event changes nothing, an unknown type is stored', async (t) => {
  const { hook, m } = await openHost(t)
  const item = event()
  t.deepEqual(await (await deliver(hook, item)).json(), { status: 'processed' })
  t.deepEqual(await (await deliver(hook, item)).json(), { status: 'duplicate' })
  t.deepEqual(
    await (await deliver(hook, stripeEvent('brand.new_thing', { id: 'x_1', object: 'x' }))).json(),
    { status: 'ignored' },
  )
  t.is(await stored(m), 2)
})

test.serial('the v1 provider’s old address works whatever provider sells', async (t) => {
  const { hook } = await openHost(t, {
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox': {},
  })
  t.is((await deliver(hook, event())).status, 200)
})

test.serial('an event may arrive before the one that explains it', async (t) => {
  const { hook, m } = await openHost(t)
  await deliver(hook, event())
  t.is(await m.users.findByEmail('ann@example.com'), null)
  await deliver(hook, stripeEvent('customer.created', customerObject()))
  t.is((await m.users.findByEmail('ann@example.com'))?.subscriptions().length, 1)
})

test.serial('an event of the other mode is held until it is released', async (t) => {
  const { hook, m } = await openHost(t, { 'membership.providers.stripe.livemode': true })
  t.deepEqual(await (await deliver(hook, event())).json(), { status: 'held' })
  t.deepEqual(await m.storage.read((db) => db.selectFrom('subscriptions').select('id')), [])
  const [held] = await m.webhooks.list({ failed: true })
  t.is(held?.status, 'held')
  t.regex(held?.reason ?? '', /test mode/)
  t.true(await m.webhooks.release(String(held?.seq)))
  t.is((await m.storage.read((db) => db.selectFrom('subscriptions').select('id'))).length, 1)
  await t.throwsAsync(m.webhooks.release(String(held?.seq)), { code: 'ERR_USAGE' })
})

/** Stripe whose reading fails as often as told. */
function failing(times: { left: number }) {
  return defineProvider({
    ...stripe,
    create(context) {
      const provider = bareProvider(stripe, context.options)
      return {
        ...provider,
        changes: (e) => {
          if (times.left-- > 0) throw new MembershipError('ERR_UNEXPECTED', 'poisoned for the test')
          return provider.changes(e)
        },
      }
    },
  })
}

test.serial('an event that cannot be applied is kept, retried later and applied', async (t) => {
  const clock = createClock(new Date())
  const { hook, m } = await openHost(t, { customProviders: [failing({ left: 3 })], now: clock.now })
  const answer = await deliver(hook, event(), { now: clock.now() })
  t.is(answer.status, 202)
  t.deepEqual(await answer.json(), { status: 'kept' })
  await m.runDueJobs()
  t.is((await m.webhooks.list())[0]?.status, 'failed', 'not before its time')
  for (const seconds of [11, 61, 301]) {
    clock.advance({ seconds })
    await m.runDueJobs()
  }
  t.is((await m.webhooks.list())[0]?.status, 'processed')
  t.is((await m.storage.read((db) => db.selectFrom('subscriptions').select('id'))).length, 1)
})

test.serial('a failed event that is delivered again is retried at once', async (t) => {
  const { hook, m } = await openHost(t, { customProviders: [failing({ left: 1 })] })
  const item = event()
  t.is((await deliver(hook, item)).status, 202)
  t.deepEqual(await (await deliver(hook, item)).json(), { status: 'processed' })
  t.is((await m.webhooks.list())[0]?.status, 'processed')
})

test.serial('a failed event that fails again on redelivery is still reported as kept', async (t) => {
  const { hook, m } = await openHost(t, { customProviders: [failing({ left: 4 })] })
  const item = event()
  t.is((await deliver(hook, item)).status, 202)
  const again = await deliver(hook, item)
  t.deepEqual([again.status, await again.json()], [202, { status: 'kept' }])
  t.is((await m.webhooks.list())[0]?.status, 'failed')
})

test.serial('after the last try an event is given up, visible, and can be replayed', async (t) => {
  const clock = createClock(new Date())
  const times = { left: 4 }
  const { hook, m } = await openHost(t, {
    customProviders: [failing(times)],
    now: clock.now,
    'membership.webhooks.retries': 2,
  })
  await deliver(hook, event(), { now: clock.now() })
  for (let i = 0; i < 5; i++) {
    clock.advance({ hours: 7 })
    await m.runDueJobs()
  }
  const [dead] = await m.webhooks.list({ failed: true })
  t.is(dead?.status, 'dead')
  t.regex(dead?.reason ?? '', /poisoned/)
  times.left = 0
  t.true(await m.webhooks.replay(String(dead?.event_id)))
  t.deepEqual(await m.webhooks.list({ failed: true }), [])
})

test.serial(
  'while the file is locked, pages work, deliveries get 503 in time, and nothing is acknowledged',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'membership-locked-'))
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'site.db')
    const { hook, m, site } = await openHost(t, { 'membership.database.url': `sqlite:${file}` })
    const other = new Database(file)
    other.exec('begin immediate')
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const since = performance.now()
    const deliveries = Array.from({ length: 20 }, () => deliver(hook, event()))
    const pages: number[] = []
    for (let i = 0; i < 10; i++) {
      const asked = performance.now()
      t.is((await fetch(`${site}/membership/prices`)).status, 200)
      pages.push(performance.now() - asked)
    }
    for (const answer of await Promise.all(deliveries)) {
      t.is(answer.status, 503)
      t.truthy(answer.headers.get('retry-after'))
      t.regex(((await answer.json()) as { code: string }).code, /^ERR_(BUSY|STORAGE)$/)
    }
    const took = performance.now() - since
    t.true(took < 5000, `${took} ms: Paddle gives up after five seconds`)
    delay.disable()
    t.true(delay.max / 1e6 < 1000, `the process stood still for ${delay.max / 1e6} ms`)
    t.true(Math.max(...pages) < 2000, `pages took ${pages.map(Math.round).join(', ')} ms`)
    t.log(`503 after ${Math.round(took)} ms, longest standstill ${Math.round(delay.max / 1e6)} ms`)
    // What waits for a moment only is taken.
    const short = deliver(hook, event())
    await new Promise((next) => setTimeout(next, 300))
    other.exec('rollback')
    other.close()
    t.is((await short).status, 200)
    const known = await stored(m)
    t.true(known >= 1)
    t.is((await deliver(hook, event())).status, 200)
    t.is(await stored(m), known + 1)
  },
)

test.serial('bodies are deleted after their time, ids stay', async (t) => {
  const clock = createClock(new Date())
  const { hook, m } = await openHost(t, { now: clock.now })
  const item = event()
  await deliver(hook, item, { now: clock.now() })
  clock.advance({ days: 91 })
  await m.runDueJobs()
  t.is((await m.webhooks.get(item.id)).body, null)
  await t.throwsAsync(m.webhooks.replay(item.id), { code: 'ERR_BODY_UNREADABLE' })
  const { status, reason, attempts } = await m.webhooks.get(item.id)
  t.deepEqual(
    { status, reason, attempts },
    { status: 'processed', reason: null, attempts: 0 },
    'applied it stays',
  )
  t.deepEqual(
    await (await deliver(hook, item, { now: clock.now() })).json(),
    { status: 'duplicate' },
    'an old capture cannot be played again',
  )
})
