import test, { type ExecutionContext } from 'ava'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, logIn } from '../support/visitor.ts'

const plans = {
  pro: {
    seats: 5,
    limits: { exports: { amount: 100, every: 'month' } },
    prices: [{ id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' }],
  },
}

async function open(t: ExecutionContext, options: Record<string, unknown> = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.plans': plans,
    ...options,
  } as never)
  const { m, fake } = opened
  const settle = async (): Promise<void> => {
    await m.runDueJobs()
    await fake.deliver()
    await m.runDueJobs()
  }
  const seats = () => m.storage.read((db) => db.selectFrom('group_seats').selectAll())
  const memberOf = async (email: string) => (await m.users.findByEmail(email))!
  const invite = async (subscriptionId: string, email: string): Promise<string> => {
    await m.teams.invite({ subscriptionId, email })
    await settle()
    return /\/membership\/join\/(\S+)/.exec(mailbox.of(email).at(-1)!.text)![1]!
  }
  return { opened, mailbox, m, fake, settle, seats, memberOf, invite }
}

test('one refund is mailed once, also around a merge and its undo', async (t) => {
  const { opened, m, fake, mailbox, settle, memberOf } = await open(t)
  await buy(opened, 'kept@example.com')
  await settle()
  await buy(opened, 'gone@example.com')
  await settle()
  await fake.advance({ days: 2 })
  await settle()
  const gone = await memberOf('gone@example.com')
  const [payment] = gone.payments()
  await m.payments.refund({ payment: payment!, amount: 300 })
  await settle()
  const refunds = () => mailbox.sent.filter(({ kind }) => kind === 'refund').length
  t.is(refunds(), 1)
  const kept = await memberOf('kept@example.com')
  await m.users.merge({ keep: kept.id, merge: gone.id, by: 'op', write: true } as never)
  await settle()
  t.is(refunds(), 1, 'after the merge')
  await m.users.unmerge({ merged: gone.id, by: 'op' })
  await settle()
  t.is(refunds(), 1, 'after its undo')
})

test('an invited address is deleted with its owner’s account, once it lapsed, and when it is withdrawn', async (t) => {
  const { opened, m, fake, settle, seats, invite } = await open(t)
  const { id: subscription } = await buy(opened, 'boss@example.com')
  await settle()
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  await invite(subscription, 'ann@example.com')
  await invite(subscription, 'bob@example.com')
  await invite(subscription, 'cara@example.com')
  const find = async (email: string) => (await seats()).find((seat) => seat.email === email)
  await m.users.delete(ann.id)
  t.is(await find('ann@example.com'), undefined)
  t.like(
    (await seats()).find(({ ended_for }) => ended_for === 'deleted'),
    { status: 'ended', email: null },
  )
  const cara = (await find('cara@example.com'))!
  await m.teams.remove({ subscriptionId: subscription, seatId: cara.id })
  t.is(await find('cara@example.com'), undefined)
  t.truthy(await find('bob@example.com'))
  await fake.advance({ days: 15 })
  await settle()
  t.is(await find('bob@example.com'), undefined)
})

test('a seat that is joined while its account is merged away belongs to the account that stays', async (t) => {
  const { opened, m, mailbox, settle, seats, invite } = await open(t)
  const { id: subscription } = await buy(opened, 'boss@example.com')
  await settle()
  for (const how of ['merge', 'delete'] as const) {
    const kept = await m.users.create({ email: `kept-${how}@example.com`, verified: true })
    const other = await m.users.create({ email: `${how}@example.com`, verified: true })
    const token = await invite(subscription, `${how}@example.com`)
    const visitor = await logIn(opened, mailbox, `${how}@example.com`)
    const { commit } = m.storage
    let isInterrupted = false
    let meanwhile: (() => Promise<unknown>) | null = () =>
      how === 'merge'
        ? m.users.merge({ keep: kept.id, merge: other.id, by: 'op', write: true } as never)
        : m.users.delete(other.id)
    ;(m.storage as { commit: typeof commit }).commit = async (unit, more) => {
      const act = meanwhile
      if (act !== null && unit.some(({ statement }) => statement.name === 'group-seat-join')) {
        meanwhile = null
        isInterrupted = true
        await act()
      }
      return commit(unit, more)
    }
    await visitor.send(`/membership/join/${token}`, {})
    ;(m.storage as { commit: typeof commit }).commit = commit
    t.true(isInterrupted)
    await settle()
    const joined = (await seats())
      .filter(({ status }) => status === 'joined')
      .map(({ member_id }) => member_id)
    t.false(joined.includes(other.id))
    if (how === 'merge') {
      t.true(joined.includes(kept.id))
      t.true((await m.users.findById(kept.id))!.hasGate('pro'))
    }
  }
})

test('a limit is used once, whatever is merged and taken back', async (t) => {
  const { opened, m, settle, memberOf } = await open(t)
  await buy(opened, 'bea@example.com')
  await settle()
  const bea = await memberOf('bea@example.com')
  let total = 0
  for (const name of ['one', 'two', 'three']) {
    const fresh = await m.users.create({ email: `${name}@example.com`, verified: true })
    await m.users.merge({ keep: fresh.id, merge: bea.id, by: 'op', write: true } as never)
    const joint = (await m.users.findById(fresh.id))!
    const { left } = joint.limit('exports' as never)
    if (left > 0) await m.limits.use(fresh.id, 'exports' as never, left)
    total += left
    await m.users.unmerge({ merged: bea.id, by: 'op' })
    await settle()
  }
  t.is(total, 100)
  t.is((await m.users.findById(bea.id))!.limit('exports' as never).left, 0)
})

test('a hold that was let go within a merge opens nothing twice', async (t) => {
  const { opened, m, settle, memberOf } = await open(t)
  await buy(opened, 'bea@example.com')
  await settle()
  const bea = await memberOf('bea@example.com')
  const held = await m.limits.reserve(bea, 'exports' as never, 100, { key: 'all', minutes: 60 })
  const fresh = await m.users.create({ email: 'fresh@example.com', verified: true })
  await m.users.merge({ keep: fresh.id, merge: bea.id, by: 'op', write: true } as never)
  await m.limits.release(fresh.id, 'exports' as never, { key: held.key })
  await m.limits.use(fresh.id, 'exports' as never, 60)
  await m.users.unmerge({ merged: bea.id, by: 'op' })
  t.is((await m.users.findById(bea.id))!.limit('exports' as never).left, 40)
})

test('a member that was loaded before a merge uses the limit of the account that stays', async (t) => {
  const { opened, m, settle, memberOf } = await open(t)
  await buy(opened, 'bea@example.com')
  await settle()
  const old = await memberOf('bea@example.com')
  const fresh = await m.users.create({ email: 'fresh@example.com', verified: true })
  await m.users.merge({ keep: fresh.id, merge: old.id, by: 'op', write: true } as never)
  await m.limits.use(fresh.id, 'exports' as never, 100)
  await t.throwsAsync(m.limits.use(old, 'exports' as never, 1), { code: 'ERR_LIMIT' })
})

test('whatever is released, credited or given for a member who was loaded before a merge goes to the account that stays', async (t) => {
  const { opened, m, settle, memberOf } = await open(t)
  await buy(opened, 'bea@example.com')
  await settle()
  const old = await memberOf('bea@example.com')
  const held = await m.limits.reserve(old, 'exports' as never, 40, { key: 'job', minutes: 60 })
  const fresh = await m.users.create({ email: 'fresh@example.com', verified: true })
  await m.users.merge({ keep: fresh.id, merge: old.id, by: 'op', write: true } as never)
  const left = async () => (await m.users.findById(fresh.id))!.limit('exports' as never).left
  t.is(await left(), 60)
  await held.release()
  t.is(await left(), 100)
  await m.limits.use(fresh.id, 'exports' as never, 30)
  await m.limits.release(old, 'exports' as never, 10)
  t.is(await left(), 80)
  await m.users.grant({ memberId: old.id, gate: 'price_book' })
  t.true((await m.users.findById(fresh.id))!.hasGate('price_book'))
})

test('a correction that meets a merge goes to the account that stays', async (t) => {
  const { opened, m, settle, memberOf } = await open(t)
  await buy(opened, 'bea@example.com')
  await settle()
  const old = await memberOf('bea@example.com')
  const fresh = await m.users.create({ email: 'fresh@example.com', verified: true })
  const { commit } = m.storage
  let isMerged = false
  ;(m.storage as { commit: typeof commit }).commit = async (unit, more) => {
    if (!isMerged && unit.some(({ statement }) => statement.name === 'limit-credit')) {
      isMerged = true
      await m.users.merge({ keep: fresh.id, merge: old.id, by: 'op', write: true } as never)
    }
    return commit(unit, more)
  }
  await m.limits.correct({ memberId: old.id, name: 'exports' as never, amount: 5, reason: 'sorry', by: 'op' })
  ;(m.storage as { commit: typeof commit }).commit = commit
  t.true(isMerged)
  const credits = await m.storage.read((db) => db.selectFrom('limit_credits').select(['member_id', 'amount']))
  t.deepEqual(credits, [{ member_id: fresh.id, amount: 5 }])
  await m.users.unmerge({ merged: old.id, by: 'op' })
  t.is((await m.users.findById(old.id))!.limit('exports' as never).left, 100)
})
