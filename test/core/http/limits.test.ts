import type { IncomingMessage } from 'node:http'
import test from 'ava'
import type { Context } from 'koa'
import { isMembershipError, type MembershipError } from '../../../src/core/errors.ts'
import { clientAddress } from '../../../src/core/http/caller-key.ts'
import { createCallers } from '../../../src/core/http/callers.ts'
import { isForeign } from '../../../src/core/http/origin.ts'
import { createRateLimit, rateLimitFields } from '../../../src/core/http/rate-limit.ts'
import { createReputation } from '../../../src/core/http/reputation.ts'
import { access, mayDo, requireAuthentication } from '../../../src/core/http/route-access.ts'

function from(remoteAddress: string | undefined, forwarded?: string): IncomingMessage {
  return {
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage
}

test('a caller is the address of the connection, unless proxies are trusted', (t) => {
  t.is(clientAddress(from('192.0.2.1', '198.51.100.7'), 0), '192.0.2.1')
  t.is(clientAddress(from(undefined), 0), 'unknown')
  t.is(clientAddress({ headers: {} } as IncomingMessage, 0), 'unknown')
})

test('the address that the outermost trusted proxy saw counts', (t) => {
  const told = '203.0.113.9, 198.51.100.7 , 10.0.0.2'
  t.is(clientAddress(from('10.0.0.1', told), 1), '10.0.0.2')
  t.is(clientAddress(from('10.0.0.1', told), 2), '198.51.100.7')
  t.is(clientAddress(from('10.0.0.1', told), 9), '203.0.113.9', 'fewer than were said: the first')
  t.is(clientAddress(from('10.0.0.1', ' , ,'), 1), '10.0.0.1')
  t.is(clientAddress(from('10.0.0.1'), 1), '10.0.0.1')
})

test('IPv6 counts by its /64 in any notation; IPv4 written as IPv6 is IPv4', (t) => {
  const key = (address: string) => clientAddress(from(address), 0)
  t.is(key('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  t.is(key('2001:0DB8:0001:0002::1'), '2001:db8:1:2::/64')
  t.is(key('2001:db8::1'), '2001:db8:0:0::/64')
  t.is(key('2001:db8:1::2:3:4:5'), '2001:db8:1:0::/64')
  t.is(key('::1'), '0:0:0:0::/64')
  t.is(key('fe80::'), 'fe80:0:0:0::/64')
  t.is(key('fe80::1%eth0'), 'fe80:0:0:0::/64')
  t.is(key('::FFFF:192.0.2.1'), '192.0.2.1')
  t.is(key('::ffff:10.20.30.40'), '10.20.30.40')
  t.is(key('::2:3:4:5:6'), '0:0:0:2::/64')
  t.is(key('a:b::7:8:9:a'), 'a:b:0:0::/64')
  t.is(key('a:b:c:d:e::'), 'a:b:c:d::/64')
  t.is(key('no:address'), 'no:address')
  t.is(key('x::ffff:192.0.2.1'), 'x::ffff:192.0.2.1')
  t.is(key('::ffff:192.0.2.1x'), '::ffff:192.0.2.1x')
})

test('the port that a proxy appended does not make another caller; anything else stays as it was written', (t) => {
  const key = (address: string) => clientAddress(from('10.0.0.1', address), 1)
  for (const address of ['192.0.2.1', '192.0.2.1:8', '192.0.2.1:4711']) t.is(key(address), '192.0.2.1')
  t.is(key('203.10.113.254:65535'), '203.10.113.254')
  for (const address of ['[2001:db8:1:2::1]', '[2001:db8:1:2::1]:8', '[2001:db8:1:2::1]:4711'])
    t.is(key(address), '2001:db8:1:2::/64')
  for (const odd of [
    'x192.0.2.1:4711',
    '192.0.2.1:4711x',
    '192.0.2.1:',
    '192.0.2.x:1',
    '192.0.x.1:1',
    '192.x.2.1:1',
    'x.0.2.1:1',
    '192.0.2.1:port',
    'x[2001:db8::1]',
    '[2001:db8::1]x',
    '[2001:db8::1]:port',
  ])
    t.is(key(odd), odd)
})

test('each caller has a number of requests per minute, then an answer that says when to retry', async (t) => {
  const { consume, assertLeft, limit } = createRateLimit({ limit: 2 })
  t.is(limit, 2)
  t.like(await consume('a'), { policy: 'default', limit: 2, remaining: 1, resetSeconds: 60 })
  await assertLeft('a')
  t.is((await consume('a')).remaining, 0)
  const refused = await t.throwsAsync(consume('a'), { code: 'ERR_RATE_LIMIT' })
  t.true(isMembershipError(refused, 'ERR_RATE_LIMIT') && refused.retryAfterSeconds === 60)
  t.is(refused?.message, 'More than 2 requests in a minute came from your address.')
  t.is(
    (refused as MembershipError).action,
    'Wait 60 seconds. Site owners raise it with membership.ratelimit.limit.',
  )
  await t.throwsAsync(assertLeft('a'), { code: 'ERR_RATE_LIMIT' })
  await assertLeft('b')
  t.is((await consume('b')).remaining, 1)
})

test('a returned request does not count; asking for the rest counts none', async (t) => {
  const { consume, giveBack, assertLeft } = createRateLimit({ limit: 1 })
  await consume('a')
  await giveBack('a')
  for (let i = 0; i < 3; i++) await assertLeft('a')
  t.is((await consume('a')).remaining, 0)
})

test('a failing store is not reported as too many requests', async (t) => {
  const away = new Error('the store is away')
  const counters = { of: () => ({ consume: () => Promise.reject(away) }), close: async () => {} }
  const { consume } = createRateLimit({ limit: 1, counters: counters as never })
  t.is(await t.throwsAsync(consume('a')), away)
})

test('each limit has its own name, caller and setting', async (t) => {
  const names: string[] = []
  const counters = {
    of: (name: string, points: number) => {
      names.push(`${name} ${points}`)
      return { consume: () => Promise.reject({ msBeforeNext: 1, remainingPoints: 0 }) }
    },
    close: async () => {},
  } as never
  createRateLimit({ limit: 1, counters })
  createRateLimit({ limit: 2, counters, policy: 'partner' })
  const { consume } = createRateLimit({
    limit: 3,
    counters,
    policy: 'partner',
    name: 'own',
    who: 'this key',
    setting: 'membership.reports.limit',
  })
  t.deepEqual(names, ['default 1', 'partner 2', 'own 3'])
  const refused = (await t.throwsAsync(consume('a'))) as MembershipError
  t.regex(refused.message, /came from this key\.$/)
  t.is(refused.action, 'Wait 1 seconds. Site owners raise it with membership.reports.limit.')
})

test('the rest of a limit is sent as the draft’s fields', (t) => {
  t.deepEqual(rateLimitFields({ policy: 'p', limit: 5, remaining: 3, resetSeconds: 42 }), {
    'RateLimit-Policy': '"p";q=5;w=60',
    RateLimit: '"p";r=3;t=42',
  })
})

test('a caller limited behind an unconfigured proxy is told so, and the log once', async (t) => {
  const log: string[] = []
  const callersOf = (trustProxy: number) =>
    createCallers({
      ratelimit: createRateLimit({ limit: 1 }),
      trustProxy,
      log: (line) => void log.push(line),
    })
  const refusalOf = async (trustProxy: number, forwarded?: string) => {
    const { count, callerOf } = callersOf(trustProxy)
    const caller = callerOf(from('10.0.0.1', forwarded))
    t.like(await count(caller), { RateLimit: '"default";r=0;t=60' })
    await t.throwsAsync(count(caller))
    return (await t.throwsAsync(count(caller), { code: 'ERR_RATE_LIMIT' })) as MembershipError
  }
  t.notRegex((await refusalOf(0)).action!, /trust_proxy/)
  t.notRegex((await refusalOf(1, '203.0.113.1')).action!, /trust_proxy/)
  t.deepEqual(log, [])
  const told = await refusalOf(0, '203.0.113.1')
  t.regex(told.action!, /^Wait 60 seconds\. .*trust_proxy/)
  t.is(told.retryAfterSeconds, 60)
  t.is(log.length, 1)
  t.regex(log[0]!, /trust_proxy/)
})

test('a failure on our side is not counted, and is passed on', async (t) => {
  const ratelimit = createRateLimit({ limit: 1 })
  const { count, giveBack, callerOf } = createCallers({ ratelimit, trustProxy: 0, log: () => {} })
  const caller = callerOf(from('10.0.0.1', '203.0.113.1'))
  t.deepEqual(caller, { address: '10.0.0.1', isSpokenFor: true })
  await count(caller)
  await giveBack(caller)
  await count(caller)
  const away = { ...ratelimit, consume: () => Promise.reject(new Error('away')) }
  const { count: failing } = createCallers({ ratelimit: away, trustProxy: 0, log: () => {} })
  await t.throwsAsync(failing(caller), { message: 'away' })
})

test('an address with a true delivery is never refused, however many false ones come from it', async (t) => {
  const { isProven, wasTrue, wasFalse, assertWelcome } = createReputation(createRateLimit({ limit: 1 }))
  for (const address of ['a', 'b']) {
    await assertWelcome(address)
    await wasFalse(address)
    await wasFalse(address)
    await t.throwsAsync(assertWelcome(address), { code: 'ERR_RATE_LIMIT' })
  }
  t.false(isProven('a'))
  t.true(await wasTrue('a'))
  t.false(await wasTrue('a'), 'known already')
  t.true(isProven('a'))
  await assertWelcome('a')
  await t.throwsAsync(assertWelcome('b'), { code: 'ERR_RATE_LIMIT' })
})

test('a proof is kept for 35 days, written once a day, and read by other processes once a minute', async (t) => {
  const dayMs = 86_400_000
  let moment = Date.UTC(2026, 0, 1)
  const now = () => new Date(moment)
  const kept = new Map([
    ['old', { address: 'old', at: new Date(moment - 35 * dayMs).toISOString() }],
    ['young', { address: 'young', at: new Date(moment - 35 * dayMs + 1).toISOString() }],
  ])
  const put: string[] = []
  let lists = 0
  const store = {
    list: async () => {
      lists++
      return [...kept.values()]
    },
    put: async (proof: { address: string; at: string }) => {
      put.push(`${proof.address} ${proof.at}`)
      kept.set(proof.address, proof)
    },
    remove: async (address: string) => void kept.delete(address),
  }
  const reputation = createReputation(createRateLimit({ limit: 1 }), { store, now })
  t.false(reputation.isProven('young'), 'nothing was read yet')
  await Promise.all([reputation.refresh(), reputation.refresh()])
  await reputation.refresh()
  t.is(lists, 1)
  t.true(reputation.isProven('young'))
  t.false(reputation.isProven('old'))
  t.deepEqual([...kept.keys()], ['young'], 'what is over is forgotten')
  t.true(await reputation.wasTrue('a'))
  t.false(await reputation.wasTrue('a'))
  t.deepEqual(put, ['a 2026-01-01T00:00:00.000Z'])
  moment += dayMs - 1
  await reputation.wasTrue('a')
  t.is(put.length, 1)
  moment += 1
  t.false(reputation.isProven('young'))
  await reputation.wasTrue('a')
  t.deepEqual(put.slice(1), ['a 2026-01-02T00:00:00.000Z'])
  moment += 35 * dayMs - 1
  t.true(reputation.isProven('a'))
  moment += 1
  t.false(reputation.isProven('a'))
  t.true(await reputation.wasTrue('a'), 'it is news again')

  const other = createReputation(createRateLimit({ limit: 1 }), { store, now })
  await other.refresh()
  t.true(other.isProven('a'), 'another process knows it')
  t.false(await other.wasTrue('a'))
  t.is(put.length, 3, 'and need not write it on the same day')
  const older = { address: 'b', at: new Date(moment - 30 * dayMs).toISOString() }
  const stale = createReputation(createRateLimit({ limit: 1 }), {
    store: { list: async () => [older], put: async () => {}, remove: async () => {} },
    now,
  })
  await stale.wasTrue('b')
  await stale.refresh()
  moment += 10 * dayMs
  t.true(stale.isProven('b'), 'an older proof in the store takes nothing away')
  const alone = createReputation(createRateLimit({ limit: 1 }))
  await alone.refresh()
  t.true(await alone.wasTrue('a'))
  t.true(alone.isProven('a'))
})

test('each kind of session may do what its level allows', (t) => {
  const standings = ['none', 'unverified', 'verified'] as const
  for (const [i, needs] of standings.entries())
    for (const [j, has] of standings.entries()) {
      t.is(mayDo(needs, has), j >= i, `${has} where ${needs} is needed`)
      if (j >= i) t.notThrows(() => requireAuthentication(needs, has))
      else
        t.throws(() => requireAuthentication(needs, has), {
          code: j === 0 ? 'ERR_LOGIN_REQUIRED' : 'ERR_UNVERIFIED',
        })
    }
  for (const error of [
    t.throws(() => requireAuthentication('verified', 'none')),
    t.throws(() => requireAuthentication('verified', 'unverified')),
  ])
    t.regex((error as MembershipError).action!, /^POST \/membership\/login/)
})

test('routes that require a level require no less', (t) => {
  const asked = Object.entries(access).filter(([, { needs }]) => needs !== 'none')
  t.deepEqual(Object.fromEntries(asked.map(([name, { needs }]) => [name, needs])), {
    pass: 'unverified',
    bought: 'unverified',
    renewing: 'unverified',
    profile: 'unverified',
    joining: 'verified',
    verified: 'verified',
  })
})

test('another site’s form is recognised by either of the two headers that a page cannot write', (t) => {
  const foreign = (headers: Record<string, string>) =>
    isForeign({ get: (name: string) => headers[name] ?? '' } as Context, 'site.example')
  t.false(foreign({}))
  t.false(foreign({ Origin: 'https://site.example' }))
  t.true(foreign({ Origin: 'https://www.site.example' }))
  t.true(foreign({ Origin: 'https://site.example:8443' }))
  t.true(foreign({ Origin: 'nonsense' }))
  t.true(foreign({ Origin: 'null' }))
  t.true(foreign({ Origin: 'null', 'Sec-Fetch-Site': 'none' }))
  t.false(foreign({ Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }))
  for (const site of ['cross-site', 'same-site'])
    t.true(foreign({ Origin: 'https://site.example', 'Sec-Fetch-Site': site }), site)
  for (const site of ['same-origin', 'none']) t.false(foreign({ 'Sec-Fetch-Site': site }), site)
  t.true(foreign({ Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' }))
})
