import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Webhook } from 'standardwebhooks'
import type { MembershipOptions } from '../../../src/index.ts'
import { Database } from '../../support/sqlite.ts'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { buy } from '../../support/visitor.ts'

// What happens to waiting messages when something else happens meanwhile.

const [first, second] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD']

interface Message {
  readonly id: string
  readonly at: Date
  readonly signatures: readonly string[]
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what was sent
  readonly event: any
}

/** A receiver on loopback whose answer can change. */
async function listen(
  t: ExecutionContext,
  answer: (message: Message) => number | Promise<number> = () => 204,
) {
  const taken: Message[] = []
  const asked: Message[] = []
  const state = { answer }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const header = (name: string) => String(request.headers[name])
    const message = {
      id: header('webhook-id'),
      at: new Date(Number(header('webhook-timestamp')) * 1000),
      body,
      signatures: header('webhook-signature').split(' '),
      event: JSON.parse(body),
    }
    asked.push(message)
    const status = await state.answer(message)
    if (status < 300) taken.push(message)
    response.writeHead(status).end()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/hooks`, at: `http://127.0.0.1:${port}`, taken, asked, state }
}

function notify(url: string, secret: string | readonly string[] = first, more: object = {}) {
  return { 'membership.notify': [{ url, secret, allow_private: true, ...more }] } as MembershipOptions
}

/** Queued messages in order, as `type member` and their event ids. */
async function queued({ m }: Pick<StripeSite, 'm'>) {
  return (await m.storage.read((db) => db.selectFrom('outbox').selectAll().orderBy('seq')))
    .filter(({ kind }) => kind.startsWith('notify:'))
    .map(({ payload, lane, status }) => {
      const { name, member_id, event_id } = JSON.parse(payload)
      return { id: event_id as string, name: name as string, member: member_id as string, lane, status }
    })
}

async function settle({ m, fake }: Pick<StripeSite, 'm' | 'fake'>, hours = 80): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    await m.runDueJobs()
    if ((await m.operator.outbox.list({ waiting: true })).length === 0) return
    await fake.advance({ ms: 3_600_000 })
  }
}
function ids(messages: readonly { readonly id: string }[]) {
  return messages.map(({ id }) => id)
}

test('after a merge the waiting events of both accounts arrive in one order, about the kept account, and close nothing that it has; the other account ends', async (t) => {
  const receiver = await listen(t, () => 503)
  const closings: string[] = []
  const opened = await openStripeSite(t, {
    ...notify(receiver.url),
    hooks: {
      'access.changed': ({ member, closed }: { member: { id: string }; closed: readonly string[] }) =>
        void closings.push(...closed.map((gate) => `${member.id} ${gate}`)),
    },
  } as MembershipOptions)
  const { m } = opened
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  const bea = await m.users.create({ email: 'bea@example.com', verified: true })
  await m.runDueJobs()
  for (const gate of ['pro', 'team'])
    for (const { id } of [bea, ann]) {
      await m.users.grant({ memberId: id, gate })
      await m.runDueJobs()
    }
  const before = ids(await queued(opened))
  t.is(before.length, 6)
  await m.users.grant({ memberId: bea.id, gate: 'book' })
  await m.users.merge({ keep: ann.id, merge: bea.id, by: 'op', write: true })
  await m.runDueJobs()
  const waiting = (await queued(opened)).filter(({ lane }) => !lane.startsWith('gone:'))
  t.is(new Set(waiting.slice(0, 6).map(({ lane }) => lane)).size, 1)
  t.is(waiting.at(-1)!.name, 'access.changed')
  receiver.state.answer = () => 204
  await settle(opened)
  const [last, ...others] = receiver.taken.filter(({ event }) => event.data.member.id === bea.id)
  t.deepEqual(others, [])
  t.deepEqual(last!.event.data.closed, ['pro', 'team'], 'what was notified as open before the merge')
  const taken = receiver.taken.filter((item) => item !== last)
  t.deepEqual(ids(taken).slice(0, 6), before)
  t.deepEqual(new Set(taken.map(({ event }) => event.data.member.id)), new Set([ann.id]))
  const changes = taken.flatMap(({ event }) => [
    ...(event.data.opened ?? []).map((gate: string) => `+${gate}`),
    ...(event.data.closed ?? []).map((gate: string) => `-${gate}`),
  ])
  t.deepEqual(changes, ['+pro', '+pro', '+team', '+team', '+book'])
  t.deepEqual(closings, [`${bea.id} pro`, `${bea.id} team`])
})

test('a merge that is undone gives the waiting events back, and a deletion takes one account’s alone', async (t) => {
  const receiver = await listen(t, () => 503)
  const opened = await openStripeSite(t, notify(receiver.url))
  const { m } = opened
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  const bea = await m.users.create({ email: 'bea@example.com', verified: true })
  for (const { id } of [bea, ann]) await m.users.grant({ memberId: id, gate: 'pro' })
  await m.runDueJobs()
  const lanes = async () =>
    (await queued(opened))
      .filter(({ lane }) => !lane.startsWith('gone:'))
      .map(({ member, lane }) => [member, lane.split(':')[1]])
  const lasts = async () => (await queued(opened)).filter(({ lane }) => lane.startsWith('gone:'))
  await m.users.merge({ keep: ann.id, merge: bea.id, by: 'op', write: true })
  t.true((await lanes()).every(([, lane]) => lane === ann.id))
  t.deepEqual(
    (await lasts()).map(({ member }) => member),
    [bea.id],
  )
  await m.users.unmerge({ merged: bea.id, by: 'op' })
  t.deepEqual(await lasts(), [], 'the account is back before anybody heard of its end')
  t.true((await lanes()).every(([member, lane]) => lane === member))
  const own = (await queued(opened)).filter(({ member }) => member === bea.id)
  await m.users.delete(ann.id)
  t.true((await lanes()).every(([member]) => member === bea.id))
  receiver.state.answer = () => 204
  await settle(opened)
  const taken = receiver.taken.filter(({ event }) => event.data.member.id === bea.id)
  t.deepEqual(ids(taken).slice(0, own.length), ids(own))
  t.deepEqual(
    receiver.taken.filter((item) => !taken.includes(item)).map(({ event }) => event.type),
    ['access.changed', 'member.deleted'],
  )
})

test('no event about a deleted member arrives but the last two, not even the one that was on its way', async (t) => {
  let isDown = true
  const receiver = await listen(t, () => (isDown ? 503 : 204))
  const opened = await openStripeSite(t, notify(receiver.url))
  const { user } = await buy(opened, 'ann@example.com')
  await opened.m.runDueJobs()
  t.true((await queued(opened)).length > 0)
  await opened.m.users.delete(user.id)
  isDown = false
  await settle(opened, 5)
  t.deepEqual(
    receiver.taken.map(({ event }) => [event.type, event.data.opened ?? [], event.data.member.gates]),
    [
      ['access.changed', [], []],
      ['member.deleted', [], []],
    ],
  )
  t.deepEqual(await queued(opened), [])
})

test('a secret that changes while a message is retried signs the next try', async (t) => {
  const receiver = await listen(t, () => 503)
  const opened = await openStripeSite(t, notify(receiver.url, first, { events: ['access.changed'] }))
  await buy(opened, 'ann@example.com')
  await opened.m.runDueJobs()
  await opened.m.close()
  const signedBy = (secret: string) => {
    const { id, at, body, signatures } = receiver.asked.at(-1)!
    return signatures.includes(new Webhook(secret).sign(id, at, body))
  }
  t.deepEqual([first, second].map(signedBy), [true, false])
  const both = await opened.another(notify(receiver.url, [second, first], { events: ['access.changed'] }))
  await opened.fake.advance({ ms: 3_600_000 })
  await both.m.runDueJobs()
  t.deepEqual([first, second].map(signedBy), [true, true])
  await both.close()
  receiver.state.answer = () => 204
  const later = await opened.another(notify(receiver.url, second, { events: ['access.changed'] }))
  await opened.fake.advance({ ms: 3_600_000 })
  await later.m.runDueJobs()
  t.deepEqual([first, second].map(signedBy), [false, true])
  t.is(new Set(ids(receiver.asked)).size, 1, 'one message under one id')
  t.is(receiver.taken.length, 1)
})

test('events for an address that leaves the configuration wait for its return, or for the new address', async (t) => {
  const old = await listen(t, () => 503)
  const opened = await openStripeSite(t, notify(old.url))
  const { user } = await buy(opened, 'ann@example.com')
  await opened.m.runDueJobs()
  const waiting = ids(await queued(opened))
  t.true(waiting.length >= 3)
  await opened.m.close()
  old.state.answer = () => 204

  const receiver = await listen(t)
  const moved = await opened.another(notify(receiver.url))
  const replayTo = moved.m.operator.outbox.replayTo
  await settle({ m: moved.m, fake: opened.fake }, 5)
  t.deepEqual([receiver.taken.length, old.taken.length], [0, 0], 'they wait')
  await moved.m.users.grant({ memberId: user.id, gate: 'team' })
  await settle({ m: moved.m, fake: opened.fake }, 1)
  t.deepEqual(
    receiver.taken.map(({ event }) => event.type),
    ['access.changed'],
  )

  await t.throwsAsync(replayTo({ to: old.url }), { code: 'ERR_USAGE' })
  await t.throwsAsync(replayTo({ to: receiver.url, from: receiver.url }), { code: 'ERR_USAGE' })
  receiver.state.answer = () => 503
  t.is(await replayTo({ to: receiver.url, from: old.url }), waiting.length)
  await moved.m.users.grant({ memberId: user.id, gate: 'book' })
  await moved.m.runDueJobs()
  t.is(new Set((await queued(moved)).map(({ lane }) => lane)).size, 1, 'later events wait behind them')
  receiver.state.answer = () => 204
  await settle({ m: moved.m, fake: opened.fake }, 5)
  t.deepEqual(ids(receiver.taken).slice(1, -1), waiting)
  t.deepEqual(receiver.taken.at(-1)!.event.data.opened, ['book'])
  t.is(await replayTo({ to: receiver.url, from: old.url }), 0)
  t.is(old.taken.length, 0)
})

test('an address that returns after a week gets what waited, in order', async (t) => {
  const receiver = await listen(t, () => 503)
  const opened = await openStripeSite(t, notify(receiver.url))
  await buy(opened, 'ann@example.com')
  await opened.m.runDueJobs()
  const waiting = ids(await queued(opened))
  await opened.m.close()
  const without = await opened.another({ 'membership.notify': [] } as MembershipOptions)
  await settle({ m: without.m, fake: opened.fake }, 7 * 24)
  t.deepEqual(ids(await queued(without)), waiting)
  await without.close()
  receiver.state.answer = () => 204
  const back = await opened.another(notify(receiver.url))
  await settle({ m: back.m, fake: opened.fake }, 1)
  t.deepEqual(ids(receiver.taken), waiting)
})

test('processes that send at once and end in the middle lose nothing and keep each member’s order', async (t) => {
  const times = new Map<string, number>()
  // Every third message fails once, and each answer takes a moment.
  const receiver = await listen(t, async ({ id }) => {
    const tries = (times.get(id) ?? 0) + 1
    times.set(id, tries)
    await new Promise((done) => setTimeout(done, 5))
    return tries === 1 && Number.parseInt(id.slice(-2).replace(/\W/g, '0'), 36) % 3 === 0 ? 500 : 204
  })
  const opened = await openStripeSite(t, notify(receiver.url, first))
  const members = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      opened.m.users.create({ email: `m${n}@example.com`, verified: true }),
    ),
  )
  const processes = [opened, await opened.another(), await opened.another()]
  const work = () => Promise.all(processes.map(({ m }) => m.runDueJobs().catch(() => undefined)))
  for (const gate of ['pro', 'team', 'book']) {
    for (const { id } of members) await opened.m.users.grant({ memberId: id, gate })
    const working = work()
    // One process ends while it sends.
    if (gate === 'team') await processes.pop()!.m.close()
    await working
    await opened.fake.advance({ ms: 10_000 })
  }
  await settle(opened)
  t.deepEqual(await queued(opened), [])
  const of = (id: string) => receiver.taken.filter(({ event }) => event.data.member.id === id)
  for (const { id } of members) {
    const own = of(id).filter((message, n, all) => ids(all).indexOf(message.id) === n)
    t.is(own[0]!.event.type, 'member.created')
    t.deepEqual(
      own.flatMap(({ event }) => event.data.opened ?? []),
      ['pro', 'team', 'book'],
    )
  }
})

test('a replay beside a live delivery sends the same message under the same id, and nothing overtakes', async (t) => {
  let release: () => void = () => undefined
  const held = new Promise<void>((done) => (release = done))
  const receiver = await listen(t, async () => {
    await held
    return 204
  })
  const opened = await openStripeSite(t, notify(receiver.url))
  await buy(opened, 'ann@example.com')
  const working = opened.m.runDueJobs()
  while (receiver.asked.length === 0) await new Promise((done) => setTimeout(done, 5))
  const waiting = ids(await queued(opened))
  const other = await opened.another()
  t.is(await other.m.operator.outbox.replayTo({ to: receiver.url }), waiting.length)
  const replaying = other.m.runDueJobs()
  while (receiver.asked.length < 2) await new Promise((done) => setTimeout(done, 5))
  release()
  await Promise.all([working, replaying])
  await settle(opened)
  const firsts = ids(receiver.taken).filter((id, n, all) => all.indexOf(id) === n)
  t.deepEqual(firsts.slice(0, waiting.length), waiting)
  t.deepEqual(await queued(opened), [])
})

test('after a restored copy, events for receivers are not sent twice, and later ones have ids of their own', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'membership-restored-events-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [file, copy] = [join(folder, 'site.db'), join(folder, 'copy.db')]
  const receiver = await listen(t, () => 503)
  const opened = await openStripeSite(t, {
    ...notify(receiver.url),
    'membership.database.url': `sqlite:${file}`,
  } as MembershipOptions)
  const { m, fake, another } = opened
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.users.grant({ memberId: ann.id, gate: 'pro' })
  await m.runDueJobs()
  const inCopy = ids(await queued(opened))
  t.true(inCopy.length >= 2)
  new Database(file).exec(`vacuum into '${copy}'`)
  receiver.state.answer = () => 204
  // What the copy knows nothing of.
  await settle(opened, 5)
  await m.users.grant({ memberId: ann.id, gate: 'team' })
  await m.runDueJobs()
  await settle(opened, 5)
  await m.close()
  const before = ids(receiver.taken)
  t.true(before.length > inCopy.length)

  const commands = await another({ 'membership.database.url': `sqlite:${copy}` })
  const { messages } = await commands.m.operator.afterRestore()
  t.is(messages, inCopy.length)
  await commands.close()
  await fake.advance({ ms: 60_000 })
  const restored = await another({ 'membership.database.url': `sqlite:${copy}` })
  await settle({ m: restored.m, fake }, 3)
  t.deepEqual(ids(receiver.taken), before)
  for (const gate of ['team', 'book']) {
    await restored.m.users.grant({ memberId: ann.id, gate })
    await settle({ m: restored.m, fake }, 3)
  }
  const after = receiver.taken.slice(before.length)
  t.deepEqual(
    after.map(({ event }) => event.data.opened),
    [['team'], ['book']],
  )
  for (const { id } of after) t.false(before.includes(id), id)
})
