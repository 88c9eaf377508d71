import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import test from 'ava'
import fc from 'fast-check'
import { signed } from '../../src/testkit/index.ts'
import { loader, programFile } from '../support/command.ts'
import { openHost, secret, stored } from '../support/host.ts'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'

function valid() {
  return signed('stripe', stripeEvent('customer.subscription.created', subscriptionObject()), { secret })
}
const allowed = new Set([200, 202, 400, 403, 408, 413, 429, 503])

test.serial('sixteen bodies of 10 MB at once are refused within bounded memory', async (t) => {
  const child = spawn(process.execPath, [...loader, programFile('crash-host'), 'sqlite::memory:'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString().trim())
  const rss = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  const hwm = () =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  if (process.platform !== 'linux') return t.pass()

  const before = rss()
  const big = Buffer.alloc(10_000_000, 0x7b)
  const post = (chunked: boolean) =>
    new Promise<number>((done) => {
      const sending = request(
        {
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/membership/webhooks/stripe',
          headers: chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': big.length },
        },
        (answer) => {
          answer.resume()
          done(answer.statusCode ?? 0)
        },
      )
      sending.on('error', () => done(0))
      // Answered and let go by the request, it may still find that nobody reads what it sends.
      sending.on('socket', (socket) => socket.on('error', () => done(0)))
      sending.end(big)
    })
  const statuses = await Promise.all(Array.from({ length: 16 }, (_, i) => post(i % 2 === 0)))
  // A line that is cut while it still sends may never read its answer.
  t.true(
    statuses.every((status) => status === 413 || status === 0),
    String(statuses),
  )
  t.true(statuses.includes(413))
  t.true(hwm() - before < 96, `grew by ${Math.round(hwm() - before)} MB`)
  t.log(`${Math.round(before)} MB before, ${Math.round(hwm())} MB at most`)
  const { body, headers } = valid()
  t.is(
    (
      await fetch(`http://127.0.0.1:${port}/membership/webhooks/stripe`, {
        method: 'POST',
        body: new Uint8Array(body),
        headers,
      })
    ).status,
    403,
    'it still answers',
  )
})

test.serial('a signed body is accepted whatever content type it names', async (t) => {
  const { hook } = await openHost(t)
  for (const type of [
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'nonsense',
  ]) {
    const { body, headers } = valid()
    t.is(
      (
        await fetch(hook, {
          method: 'POST',
          body: new Uint8Array(body),
          headers: { ...headers, 'content-type': type },
        })
      ).status,
      200,
      type,
    )
  }
})

test.serial('keys that target prototypes change nothing but the inbox', async (t) => {
  const { hook, m } = await openHost(t)
  const text = JSON.stringify(stripeEvent('customer.subscription.created', subscriptionObject())).replace(
    '"metadata":{}',
    '"metadata":{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}},"__proto__":{"polluted":"yes"}',
  )
  const { body, headers } = signed('stripe', text, { secret })
  t.is((await fetch(hook, { method: 'POST', body: new Uint8Array(body), headers })).status, 200)
  t.is(({} as Record<string, unknown>).polluted, undefined)
  t.is(await stored(m), 1)
})

test.serial('arbitrary bytes get a documented answer, and only verified ones are stored', async (t) => {
  const { hook, m } = await openHost(t, { 'membership.ratelimit.limit': 1_000_000 })
  let verified = 0
  const mutated = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })).map(([at, byte]) => {
    const { body } = valid()
    body[at % body.length] = byte
    return body
  })
  const bytes = fc.oneof(
    mutated,
    fc.uint8Array({ maxLength: 400 }).map((a) => Buffer.from(a)),
    fc.json().map((s) => Buffer.from(s)),
  )
  const header = fc.oneof(
    fc.constant(undefined),
    fc.stringMatching(/^[ -~]{0,60}$/),
    fc.stringMatching(/^t=\d{1,12},v1=[0-9a-f]{0,64}$/),
  )
  await fc.assert(
    fc.asyncProperty(bytes, fc.boolean(), header, async (body, isSigned, forged) => {
      const headers: Record<string, string> = isSigned
        ? signed('stripe', body, { secret }).headers
        : forged
          ? { 'stripe-signature': forged }
          : {}
      const answer = await fetch(hook, { method: 'POST', body: new Uint8Array(body), headers })
      const text = await answer.text()
      if (!allowed.has(answer.status)) throw new Error(`${answer.status} ${text}`)
      if (!isSigned && answer.status !== 403) throw new Error(`unsigned: ${answer.status}`)
      if (text.includes(secret)) throw new Error('the secret is in the answer')
      if (answer.status < 300) verified++
    }),
    { numRuns: 600, seed: process.env.FC_SEED === 'random' ? undefined : 4 },
  )
  t.true((await stored(m)) <= verified)
  t.log(`${verified} of 600 were verified events`)
})
