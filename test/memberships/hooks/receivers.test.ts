import * as crypto from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext, Script } from 'node:vm'
import test, { type ExecutionContext } from 'ava'
import { Webhook } from 'standardwebhooks'
import { createPoster, isPublicAddress } from '../../../src/core/http/outgoing.ts'
import { type Alert, createMembership } from '../../../src/index.ts'
import { receiverKind } from '../../../src/memberships/hooks/index.ts'
import { outgoingEventSchemas } from '../../../src/site/api/outgoing-events.ts'
import { runCommand } from '../../support/command.ts'
import { freshDatabase } from '../../support/databases.ts'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { buy } from '../../support/visitor.ts'

const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'] as const

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what was sent
  readonly event: any
}

/** A receiver on loopback. `answer` decides on each request; a null never answers. */
async function listen(t: ExecutionContext, answer: (request: Received) => number | null = () => 204) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const item = { headers: request.headers, body, event: JSON.parse(body) }
    received.push(item)
    const status = answer(item)
    if (status === null) return
    response.writeHead(status, status === 307 ? { location: '/elsewhere' } : {})
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, received, server }
}

function to(url: string, more: object = {}) {
  return {
    'membership.notify': [{ url, secret: secrets[0], allow_private: true, ...more }],
  }
}

/** Runs the background work while time goes on, until no message waits. */
async function settle({ m, fake }: Pick<StripeSite, 'm' | 'fake'>, hours = 80): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    await m.runDueJobs()
    if ((await m.operator.outbox.list({ waiting: true })).length === 0) return
    await fake.advance({ ms: 3_600_000 })
  }
}

test('a receiver gets each event once, signed by both secrets, in order, with the member as of the delivery', async (t) => {
  const { url, received } = await listen(t)
  const opened = await openStripeSite(t, to(url, { secret: [...secrets] }))
  const { user } = await buy(opened, 'ann@example.com')
  await settle(opened)
  const types = received.map(({ event }) => event.type)
  t.is(types[0], 'member.created')
  // The provider's events come one by one, so access may be noticed before the payment or with it.
  t.true(types.indexOf('access.changed') >= types.indexOf('subscription.started'))
  t.deepEqual([...types].sort(), [
    'access.changed',
    'member.created',
    'member.signed_up',
    'payment.received',
    'subscription.started',
  ])
  for (const { headers, body, event } of received) {
    // The official package checks the time, too, so it gets the site's.
    const signed = (headers['webhook-signature'] as string).split(' ')
    t.is(signed.length, 2)
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    for (const [n, secret] of secrets.entries())
      t.is(new Webhook(secret).sign(headers['webhook-id'] as string, at, body), signed[n]!)
    t.is(event.version, 1)
    t.true(outgoingEventSchemas[event.type]!.safeParse(event).success, `${event.type}: ${body}`)
    t.is(event.data.member.id, user.id)
    t.is(event.data.member.email, 'ann@example.com')
  }
  t.is(new Set(received.map(({ headers }) => headers['webhook-id'])).size, received.length)
  t.deepEqual(received.at(-1)!.event.data.member.gates, ['pro'])
  t.is(JSON.stringify(await opened.m.operator.outbox.list({})).includes(url), false)
})

test('a receiver asks for some events, and the official package takes a fresh one', async (t) => {
  const { url, received } = await listen(t)
  const opened = await openStripeSite(t, to(url, { events: ['access.changed'] }), { start: new Date() })
  await buy(opened, 'ann@example.com')
  await settle(opened)
  t.deepEqual(
    received.map(({ event }) => event.type),
    ['access.changed'],
  )
  const { headers, body } = received[0]!
  const late = Number(headers['webhook-timestamp']) * 1000 - Date.now()
  if (Math.abs(late) < 200_000)
    t.notThrows(() => new Webhook(secrets[0]).verify(body, headers as Record<string, string>))
  t.throws(() => new Webhook(secrets[1]).verify(body, headers as Record<string, string>))
})

test('a receiver that fails gets everything later, in order for each member, and holds up nobody else', async (t) => {
  let isDown = true
  const { url, received } = await listen(t, ({ event }) =>
    isDown && event.data.member.email === 'ann@example.com' ? 503 : 204,
  )
  const opened = await openStripeSite(t, to(url))
  await buy(opened, 'ann@example.com')
  await buy(opened, 'bea@example.com')
  await opened.m.runDueJobs()
  const of = (email: string) => received.filter(({ event }) => event.data.member.email === email)
  const names = (email: string) => [...new Set(of(email).map(({ event }) => event.type))]
  t.is(names('ann@example.com').length, 1, 'her first event is tried, and the later ones wait for it')
  t.true(names('bea@example.com').length >= 3)
  isDown = false
  const rows = await opened.m.storage.read((db) => db.selectFrom('outbox').selectAll().orderBy('seq'))
  const waiting = rows
    .filter(({ kind }) => kind === receiverKind(url))
    .map(({ payload }) => JSON.parse(payload).name)
  t.is(waiting[0], names('ann@example.com')[0])
  await settle(opened)
  t.deepEqual(names('ann@example.com'), waiting)
  t.deepEqual(names('ann@example.com').sort(), names('bea@example.com').sort())
  t.is((await opened.m.operator.outbox.list()).length, 0)
})

test('a receiver is tried for three days; then the messages are given up, listed, and sent again by the command', async (t) => {
  let isDown = true
  const { url, received } = await listen(t, () => (isDown ? 500 : 204))
  const opened = await openStripeSite(t, to(url))
  await buy(opened, 'ann@example.com')
  await settle(opened, 60)
  t.true(
    (await opened.m.operator.outbox.list({ waiting: true })).some(({ kind }) => kind === receiverKind(url)),
    'not before three days',
  )
  await settle(opened, 400)
  const given = (await opened.m.operator.outbox.list({ dead: true })).filter(
    ({ kind }) => kind === receiverKind(url),
  )
  t.true(given.length >= 3)
  t.regex(given[0]!.error!, /three days/)
  isDown = false
  for (const { seq } of given) await opened.m.operator.outbox.replay(seq)
  await settle(opened)
  t.is((await opened.m.operator.outbox.list()).length, 0)
  const arrived = received.slice(-given.length).map(({ event }) => event.type)
  t.is(arrived.length, given.length)
})

test('given-up events alert the operator once, and once more when they have arrived', async (t) => {
  let status = 410
  const { url } = await listen(t, () => status)
  const alerts: Alert[] = []
  const opened = await openStripeSite(t, { ...to(url), onAlert: (alert: Alert) => void alerts.push(alert) })
  await buy(opened, 'ann@example.com')
  await settle(opened)
  await settle(opened)
  const told = () => alerts.map(({ kind, provider, state }) => [kind, provider, state])
  const { host } = new URL(url)
  t.deepEqual(told(), [['events_given_up', host, 'begun']])
  t.regex(alerts[0]!.message, new RegExp(`events for ${host}`))
  t.is((await opened.m.operator.health()).status, 'trouble')
  status = 204
  for (const { seq } of await opened.m.operator.outbox.list({ dead: true }))
    await opened.m.operator.outbox.replay(seq)
  await settle(opened)
  await settle(opened)
  t.deepEqual(told().at(-1), ['events_given_up', host, 'over'])
  t.is(alerts.length, 2)
})

test('a deleted account leaves no given-up event behind but its last two, and those of others stay', async (t) => {
  const { url } = await listen(t, () => 410)
  const opened = await openStripeSite(t, to(url))
  const { user } = await buy(opened, 'ann@example.com')
  const other = await buy(opened, 'bea@example.com')
  await settle(opened)
  const lanes = async () =>
    (await opened.m.operator.outbox.list({ dead: true })).map(({ lane }) => lane.split(':')[1])
  t.deepEqual(new Set(await lanes()), new Set([user.id, other.user.id]))
  await opened.m.users.delete(user.id)
  await settle(opened, 3)
  const left = await opened.m.operator.outbox.list()
  t.deepEqual(
    new Set(left.filter(({ lane }) => lane.startsWith('notify:')).map(({ lane }) => lane.split(':')[1])),
    new Set([other.user.id]),
  )
  t.is(left.filter(({ lane }) => lane.startsWith(`gone:${user.id}:`)).length, 2)
})

test('410 ends a message at once, a redirect is not followed, and a receiver that hangs is tried again', async (t) => {
  const answers = { gone: 410, elsewhere: 307 } as const
  for (const [what, status] of Object.entries(answers)) {
    const { url, received } = await listen(t, () => status)
    const opened = await openStripeSite(t, to(url, { events: ['access.changed'] }))
    await buy(opened, 'ann@example.com')
    await opened.m.runDueJobs()
    const [message] = (await opened.m.operator.outbox.list()).filter(({ kind }) => kind === receiverKind(url))
    t.is(message?.status, status === 410 ? 'dead' : 'waiting', what)
    t.regex(message!.error!, status === 410 ? /410/ : /redirects are not followed/)
    t.is(received.length, 1)
  }
  const silent = await listen(t, () => null)
  const poster = createPoster({ allowPrivate: true })
  t.teardown(() => poster.close())
  const request = { headers: {}, body: '{}', signal: AbortSignal.timeout(300) }
  await t.throwsAsync(poster.post(silent.url, request), { any: true, name: 'TimeoutError' })
})

test('no inner address is reached, whether it is written or looked up', async (t) => {
  const { url, received } = await listen(t)
  const poster = createPoster({ allowPrivate: false })
  t.teardown(() => poster.close())
  const { port } = new URL(url)
  const request = () => ({ headers: {}, body: '{}', signal: AbortSignal.timeout(5000) })
  for (const host of [
    '127.0.0.1',
    '[::1]',
    'localhost',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '169.254.169.254',
    '2130706433',
  ])
    await t.throwsAsync(
      poster.post(`http://${host}:${port}/`, request()),
      { message: /not a public address/ },
      host,
    )
  t.is(received.length, 0)
  t.true(isPublicAddress('93.184.216.34'))
})

test('a wrong receiver is refused at the start, with what to do', async (t) => {
  const { 'membership.database.url': url } = await freshDatabase()
  const open = (...receivers: readonly object[]) =>
    createMembership({
      'membership.database.url': url,
      'membership.notify': receivers.map((receiver) => ({
        url: 'https://crm.example.com',
        secret: secrets[0],
        ...receiver,
      })),
      install: false,
      root: false,
      log: () => undefined,
    })
  await t.throwsAsync(open({ url: 'http://crm.example.com' }), { message: /https/ })
  await t.throwsAsync(open({ secret: 'hunter2' }), { message: /whsec_/ })
  await t.throwsAsync(open({ events: ['access.change'] }), { message: /access\.change/ })
  await t.throwsAsync(open({}, {}), { message: /twice/ })
})

test('the commands make a secret, list receivers, send a ping, and replay', async (t) => {
  const { url, received } = await listen(t)
  const folder = mkdtempSync(join(tmpdir(), 'membership-receivers-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'config'))
  const receiver = { url, secret: secrets[0], allow_private: true }
  const config = {
    membership: { database: { url: `sqlite:${join(folder, 'site.db')}` }, notify: [receiver] },
  }
  writeFileSync(join(folder, 'config/membership.json'), JSON.stringify(config))
  const run = (...args: string[]) => runCommand(folder, args)
  t.regex((await run('notify', 'secret')).stdout, /^whsec_[A-Za-z0-9+/]{43}=\n$/)
  // The first start makes the database.
  const site = await createMembership({ root: folder, install: false, log: () => undefined })
  await site.close()
  t.regex((await run('notify', 'list')).stdout, /0 waiting/)
  t.regex((await run('notify', 'test', url)).stdout, /took the ping/)
  t.is(received[0]!.event.type, 'ping')
  t.notThrows(() =>
    new Webhook(secrets[0]).verify(received[0]!.body, received[0]!.headers as Record<string, string>),
  )
  t.regex((await run('outbox', 'replay', '--to', url)).stdout, /0 messages/)
  const from = await run('outbox', 'replay', '--to', url, '--from', `${url}/old`, '--json')
  t.deepEqual([from.code, JSON.parse(from.stdout)], [0, { to: url, replayed: 0 }])
  for (const wrong of [
    ['--from', url],
    ['--to', `${url}/old`],
    ['--to', url, '--from', url],
  ]) {
    const refused = await run('outbox', 'replay', ...wrong)
    t.deepEqual([refused.code, refused.stdout], [1, ''], wrong.join(' '))
  }
})

/** Runs the guide's code block for n8n as its Code node does: in a context of its own, with few names and modules. */
async function runInN8n({ headers, body }: { headers: Record<string, string>; body: string }) {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/events-out.md'), 'utf8')
  const [, code] = /```js n8n\n([\s\S]*?)```/.exec(guide)!
  // The names that n8n 2 gives to the code, in @n8n/task-runner.
  const context = createContext({
    Buffer,
    setTimeout,
    btoa,
    atob,
    TextDecoder,
    TextEncoder,
    require: (name: string) => {
      if (name === 'crypto') return crypto
      throw new Error(`Module '${name}' is disallowed`)
    },
    $input: { first: () => ({ json: { headers, body: {} } }) },
    helpers: { getBinaryDataBuffer: async () => Buffer.from(body) },
  })
  const run = new Script(`(async function () {${code}}).call({ helpers })`)
  const [item] = (await run.runInContext(context)) as [{ json: Record<string, unknown> }]
  return item.json
}

test('the guide’s code for n8n takes a message as it arrives, and no other', async (t) => {
  const { url, received } = await listen(t)
  const opened = await openStripeSite(
    t,
    to(url, { events: ['access.changed'], secret: [secrets[1], secrets[0]] }),
    { start: new Date() },
  )
  await buy(opened, 'ann@example.com')
  await settle(opened)
  const { body, event } = received[0]!
  const headers = received[0]!.headers as Record<string, string>
  t.deepEqual({ ...(await runInN8n({ headers, body })) }, { id: headers['webhook-id'], ...event })
  const late = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 600) }
  const own = new Webhook(secrets[0])
  const at = new Date(Number(late['webhook-timestamp']) * 1000)
  const forged = {
    'another body': { headers, body: body.replace('pro', 'team') },
    'another id': { headers: { ...headers, 'webhook-id': 'evt_other' }, body },
    'no signature': { headers: { ...headers, 'webhook-signature': 'v1,' }, body },
    'another secret': {
      headers: { ...headers, 'webhook-signature': headers['webhook-signature']!.split(' ')[0]! },
      body,
    },
    'an old message': {
      headers: { ...late, 'webhook-signature': own.sign(headers['webhook-id']!, at, body) },
      body,
    },
  }
  for (const [what, message] of Object.entries(forged))
    await t.throwsAsync(runInN8n(message), { message: /not from the site/, any: true }, what)
})

/** The code block of docs/events-out.md that keeps roles in Discord, with Discord's address on loopback. */
async function discordGuide(t: ExecutionContext) {
  const asked: string[] = []
  const reply = { status: 204 }
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.writeHead(reply.status).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'membership-discord-'))
  const names = { MEMBERSHIP_SECRET: secrets[0], GUILD: 'g1', ROLE: 'r1', BOT_TOKEN: 'bot' }
  Object.assign(process.env, names)
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
    for (const name of Object.keys(names)) delete process.env[name]
  })
  const root = join(import.meta.dirname, '../../..')
  const guide = readFileSync(join(root, 'docs/events-out.md'), 'utf8')
  const [, code] = /## Roles in Discord[\s\S]*?```js\n([\s\S]*?)```/.exec(guide)!
  const discord = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(join(folder, 'discord.mjs'), code!.replace('https://discord.com', discord))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const { receive, compareAll } = await import(join(folder, 'discord.mjs'))
  // A site that another test opens would take it for its own.
  delete process.env.MEMBERSHIP_SECRET
  return { receive, compareAll, asked, reply }
}

test('the guide’s bot for Discord gives a role by a signed message, and mends what was lost when it compares', async (t) => {
  const { receive, compareAll, asked, reply } = await discordGuide(t)
  const opened = await openStripeSite(t)
  const { m } = opened
  const bea = await m.users.create({ email: 'bea@example.com', verified: true })
  const silent = await m.users.create({ email: 'silent@example.com', verified: true })
  const discordIdOf = async (id: string) => (id === bea.id ? 'd_bea' : null)
  const role = '/api/v10/guilds/g1/members/d_bea/roles/r1 Bot bot'

  const message = (gates: readonly string[]) => {
    const body = JSON.stringify({ type: 'access.changed', data: { member: { id: bea.id, gates } } })
    const at = new Date()
    const signature = new Webhook(secrets[0]).sign('msg_1', at, body)
    const moment = String(Math.floor(at.getTime() / 1000))
    return [
      body,
      { 'webhook-id': 'msg_1', 'webhook-timestamp': moment, 'webhook-signature': signature },
    ] as const
  }
  await receive(...message(['pro']), discordIdOf)
  await receive(...message([]), discordIdOf)
  t.deepEqual(asked.splice(0), [`PUT ${role}`, `DELETE ${role}`])
  const [body, headers] = message(['pro'])
  await t.throwsAsync(receive(`${body} `, headers, discordIdOf), undefined, 'a forged message')
  t.deepEqual(asked, [])
  reply.status = 500
  await t.throwsAsync(receive(body, headers, discordIdOf), { message: /500/ }, 'the message comes again')
  reply.status = 204
  asked.splice(0)

  const grantId = await m.users.grant({ memberId: bea.id, gate: 'pro' })
  await compareAll(m, [bea.id, silent.id], discordIdOf)
  await m.users.revoke(grantId)
  await compareAll(m, [bea.id, silent.id], discordIdOf)
  t.deepEqual(asked, [`PUT ${role}`, `DELETE ${role}`])
})
