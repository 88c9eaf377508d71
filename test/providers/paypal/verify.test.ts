import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { isMembershipError } from '../../../src/core/errors.ts'
import { createFakePayPal } from '../../../src/fakes/paypal/index.ts'
import { signMessage } from '../../../src/fakes/paypal/signing.ts'
import { createPayPalApi } from '../../../src/providers/paypal/api.ts'
import { createCertificates, type FindCertificates } from '../../../src/providers/paypal/certificates.ts'
import { readChain } from '../../../src/providers/paypal/chain.ts'
import { createPostBack } from '../../../src/providers/paypal/post-back.ts'
import { type VerifyPayPal, verifyPayPal } from '../../../src/providers/paypal/verify.ts'
import {
  certificate,
  forgedBy,
  liveName,
  paypalSign,
  sandboxCertificate,
  sandboxName,
} from './certificate.ts'

const now = new Date('2026-03-02T12:00:00Z')
const body = Buffer.from('{"id":"WH-1"}')
const secrets = [{ label: 'main', secret: 'WEBHOOK1' }]
function served(pem: string): FindCertificates {
  return async () => readChain(pem)
}

function verified(given: Partial<VerifyPayPal> = {}, headers: Record<string, string> = {}) {
  return verifyPayPal({
    delivery: { body, headers: { ...paypalSign(body, 'WEBHOOK1', now), ...headers } },
    secrets,
    now,
    toleranceSeconds: 345_600,
    find: served(sandboxCertificate),
    livemode: null,
    ...given,
  })
}

async function refused(t: ExecutionContext, verdict: Promise<string>, why: string) {
  const error = await t.throwsAsync(verdict, undefined, why)
  t.true(isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE'), `${why}: ${error}`)
}

/** A stand-in for PayPal's host, and how often it was asked. */
async function serve(t: ExecutionContext, answer: RequestListener) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('PayPal’s delivery is verified with any configured webhook id', async (t) => {
  t.is(await verified(), 'main')
  const both = [{ label: 'other', secret: 'WEBHOOK2' }, ...secrets]
  t.is(await verified({ secrets: both }), 'main')
})

test('a delivery that PayPal did not sign for this webhook is refused', async (t) => {
  const sign = (id: string, more = {}) => paypalSign(body, id, now, more)
  const delivery = (text: string) => ({ body: Buffer.from(text), headers: sign('WEBHOOK1') })
  await refused(t, verified({ secrets: [{ label: '', secret: 'WEBHOOK2' }] }), 'another id')
  await refused(t, verified({ delivery: delivery('{"id":"WH-2"}') }), 'another body')
  await refused(t, verified({}, sign('WEBHOOK1', { key: forgedBy })), 'another key')
  await refused(t, verified({}, { 'paypal-transmission-time': '2026-03-02T12:00:01Z' }), 'another time')
  await refused(t, verified({}, { 'paypal-auth-algo': 'SHA1withRSA' }), 'another algorithm')
  await refused(t, verified({}, { 'paypal-transmission-sig': 'not base64!' }), 'no signature')
  for (const secret of ['', 'WEBHOOK_ID', 'a|b'])
    await refused(t, verified({ secrets: [{ label: '', secret }] }, sign(secret)), `the id "${secret}"`)
})

test('a certificate is fetched only from PayPal’s own hosts', async (t) => {
  const path = '/v1/notifications/certs/CERT-1'
  const asked: string[] = []
  const find: FindCertificates = async (address) => {
    asked.push(address)
    return readChain(sandboxCertificate)
  }
  for (const url of [
    `http://api.sandbox.paypal.com${path}`,
    `https://api.sandbox.paypal.com:8443${path}`,
    `https://api.sandbox.paypal.com.evil.example${path}`,
    `https://evil.example/api.sandbox.paypal.com${path}`,
    `https://api.sandbox.paypal.com@evil.example${path}`,
    `https://me:x@api.sandbox.paypal.com${path}`,
    `https://www.paypal.com${path}`,
    `https://api.sandbox.paypal.com${path}?to=https://evil.example`,
    `https://api.sandbox.paypal.com${path}#x`,
    'https://api.sandbox.paypal.com/v2/evil',
    'https://api.sandbox.paypal.com/v1/notifications/../evil',
    'not an address',
  ])
    await refused(t, verified({ find }, { 'paypal-cert-url': url }), url)
  t.deepEqual(asked, [])
  t.is(await verified({ find }), 'main')
  t.deepEqual(asked, [`https://api.sandbox.paypal.com${path}`])
})

test('each mode accepts only its own hosts and names', async (t) => {
  const url = 'https://api.paypal.com/v1/notifications/certs/CERT-1'
  const live = { 'paypal-cert-url': url }
  const find = served(certificate({ name: liveName }))
  t.is(await verified({ livemode: true, find }, live), 'main')
  t.is(await verified({ livemode: false }), 'main')
  await refused(t, verified({ livemode: true }), 'the sandbox on a live site')
  await refused(t, verified({ livemode: false, find }, live), 'live on a site of the sandbox')
  await refused(t, verified({ livemode: true }, live), 'the sandbox’s certificate at the live host')
})

test('a certificate is valid for its name, in its time, and from its issuer', async (t) => {
  const authority = certificate({ name: 'An authority', isAuthority: true })
  const faults = {
    'another name': certificate({ name: 'www.paypal.com' }),
    'a name below': certificate({ name: `x.${sandboxName}` }),
    'an authority': certificate({ name: sandboxName, isAuthority: true }),
    over: certificate({ name: sandboxName, to: '2026-03-02T11:59:59' }),
    'not begun': certificate({ name: sandboxName, from: '2026-03-02T12:00:01' }),
    'its own issuer': certificate({ name: sandboxName, issuer: sandboxName }),
    'an authority that nobody knows': sandboxCertificate + authority,
    'an issuer of another name': sandboxCertificate + certificate({ name: 'Another', isAuthority: true }),
    'an issuer that is none': sandboxCertificate + certificate({ name: 'An authority' }),
    'an issuer that did not sign it':
      certificate({ name: sandboxName }, forgedBy) +
      certificate({ name: 'An authority', issuer: 'A root elsewhere', isAuthority: true }),
  }
  for (const [why, pem] of Object.entries(faults)) await refused(t, verified({ find: served(pem) }), why)
  const between = certificate({ name: 'An authority', issuer: 'A root elsewhere', isAuthority: true })
  t.is(await verified({ find: served(sandboxCertificate + between) }), 'main')
})

test('an old delivery is refused, and a repetition within three days is not', async (t) => {
  const day = 86_400_000
  t.is(await verified({ now: new Date(now.getTime() + 3 * day) }), 'main')
  await refused(t, verified({ now: new Date(now.getTime() + 5 * day) }), 'five days')
  const headers = paypalSign(body, 'WEBHOOK1', new Date(now.getTime() + 5 * day))
  await refused(t, verified({}, headers), 'from the future')
})

test('a certificate is fetched once, however many deliveries wait for it', async (t) => {
  const { asked, base } = await serve(t, (_, response) => response.end(sandboxCertificate))
  const find = createCertificates({ base })
  t.deepEqual(await Promise.all([verified({ find }), verified({ find }), verified({ find })]), [
    'main',
    'main',
    'main',
  ])
  t.is(await verified({ find }), 'main')
  t.deepEqual(asked, ['/v1/notifications/certs/CERT-1'])
})

test('an unavailable certificate blames nobody, and is fetched again', async (t) => {
  const answers: RequestListener[] = [
    (_, response) => response.writeHead(503).end(),
    (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
    (_, response) => response.end('<html>Sorry</html>'),
    (_, response) => response.end(sandboxCertificate.padEnd(70_000, '\n')),
    () => {},
  ]
  const { asked, base } = await serve(t, (request, response) => {
    const answer = answers.shift()
    if (answer === undefined) response.end(sandboxCertificate)
    else answer(request, response)
  })
  const find = createCertificates({ base, timeoutMs: 1500 })
  for (const why of ['503', 'a redirect', 'no certificate', 'too long', 'no answer']) {
    const error = await t.throwsAsync(verified({ find }), { any: true }, why)
    t.false(isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE'), why)
  }
  t.is(await verified({ find }), 'main')
  t.is(asked.length, 6)
  t.false(asked.includes('/elsewhere'))
})

test('invented addresses cause four requests at a time, and displace no certificate', async (t) => {
  const { asked, base } = await serve(t, (request, response) => {
    if (request.url?.endsWith('CERT-1')) response.end(sandboxCertificate)
  })
  const find = createCertificates({ base, timeoutMs: 1500 })
  t.is(await verified({ find }), 'main')
  const waiting = Array.from({ length: 30 }, (_, n) =>
    find(`https://api.paypal.com/v1/notifications/certs/MADE-UP-${n}`),
  )
  t.is(await verified({ find }), 'main')
  const ends = await Promise.allSettled(waiting)
  t.true(ends.every(({ status }) => status === 'rejected'))
  t.is(asked.length, 5)
})

test('while its certificate is unreachable, PayPal is asked if it sent these bytes', async (t) => {
  const fake = await createFakePayPal()
  t.teardown(() => fake.close())
  const { clientId, secret, url: base } = fake
  const postBack = createPostBack(createPayPalApi({ clientId, secret, base, now: () => now }))
  const away = await serve(t, (_, response) => response.writeHead(503).end())
  const find = createCertificates({ base: away.base })
  const headers = signMessage({ id: 'WH-1', body: body.toString() } as never, 'WEBHOOK1', now)
  const delivery = (text: string | Buffer) => ({ body: Buffer.from(text), headers })
  const asked = () => fake.requests().filter(({ path }) => path.endsWith('/verify-webhook-signature')).length

  t.is(await verified({ find, postBack, delivery: delivery(body) }), 'main')
  t.is(asked(), 1)
  const other = [{ label: 'other', secret: 'WEBHOOK2' }]
  await refused(t, verified({ find, postBack, secrets: other, delivery: delivery(body) }), 'another id')
  await refused(t, verified({ find, postBack, delivery: delivery('{"id":"WH-2"}') }), 'another body')
  t.is(asked(), 3)
  // The message cannot name another webhook, or carry one that was sent behind it.
  for (const text of ['', '[]', '{"id":"WH-2"},"webhook_event":{"id":"WH-1"}', '{"id":"WH-2"'])
    await refused(t, verified({ find, postBack, delivery: delivery(text) }), text)
  t.is(asked(), 3)

  // Whoever makes addresses up lets nobody ask: PayPal's host knows no such certificate.
  const there = await serve(t, (_, response) => response.writeHead(404).end())
  const missing = createCertificates({ base: there.base })
  await t.throwsAsync(verified({ find: missing, postBack, delivery: delivery(body) }), { message: /404/ })
  t.is(asked(), 3)
  // Without an answer of either it is nobody's fault.
  fake.outage({ kind: '503', requests: 9 })
  const error = await t.throwsAsync(verified({ find, postBack, delivery: delivery(body) }))
  t.false(isMembershipError(error, 'ERR_WEBHOOK_SIGNATURE'))
})
