import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { createDiscourseConnect } from '../../src/entries/discourse.ts'
import type { AfterEvents, MembershipOptions, User } from '../../src/index.ts'
import { outgoingEventSchemas } from '../../src/site/api/outgoing-events.ts'
import { allDatabases, type TestDatabase } from '../support/databases.ts'
import { openStripeSite, type StripeSite } from '../support/stripe-site.ts'
import { buy } from '../support/visitor.ts'

const forum = createDiscourseConnect({
  url: 'https://forum.example.com',
  secret: 'a long secret of the forum',
  groups: { pro: 'supporters' } as never,
})

/** A forum that keeps groups by `external_id`, as `POST /admin/users/sync_sso` of Discourse does. */
function openForum() {
  const groups = new Map<string, Set<string>>()
  const sync = (user: User): void => {
    const { sso } = forum.sync(user)
    const fields = new URLSearchParams(Buffer.from(sso, 'base64').toString())
    const id = fields.get('external_id')!
    const own = groups.get(id) ?? new Set()
    for (const name of fields.get('add_groups')?.split(',') ?? []) own.add(name)
    for (const name of fields.get('remove_groups')?.split(',') ?? []) own.delete(name)
    groups.set(id, own)
  }
  return { sync, of: (id: string) => [...(groups.get(id) ?? [])] }
}

/** A CRM on loopback; it refuses everything while `isDown`. */
async function openCrm(t: ExecutionContext) {
  const crm = {
    isDown: false,
    received: [] as { type: string; data: { member: Partial<User>; closed?: string[] } }[],
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    if (!crm.isDown) crm.received.push(JSON.parse(body))
    response.writeHead(crm.isDown ? 503 : 204).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const notify = [{ url, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', allow_private: true }]
  return { crm, options: { 'membership.notify': notify } satisfies MembershipOptions }
}

async function settle({ m, fake }: Pick<StripeSite, 'm' | 'fake'>): Promise<void> {
  await m.runDueJobs()
  await fake.deliver()
  await m.runDueJobs()
}

/** Texts of the outbox, with their addresses. */
async function waiting({ m }: Pick<StripeSite, 'm'>) {
  return (await m.storage.read((db) => db.selectFrom('outbox').selectAll()))
    .map(({ payload }) => payload)
    .join()
}

for (const connect of allDatabases) {
  let databases: TestDatabase
  test.before(async () => {
    databases = await connect()
  })
  test.after.always(() => databases.close())

  test(`${connect.name}: a forum and a CRM hear that everything closed for an account that was merged or deleted`, async (t) => {
    const groups = openForum()
    const heard: string[] = []
    const { crm, options } = await openCrm(t)
    const opened = await openStripeSite(t, {
      'membership.database.url': await databases.url(),
      ...options,
      hooks: {
        'access.changed': ({ member, opened: open, closed }: AfterEvents['access.changed']) => {
          groups.sync(member)
          heard.push(`${member.email} +${open.includes('pro')} -${closed.includes('pro')}`)
        },
        'member.deleted': ({ member }: AfterEvents['member.deleted']) => {
          heard.push(`${member.email} deleted, ${member.gates().length} gates, name ${member.name}`)
        },
      },
    })
    const { m } = opened
    const { user: bought } = await buy(opened, 'bought@example.com')
    const kept = await m.users.create({ email: 'kept@example.com', verified: true })
    await settle(opened)
    t.deepEqual([groups.of(bought.id), groups.of(kept.id)], [['supporters'], []])

    await m.users.merge({ keep: kept.id, merge: bought.id, by: 'op', write: true })
    await settle(opened)
    t.deepEqual([groups.of(bought.id), groups.of(kept.id)], [[], ['supporters']], 'after the merge')
    await m.users.unmerge({ merged: bought.id, by: 'op' })
    await settle(opened)
    t.deepEqual([groups.of(bought.id), groups.of(kept.id)], [['supporters'], []], 'after its undo')
    t.false(
      crm.received.some(({ type }) => type === 'member.deleted'),
      'a merge deletes nobody',
    )

    heard.length = 0
    crm.received.length = 0
    t.truthy((await m.users.delete(bought.id)).done_at)
    await settle(opened)
    t.deepEqual(groups.of(bought.id), [])
    // The cancellation itself may be noticed while the account is still there.
    t.true(heard.includes('bought@example.com +false -true'))
    t.is(heard.at(-1), 'bought@example.com deleted, 0 gates, name null')
    t.true(crm.received.some(({ type }) => type === 'access.changed'))
    for (const event of crm.received) {
      t.true(outgoingEventSchemas[event.type]!.safeParse(event).success, event.type)
      const nobody: object = { id: bought.id, email: bought.email, name: null, gates: [], features: [] }
      t.deepEqual(event.data.member, nobody)
    }
    t.deepEqual(
      crm.received.filter(({ type }) => type === 'member.deleted'),
      crm.received.slice(-1),
    )
    // The address leaves with the messages, and a sweep says nothing twice.
    t.false((await waiting(opened)).includes('bought@example.com'))
    heard.length = 0
    await opened.fake.advance({ days: 3 })
    await settle(opened)
    t.deepEqual(heard, [])
  })

  test(`${connect.name}: a CRM that was down at a deletion hears of it later; after a month its message is deleted`, async (t) => {
    const { crm, options } = await openCrm(t)
    const opened = await openStripeSite(t, { 'membership.database.url': await databases.url(), ...options })
    const { m, fake } = opened
    const { user: ann } = await buy(opened, 'ann@example.com')
    const { user: bea } = await buy(opened, 'bea@example.com')
    await settle(opened)
    // A closing that nobody took yet goes with the account, and so is announced with its end.
    const grant = await m.users.grant({ memberId: ann.id, gate: 'team' })
    await settle(opened)
    crm.received.length = 0
    crm.isDown = true
    await m.users.revoke(grant)
    await m.runDueJobs()
    await m.users.delete(ann.id)
    for (let hour = 0; hour < 50; hour += 5) {
      await fake.advance({ ms: 5 * 3_600_000 })
      await m.runDueJobs()
    }
    t.true((await waiting(opened)).includes('ann@example.com'), 'the sweeps of a deletion leave it')
    crm.isDown = false
    await fake.advance({ ms: 7 * 3_600_000 })
    await settle(opened)
    t.deepEqual(
      crm.received.map(({ type, data }) => [type, data.member.id, data.closed]),
      [
        ['access.changed', ann.id, ['price_month', 'pro', 'team']],
        ['member.deleted', ann.id, undefined],
      ],
    )
    t.false((await waiting(opened)).includes('ann@example.com'))

    crm.isDown = true
    await m.users.delete(bea.id)
    for (let day = 0; day < 5; day++) {
      await fake.advance({ days: 1 })
      await m.runDueJobs()
    }
    const given = await m.operator.outbox.list({ dead: true })
    t.is(given.filter(({ lane }) => lane.startsWith(`gone:${bea.id}:`)).length, 2)
    await fake.advance({ days: 27 })
    await settle(opened)
    t.false((await waiting(opened)).includes('bea@example.com'))
  })
}
