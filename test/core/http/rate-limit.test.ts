import type { IncomingMessage } from 'node:http'
import test from 'ava'
import { clientAddress } from '../../../src/core/http/caller-key.ts'
import { signed } from '../../../src/testkit/index.ts'
import { openHost, secret } from '../../support/host.ts'
import { stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

function verified(hook: string) {
  const { body, headers } = signed(
    'stripe',
    stripeEvent('customer.subscription.created', subscriptionObject()),
    { secret },
  )
  return fetch(hook, { method: 'POST', body: new Uint8Array(body), headers })
}
function refused(hook: string, headers: Record<string, string> = {}) {
  return fetch(hook, { method: 'POST', body: '{}', headers })
}

test('thirty refused deliveries a minute from one address, then 429', async (t) => {
  const { hook } = await openHost(t)
  for (let i = 0; i < 30; i++) t.is((await refused(hook)).status, 403)
  const answer = await refused(hook)
  t.is(answer.status, 429)
  t.regex(answer.headers.get('retry-after') ?? '', /^\d+$/)
  t.is(answer.headers.get('content-type'), 'application/problem+json')
  t.is(((await answer.json()) as { code: string }).code, 'ERR_RATE_LIMIT')
  t.is((await verified(hook)).status, 200, 'what verifies is taken all the same')
})

test('the limit and its rest are sent', async (t) => {
  const { hook } = await openHost(t, { 'membership.ratelimit.limit': 5 })
  const answer = await refused(hook)
  t.is(answer.headers.get('ratelimit-policy'), '"default";q=5;w=60')
  t.regex(answer.headers.get('ratelimit') ?? '', /^"default";r=4;t=\d+$/)
})

test('a burst of verified deliveries is never refused', async (t) => {
  const { hook } = await openHost(t, { 'membership.ratelimit.limit': 3 })
  const statuses = await Promise.all(Array.from({ length: 300 }, async () => (await verified(hook)).status))
  t.deepEqual([...new Set(statuses)], [200])
})

test('verified deliveries count if the site configures it', async (t) => {
  const { hook } = await openHost(t, {
    'membership.ratelimit.limit': 2,
    'membership.ratelimit.webhooks': true,
  })
  t.is((await verified(hook)).status, 200)
  t.is((await verified(hook)).status, 200)
  t.is((await verified(hook)).status, 429)
})

test('a forwarded address counts only behind trusted proxies', async (t) => {
  const direct = await openHost(t, { 'membership.ratelimit.limit': 1 })
  await refused(direct.hook, { 'x-forwarded-for': '203.0.113.1' })
  t.is(
    (await refused(direct.hook, { 'x-forwarded-for': '203.0.113.2' })).status,
    429,
    'nobody changes address by a header',
  )

  const proxied = await openHost(t, {
    'membership.ratelimit.limit': 1,
    'membership.ratelimit.trust_proxy': 1,
  })
  await refused(proxied.hook, { 'x-forwarded-for': '203.0.113.1' })
  t.is((await refused(proxied.hook, { 'x-forwarded-for': '203.0.113.2' })).status, 403)
  t.is(
    (await refused(proxied.hook, { 'x-forwarded-for': '9.9.9.9, 203.0.113.1' })).status,
    429,
    'what the client wrote itself does not help',
  )
})

test('behind an unknown proxy, a 429 names the setting, and the log once', async (t) => {
  const { hook, log } = await openHost(t, { 'membership.ratelimit.limit': 1 })
  const actionOf = async (headers: Record<string, string>) => {
    const answer = await refused(hook, headers)
    t.is(answer.status, 429)
    return ((await answer.json()) as { action: string }).action
  }
  await refused(hook)
  t.notRegex(await actionOf({}), /trust_proxy/)
  const spokenFor = { 'x-forwarded-for': '203.0.113.1' }
  t.regex(await actionOf(spokenFor), /membership\.ratelimit\.trust_proxy/)
  t.regex(await actionOf(spokenFor), /membership\.ratelimit\.trust_proxy/)
  t.is(log.filter((line) => line.includes('trust_proxy')).length, 1)
})

function from(remoteAddress: string, forwarded?: string) {
  return {
    socket: { remoteAddress },
    headers: forwarded ? { 'x-forwarded-for': forwarded } : {},
  } as unknown as IncomingMessage
}

test('IPv6 counts by its /64, and IPv4 written as IPv6 as IPv4', (t) => {
  t.is(clientAddress(from('2001:db8:1:2:3:4:5:6'), 0), '2001:db8:1:2::/64')
  t.is(clientAddress(from('2001:db8:1:2:ffff::1'), 0), clientAddress(from('2001:db8:1:2::9'), 0))
  t.not(clientAddress(from('2001:db8:1:3::1'), 0), clientAddress(from('2001:db8:1:2::1'), 0))
  t.is(clientAddress(from('::ffff:192.0.2.1'), 0), '192.0.2.1')
  t.is(clientAddress(from('10.0.0.1', '198.51.100.7, 10.0.0.2'), 2), '198.51.100.7')
})

test('a proxy that adds ports to addresses counts visitors correctly', (t) => {
  // https://learn.microsoft.com/azure/application-gateway/rewrite-http-headers-url: X-Forwarded-For as IP:port
  t.is(clientAddress(from('10.0.0.1', '198.51.100.7:50123'), 1), '198.51.100.7')
  t.is(clientAddress(from('10.0.0.1', '[2001:db8:1:2::7]:50123'), 1), '2001:db8:1:2::/64')
  t.is(clientAddress(from('10.0.0.1', '[2001:db8:1:2::7]'), 1), '2001:db8:1:2::/64')
})
