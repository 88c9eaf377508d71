import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { isMembershipError, type MembershipError, toProblem } from '../../src/core/errors.ts'
import { createWords, errorIn } from '../../src/core/words/index.ts'
import { allPages } from '../../src/providers/api.ts'
import { once } from '../../src/providers/call-once.ts'
import { createClientCredentials } from '../../src/providers/client-credentials.ts'
import { walkLists } from '../../src/providers/list.ts'
import { address, createRest, type RestOptions, unlessMissing } from '../../src/providers/rest.ts'

const date = 'Sun, 01 Mar 2026 12:00:00 GMT'
const key = 'key_live_do_not_print'

type Answer = (request: IncomingMessage & { readonly text: string }, response: ServerResponse) => void

/** A provider that answers in turn, and what it was asked. */
async function openApi(t: ExecutionContext, answers: readonly Answer[], more: Partial<RestOptions> = {}) {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    asked.push(`${request.method} ${request.url} ${text}`.trim())
    answers[asked.length - 1]?.(Object.assign(request, { text }), response.setHeader('date', date))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const waited: number[] = []
  const rest = createRest({
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    words: {
      name: 'Acme',
      option: 'membership.providers.acme.secret',
      keys: 'the dashboard',
      requests: 'in its log',
    },
    now: () => new Date(date),
    headers: () => ({ authorization: `Bearer ${key}` }),
    wait: async (ms) => waited.push(ms),
    ...more,
  })
  return { rest, asked, waited }
}

function says(status: number, body: unknown = {}, headers: Record<string, string> = {}): Answer {
  return (_request, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
}
const hangsUp: Answer = (_request, response) => response.destroy()
const isSilent: Answer = () => {}

test('reads are retried after an outage and a limit; changes only after a limit, with a key, or if unsent', async (t) => {
  const reads = await openApi(t, [
    says(503, 'Sorry'),
    says(429, {}, { 'retry-after': '2' }),
    says(200, { id: 'a' }),
  ])
  const { raw, at } = await reads.rest.ask('a thing', {
    path: '/things/a',
    query: { limit: 2, after: undefined },
  })
  t.deepEqual([raw, at], [{ id: 'a' }, '2026-03-01T11:59:59.000Z'])
  t.deepEqual([reads.asked, reads.waited], [Array(3).fill('GET /things/a?limit=2'), [250, 2000]])

  const request = { method: 'POST', path: '/things', body: { name: 'x' } } as const
  for (const [first, isRepeatable, times] of [
    [says(500), false, 1],
    [hangsUp, false, 1],
    [says(429), false, 2],
    [says(500), true, 2],
    [hangsUp, true, 2],
  ] as const) {
    const { rest, asked } = await openApi(t, [first, says(201, { id: 'b' })])
    const made = rest.ask('a new thing', { ...request, isRepeatable })
    await (times === 2 ? t.notThrowsAsync(made) : t.throwsAsync(made))
    t.deepEqual(asked, Array(times).fill('POST /things {"name":"x"}'))
  }
  const nowhere = await openApi(t, [], { base: 'http://127.0.0.1:2' })
  await t.throwsAsync(nowhere.rest.ask('a new thing', request))
  t.deepEqual(nowhere.waited, [250, 1000])
})

function tokens() {
  let asked = 0
  let now = Date.parse(date)
  const headers = createClientCredentials({
    ask: async () => {
      const token = `t_${++asked}`
      await setImmediate()
      return { token, seconds: 3600 }
    },
    now: () => new Date(now),
  })
  return { headers, asked: () => asked, pass: (seconds: number) => (now += seconds * 1000) }
}

test('one token serves all requests until shortly before it expires, and is requested once', async (t) => {
  const { headers, asked, pass } = tokens()
  const all = await Promise.all(Array.from({ length: 10 }, () => headers()))
  t.deepEqual(new Set(all.map(({ authorization }) => authorization)), new Set(['Bearer t_1']))
  pass(3600 - 61)
  await headers()
  t.is(asked(), 1)
  pass(2)
  t.deepEqual(await headers(), { authorization: 'Bearer t_2' })
})

test('a refused token is replaced once, even after ten simultaneous refusals', async (t) => {
  const { headers, asked } = tokens()
  const judges: Answer = (request, response) =>
    says(request.headers.authorization === 'Bearer t_1' ? 401 : 200)(request, response)
  const { rest } = await openApi(t, Array(20).fill(judges), { headers })
  const request = { method: 'POST', path: '/things' } as const
  await Promise.all(Array.from({ length: 10 }, () => rest.ask('a new thing', request)))
  t.is(asked(), 2)
  const known = await openApi(t, [says(401), says(200)])
  await t.throwsAsync(known.rest.ask('a thing', { path: '/' }), { message: /status 401$/ })
  t.is(known.asked.length, 1, 'the same key is refused again')
})

test('a failed token request is repeated by the next request', async (t) => {
  let fails = true
  const headers = createClientCredentials({
    ask: async () => {
      if (fails) throw new Error('not now')
      return { token: 't_1', seconds: 60 }
    },
    now: () => new Date(date),
  })
  await t.throwsAsync(async () => headers())
  fails = false
  t.deepEqual(await headers(), { authorization: 'Bearer t_1' })
})

test('an id stays one segment of an address, and an unknown object is null', async (t) => {
  t.is(address`/things/${'a-1'}/cancel`, '/things/a-1/cancel')
  for (const id of ['../../x', 'a?b=c', 'a#b', '..', '.', ''])
    t.regex(
      new URL(address`/things/${id}/cancel`, 'http://localhost').pathname,
      /^\/things\/[^/]+\/cancel$/,
      id,
    )
  const { rest } = await openApi(t, [says(404), says(400)])
  t.is(await unlessMissing(rest.ask('a thing', { path: '/' })), null)
  await t.throwsAsync(unlessMissing(rest.ask('a thing', { path: '/' })), { message: /status 400$/ })
})

test('a request waits no longer than its timeout, or than two seconds at a provider’s request', async (t) => {
  const silent = await openApi(t, [isSilent, isSilent, isSilent], { timeoutMs: 30 })
  const error = await t.throwsAsync(silent.rest.ask('a thing', { path: '/' }))
  t.is(error?.message, 'Acme could not be asked for a thing: no answer')
  const limited = await openApi(t, [says(429, {}, { 'retry-after': '30' })])
  await t.throwsAsync(limited.rest.ask('a thing', { path: '/' }), { message: /status 429$/ })
  t.deepEqual([limited.asked.length, limited.waited], [1, []])
})

test('an error contains the provider’s code and parameter, never the key, and invalid JSON is no answer', async (t) => {
  const faultOf = (body: Record<string, unknown>) => ({ code: body.code, field: body.field })
  for (const [answer, code, message] of [
    [
      says(400, { code: 'bad_price', field: 'items' }),
      'ERR_PROVIDER_ANSWER',
      /status 400 \(bad_price, parameter items\)$/,
    ],
    [says(401, { detail: key }), 'ERR_PROVIDER_ANSWER', /status 401$/],
    [says(402), 'ERR_PAYMENT_DECLINED', /declined/],
    [says(302, '', { location: 'https://example.com/' }), 'ERR_PROVIDER_ANSWER', /no answer$/],
    [says(200, '<html>'), 'ERR_PROVIDER_ANSWER', /no answer$/],
  ] as const) {
    const { rest } = await openApi(t, [answer], { faultOf })
    const error = await t.throwsAsync(rest.ask('a thing', { method: 'POST', path: '/' }))
    t.true(isMembershipError(error, code), String(error))
    t.regex(error?.message ?? '', message)
    t.notRegex(`${error?.message} ${(error as { action?: string }).action}`, /do_not_print/)
  }
})

test('a refusal is not shown as an outage: a page asks nobody to try again in a few minutes', async (t) => {
  const voice = createWords({ root: false, defaultLanguage: 'en', site: '' }).voiceFor([])
  const shown = async (asked: number) => {
    const { rest } = await openApi(t, [says(asked)])
    const error = await t.throwsAsync(rest.ask('a change', { method: 'POST', path: '/' }))
    const { body, status } = toProblem(error as MembershipError)
    return errorIn(voice, { ...body, status }, { again: '/', account: '/account' }).title
  }
  for (const status of [400, 404, 410, 422])
    t.is(await shown(status), 'The payment provider refused this', String(status))
  for (const status of [401, 403, 408, 409, 500, 503])
    t.is(await shown(status), 'The payment provider isn’t responding', String(status))
})

test('a request without an answer is repeated only if its result is not found', async (t) => {
  const lost = [says(500), hangsUp] as const
  for (const isThere of [true, false])
    for (const answer of lost) {
      const { rest, asked } = await openApi(t, [answer, says(201, { id: 'again' })])
      const made = await once({
        make: () =>
          rest
            .ask<{ readonly id: unknown }>('a new thing', { method: 'POST', path: '/things' })
            .then(({ raw }) => raw.id),
        find: async () => (isThere ? 'found' : null),
        wait: async () => {},
      })
      t.deepEqual([made, asked.length], isThere ? ['found', 1] : ['again', 2])
    }
  const { rest } = await openApi(t, [says(400)])
  const refused = once({
    make: () => rest.ask('a new thing', { method: 'POST', path: '/' }),
    find: async () => t.fail('a no is an answer') as never,
  })
  await t.throwsAsync(refused, { message: /status 400$/ })
  const known = await once({
    make: async () => t.fail() as never,
    find: async () => 'found',
    looksFirst: true,
  })
  t.is(known, 'found')
})

test('lists are walked one after the other, page by page, and continue from any cursor', async (t) => {
  const pages: Record<string, string[]> = { a: ['1', '2'], b: [], c: ['3'] }
  const page = async (kind: string, after: string | null) => {
    const n = Number(after ?? 0)
    const [all, item] = [pages[kind]!, pages[kind]![n]]
    const changes = item === undefined ? [] : [{ type: 'touch', ref: { kind: 'payment', id: item } } as const]
    return { changes, at: '2026-03-01T12:00:00.000Z', next: n + 1 < all.length ? `${n + 1}` : null }
  }
  const ids: string[] = []
  const cursors: (string | null)[] = []
  for await (const item of walkLists('Acme', ['a', 'b', 'c'], page)) {
    ids.push(...item.changes.map((change) => (change.type === 'touch' ? change.ref.id : '')))
    cursors.push(item.cursor)
  }
  t.deepEqual(
    [ids, cursors],
    [
      ['1', '2', '3'],
      ['a 1', 'b', 'c', null],
    ],
  )
  for await (const { changes } of walkLists('Acme', ['a', 'b', 'c'], page, 'c')) t.is(changes.length, 1)
  const none = walkLists('Acme', ['a'], page, 'd 1')[Symbol.asyncIterator]()
  t.true(isMembershipError(await t.throwsAsync(none.next()), 'ERR_USAGE'))
  const { all, at } = await allPages(async (after) => ({
    items: [after],
    at: `${after}`,
    next: after === null ? 'x' : null,
  }))
  t.deepEqual([all, at], [[null, 'x'], 'null'])
})
