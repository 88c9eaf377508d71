import test, { type ExecutionContext } from 'ava'
import { createAuditLog } from '../../../src/memberships/audit-log/index.ts'
import { createMerging } from '../../../src/memberships/merging/index.ts'
import { createLives } from '../../../src/site/assembly/lives.ts'
import { movable } from '../../support/account.ts'
import { deliver, openInstance } from '../../support/converge.ts'
import { insertIntent } from '../../support/leaving.ts'
import { customerObject, stripeEvent, subscriptionObject } from '../../support/stripe-events.ts'

const home = 'ann@example.com'
const work = 'ann@work.example'
const by = 'Eve'
const day = 86_400_000

type Member = Parameters<Awaited<ReturnType<typeof openInstance>>['users']['create']>[0]

/** A site on which Ann has two accounts, and a way to have something happen between what a merge reads and writes. */
async function openTwo(t: ExecutionContext, kept: Partial<Member> = {}, merged: Partial<Member> = {}) {
  const clock = movable('2026-01-15T12:00:00Z')
  const m = await openInstance('sqlite::memory:', clock.now, {
    'membership.providers.stripe.plans': { pro: { group: 'magazine', prices: ['price_gold'] } } as never,
  })
  t.teardown(() => m.close())
  const create = async (member: Member) => (await m.users.create({ verified: true, ...member })).id
  const [keep, merge] = [await create({ email: home, ...kept }), await create({ email: work, ...merged })]
  const third = await create({ email: 'third@example.com' })
  const wish = { keep, merge, by, write: true }
  const noted = new Set<string>()
  const interrupted = (between: () => Promise<unknown>) => {
    let isDone = false
    const commit: typeof m.storage.commit = async (...unit) => {
      // Beside others, on PostgreSQL, what a message added in that moment stayed behind.
      t.is(unit[1]?.isAlone, true)
      if (!isDone) {
        isDone = true
        await between()
      }
      return m.storage.commit(...unit)
    }
    const storage = { ...m.storage, commit }
    const randomId = () => crypto.randomUUID()
    return createMerging({
      storage,
      now: clock.now,
      randomId,
      lives: createLives({ storage, now: clock.now }),
      auditLog: createAuditLog({ storage, now: clock.now, randomId }),
      findMember: m.users.findById,
      plans: () => [],
      noteChange: (id) => {
        noted.add(id)
        return []
      },
    })
  }
  const set = (id: string, values: Record<string, string>) =>
    m.storage.read((db) => db.updateTable('members').set(values).where('id', '=', id).returning('id'))
  const rowOf = async (id: string) =>
    (await m.storage.read((db) => db.selectFrom('members').selectAll().where('id', '=', id)))[0]!
  const merges = () => m.storage.read((db) => db.selectFrom('merges').selectAll())
  return { m, clock, noted, keep, merge, third, wish, interrupted, set, rowOf, merges }
}

function refused(message: RegExp) {
  return { code: 'ERR_ACTION_REFUSED', message }
}

test('changes between check and write are checked again, and none is lost', async (t) => {
  // Another address: its earlier owner may answer first.
  const item = await openTwo(t)
  const thief = item.interrupted(() => item.m.users.setEmail(item.merge, 'thief@example.com'))
  await t.throwsAsync(thief.merge(item.wish), refused(/address of .* was changed/))
  t.like(await item.rowOf(item.merge), { email: 'thief@example.com', merged_into: null })

  // What the account that stays says of itself meanwhile.
  const said = await openTwo(t, {}, { content: { city: 'Bern', newsletter: true } })
  const later = { content: '{"newsletter":false}', updated_at: '2026-01-15T12:00:01.000Z' }
  await said.interrupted(() => said.set(said.keep, later)).merge(said.wish)
  t.deepEqual(JSON.parse((await said.rowOf(said.keep)).content), { newsletter: false, city: 'Bern' })
  t.true((await said.rowOf(said.keep)).updated_at > later.updated_at, 'whoever read it before notices')

  // Either of them goes into a third account meanwhile.
  for (const which of ['keep', 'merge'] as const) {
    const { m, wish, third, interrupted, rowOf, ...ids } = await openTwo(t)
    const other = { keep: third, merge: ids[which], by, write: true }
    const merging = interrupted(() => m.users.merge(other))
    await t.throwsAsync(merging.merge(wish), refused(/is merged into/), which)
    t.is((await rowOf(ids[which])).merged_into, third)
    t.is((await ids.merges()).length, 1)
  }

  // Either of them leaves, before it or meanwhile, or while it is taken back.
  for (const which of ['keep', 'merge'] as const)
    for (const isBefore of [true, false]) {
      const { m, wish, interrupted, rowOf, ...ids } = await openTwo(t)
      const leave = () => m.users.delete(ids[which])
      if (isBefore) await leave()
      const merging = interrupted(isBefore ? async () => undefined : leave)
      await t.throwsAsync(merging.merge(wish), refused(/is being deleted/), `${which} ${isBefore}`)
      t.is((await rowOf(ids.merge)).merged_into, null)
    }
  const back = await openTwo(t)
  await back.m.users.merge(back.wish)
  // Asked for, and not begun yet.
  const asks = { member_id: back.keep, requested_at: 'now', step: 'cancel', attempts: 0 }
  const leaving = back.interrupted(() =>
    back.m.storage.read((db) =>
      db
        .insertInto('deletions')
        .values(asks as never)
        .returning('member_id'),
    ),
  )
  await t.throwsAsync(leaving.unmerge({ merged: back.merge, by }))
  t.is((await back.rowOf(back.merge)).merged_into, back.keep, 'the one leaves with the other')
})

test('a merge that was undone or repeated with another account is not undone for the wrong one', async (t) => {
  const { m, wish, merge, third, interrupted, rowOf } = await openTwo(t)
  await m.users.merge(wish)
  const undo = () => m.users.unmerge({ merged: merge, by })
  const anew = { keep: third, merge, by, write: true }
  const late = interrupted(async () => {
    await undo()
    await m.users.merge(anew)
    await undo()
  })
  await t.throwsAsync(late.unmerge({ merged: merge, by }), refused(/not merged/))
  await m.users.merge(wish)
  const other = interrupted(async () => {
    await undo()
    await m.users.merge(anew)
  })
  // It is another merge by then: the one that stands is the one that is taken back.
  await other.unmerge({ merged: merge, by })
  t.is((await rowOf(merge)).merged_into, null)
})

test('data that only the merged account has moves and returns, unless it was changed since', async (t) => {
  const content = { newsletter: true, city: 'Bern', blank: '', club: 'A' }
  const { m, wish, keep, merge, rowOf, set } = await openTwo(
    t,
    { content: { newsletter: false, city: '' } },
    { name: 'Ann', language: 'de', content },
  )
  const { moves } = await m.users.merge({ ...wish, write: false })
  t.deepEqual(moves.fields, ['name', 'language', 'city', 'club'])
  await m.users.merge(wish)
  t.like(await rowOf(keep), { name: 'Ann', language: 'de' })
  t.deepEqual(JSON.parse((await rowOf(keep)).content), { newsletter: false, city: 'Bern', club: 'A' })
  await set(keep, {
    content: '{"newsletter":false,"city":"Basel","club":"A","blank":""}',
    language: 'fr',
    updated_at: '2026-01-15T12:00:09.000Z',
  })
  const read = (await rowOf(keep)).updated_at
  await m.users.unmerge({ merged: merge, by })
  t.like(await rowOf(keep), { name: null, language: 'fr' })
  t.deepEqual(JSON.parse((await rowOf(keep)).content), { newsletter: false, city: 'Basel', blank: '' })
  t.true((await rowOf(keep)).updated_at > read)

  const own = await openTwo(
    t,
    { name: 'A. B.', language: 'de', content: { city: 'Bern' } },
    { name: 'Ann', language: 'de', content: { city: 'Bern' } },
  )
  await own.m.users.merge(own.wish)
  t.is((await own.rowOf(own.keep)).name, 'A. B.')
  await own.m.users.unmerge({ merged: own.merge, by })
  t.like(
    await own.rowOf(own.keep),
    { name: 'A. B.', language: 'de', content: '{"city":"Bern"}' },
    'its own stays',
  )
})

test('a merge reports double payments and remaining roles; a cancelled change blocks nothing', async (t) => {
  const { m, wish, merge } = await openTwo(t, {}, { roles: ['editor'] })
  for (const [n, email] of [home, work].entries()) {
    await deliver(m, stripeEvent('customer.created', customerObject({ id: `cus_${n}`, email })))
    const bought = subscriptionObject({ id: `sub_${n}`, customer: `cus_${n}` })
    await deliver(m, stripeEvent('customer.subscription.updated', bought))
  }
  const codes = async () => (await m.users.merge({ ...wish, write: false })).notes.map(({ code }) => code)
  t.deepEqual(await codes(), ['paid_twice', 'roles_stay'])
  await m.users.setEmail(merge, 'other@work.example')
  await t.throwsAsync(codes(), refused(/was changed/))
  await m.storage.read((db) => db.updateTable('email_changes').set({ void_at: 'now' }).returning('member_id'))
  t.deepEqual(await codes(), ['paid_twice', 'roles_stay', 'address_released'])
})

test('begun checkouts move and return, each to its own account', async (t) => {
  const { m, wish, keep, merge, third } = await openTwo(t)
  for (const [id, member] of Object.entries({ int_keep: keep, int_merge: merge, int_third: third }))
    await insertIntent(m, id, member)
  // One that came to the kept account from another one.
  await m.users.merge({ keep, merge: third, by, write: true })
  t.is((await m.users.merge(wish)).moves.checkouts, 1)
  const holders = async () =>
    Object.fromEntries(
      (await m.storage.read((db) => db.selectFrom('intents').select(['id', 'member_id']))).map((row) => [
        row.id,
        row.member_id,
      ]),
    )
  t.deepEqual(await holders(), { int_keep: keep, int_merge: keep, int_third: keep })
  await insertIntent(m, 'int_given', merge)
  const given = () =>
    m.storage.read((db) =>
      db
        .updateTable('intents')
        .set({ member_id: third, moved_from: merge })
        .where('id', '=', 'int_given')
        .returning('id'),
    )
  await given()
  await m.users.unmerge({ merged: merge, by })
  const back = { int_keep: keep, int_merge: merge, int_third: keep }
  t.deepEqual(await holders(), { ...back, int_given: third }, 'what somebody else has by now stays with them')
  t.deepEqual((await m.operator.audit.list({ member: keep })).map(({ action }) => action).sort(), [
    'merge',
    'merge',
    'unmerge',
  ])
})

test('a released address is reserved for thirty days, unless the merge is undone or the account deleted', async (t) => {
  const kept = async (end: (two: Awaited<ReturnType<typeof openTwo>>) => Promise<unknown>) => {
    const two = await openTwo(t, {}, { verified: false, content: { city: 'Bern' } })
    await two.m.users.merge(two.wish)
    const [before] = await two.merges()
    t.is(before!.released_email, work)
    await end(two)
    const [after] = await two.merges()
    return { ...two, after: after! }
  }
  const waited = async ({ m, clock }: Awaited<ReturnType<typeof openTwo>>, ms: number) => {
    clock.move(ms)
    await m.runDueJobs()
  }
  t.is((await kept((two) => waited(two, 29 * day))).after.released_email, work)
  t.is((await kept((two) => waited(two, 31 * day))).after.released_email, null)
  const back = await kept(({ m, merge }) => m.users.unmerge({ merged: merge, by }))
  t.is(back.after.released_email, null)
  t.like(await back.rowOf(back.merge), { email: work, email_verified: 0 }, 'and is theirs again')
  const left = await kept(async ({ m, keep, clock }) => {
    await m.users.delete(keep)
    for (let i = 0; i < 3; i++) await m.runDueJobs()
    t.truthy(clock)
  })
  t.like(left.after, { released_email: null, filled: '[]', until: left.after.at })
})

test('requests of the kept account from before a merge cannot be confirmed after it', async (t) => {
  const { m, wish, keep } = await openTwo(t)
  const asked = {
    id: 'change',
    member_id: keep,
    email_from: home,
    email_to: 'new@example.com',
    correction: 0,
    created_at: '2026-01-15T11:00:00.000Z',
    expires_at: '2026-01-15T13:00:00.000Z',
    confirmed_at: null,
    void_at: null,
  }
  await m.storage.read((db) =>
    db
      .insertInto('email_changes')
      .values(asked as never)
      .returning('id'),
  )
  await m.users.merge(wish)
  // By whoever entered with the other address, who may be another person after all.
  const later = { ...asked, id: 'later' }
  await m.storage.read((db) =>
    db
      .insertInto('email_changes')
      .values(later as never)
      .returning('id'),
  )
  const voided = async () =>
    (await m.storage.read((db) => db.selectFrom('email_changes').select('void_at').orderBy('id'))).map(
      ({ void_at }) => void_at !== null,
    )
  t.deepEqual(await voided(), [true, false])
  await m.users.unmerge({ merged: wish.merge, by })
  t.deepEqual(await voided(), [true, true])
})

test('an account deleted after its merge was undone keeps nothing of the merge', async (t) => {
  const { m, wish, merge, merges } = await openTwo(t, {}, { content: { city: 'Bern' } })
  await m.users.merge(wish)
  await m.users.unmerge({ merged: merge, by })
  t.is((await merges())[0]!.filled, '["city"]')
  await m.users.delete(merge)
  for (let i = 0; i < 3; i++) await m.runDueJobs()
  t.is((await merges())[0]!.filled, '[]')
})

test('an event read before a merge and written after it goes to the kept account', async (t) => {
  const { m, wish, keep, merge } = await openTwo(t)
  const customer = (id: string) => stripeEvent('customer.created', customerObject({ id, email: work }))
  const bought = (id: string, customer: string) =>
    stripeEvent('customer.subscription.updated', subscriptionObject({ id, customer }))
  await deliver(m, customer('cus_1'))
  const { commit } = m.storage
  const meanwhile = async (act: () => Promise<unknown>, message: Parameters<typeof deliver>[1]) => {
    Object.assign(m.storage, {
      commit: async (...unit: Parameters<typeof commit>) => {
        Object.assign(m.storage, { commit })
        await act()
        await commit(...unit)
      },
    })
    await deliver(m, message)
  }
  const holders = async () =>
    (await m.storage.read((db) => db.selectFrom('customers').select('member_id').orderBy('customer_id'))).map(
      ({ member_id }) => member_id,
    )
  const theirs = async (id: string) => (await m.users.findById(id))!.subscriptions().length
  await meanwhile(() => m.users.merge(wish), bought('sub_1', 'cus_1'))
  t.deepEqual([await holders(), await theirs(keep)], [[keep], 1])
  await meanwhile(() => m.users.unmerge({ merged: merge, by }), customer('cus_2'))
  await deliver(m, bought('sub_2', 'cus_2'))
  t.deepEqual([await holders(), await theirs(merge)], [[merge, merge], 2])
  await meanwhile(() => m.users.merge(wish), customer('cus_3'))
  await deliver(m, bought('sub_3', 'cus_3'))
  t.deepEqual([await holders(), await theirs(keep)], [[keep, keep, keep], 3])
})

test('a merge and its undo check both accounts for news', async (t) => {
  const { wish, keep, merge, noted, interrupted } = await openTwo(t)
  const nothing = async () => undefined
  await interrupted(nothing).merge(wish)
  t.deepEqual([...noted].sort(), [keep, merge].sort())
  noted.clear()
  await interrupted(nothing).unmerge({ merged: merge, by })
  t.deepEqual([...noted].sort(), [keep, merge].sort())
})

test('a grant for a merged account belongs to the kept one, and returns when the merge is undone', async (t) => {
  const { m, keep, merge, wish } = await openTwo(t)
  await m.users.merge(wish)
  t.is((await m.users.findById(merge))?.id, keep, 'a look-up by the old id follows')
  await m.users.grant({ memberId: merge, gate: 'price_gold' })
  t.true((await m.users.findById(keep))!.hasGate('pro' as never))
  const file = Buffer.from(`email,plan\n${work},pro\n`)
  await m.users.grant({ memberId: merge, gate: 'price_silver' })
  t.like(await m.operator.import({ file, map: { email: 'email', price_id: 'plan' }, write: true } as never), {
    created: 0,
  })
  const held = (await m.users.findById(keep))!.grants()
  t.is(
    held.filter(({ reason }) => reason === 'Imported from a file').length,
    1,
    'an import by the old address follows',
  )
  await m.users.unmerge({ merged: merge, by })
  const [kept, merged] = [await m.users.findById(keep), await m.users.findById(merge)]
  for (const gate of ['pro', 'price_silver']) {
    t.false(kept!.hasGate(gate as never), gate)
    t.true(merged!.hasGate(gate as never), gate)
  }
})

test('a grant for nobody, and revoking an unknown grant, are refused', async (t) => {
  const { m } = await openTwo(t)
  await t.throwsAsync(m.users.grant({ memberId: 'nobody', gate: 'pro' }), { code: 'ERR_NOT_FOUND' })
  await t.throwsAsync(m.users.revoke('nothing'), { code: 'ERR_NOT_FOUND' })
})
