import test from 'ava'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { buy, buyByLink } from '../../support/visitor.ts'

interface Row {
  id: string
  kind: string
  object_id: string
  requested_by: string
  requester: string | null
  outcome: string
  error: string | null
}

function requests({ m }: Pick<StripeSite, 'm'>, kind: string): Promise<Row[]> {
  return m.storage.read((db) =>
    db
      .selectFrom('change_requests')
      .select(['id', 'kind', 'object_id', 'requested_by', 'requester', 'outcome', 'error'])
      .where('kind', '=', kind)
      .orderBy('at')
      .orderBy('id'),
  ) as Promise<Row[]>
}

function keysOf({ fake }: Pick<StripeSite, 'fake'>, path: string): unknown[] {
  return fake
    .requests()
    .filter((request) => request.method === 'POST' && request.path.startsWith(path))
    .map(({ idempotency_key }) => idempotency_key)
}

test('a request is stored with its requester, and its name is the idempotency key', async (t) => {
  const opened = await openStripeSite(t)
  const { user, id } = await buy(opened, 'ann@example.com')
  await opened.m.subscriptions.cancel({ user, subscriptionId: id, when: 'period_end' })
  const [checkout, ...others] = await requests(opened, 'checkout')
  t.like(checkout, { requested_by: 'member', outcome: 'done' })
  t.is(others.length, 0)
  const [cancelled] = await requests(opened, 'cancel')
  t.like(cancelled, { object_id: id, requested_by: 'member', outcome: 'done', error: null })
  t.deepEqual(keysOf(opened, `/v1/subscriptions/${id}`), [cancelled!.id])
})

test('a refund with a lost answer is repeated under its name, also by another process, and happens once', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  const { m: beside } = await opened.another()
  const { user } = await buy(opened, 'ann@example.com')
  await m.runDueJobs()
  const [payment] = (await m.users.findById(user.id))!.payments()
  const undo = fake.outage({ kind: 'after' })
  await t.throwsAsync(m.payments.refund({ payment: payment!, amount: 300, key: 'ticket' }))
  undo()
  t.like((await requests(opened, 'refund'))[0], { outcome: 'begun', requested_by: 'operator' })
  // What the books show meanwhile names no other request.
  await fake.deliver()
  t.is((await m.users.findById(user.id))!.payments()[0]!.amount_refunded, 300)
  await beside.payments.refund({ payment: payment!, amount: 300, key: 'ticket' })
  const rows = await requests(opened, 'refund')
  t.is(rows.length, 1)
  t.is(rows[0]!.outcome, 'done')
  t.deepEqual(
    fake.objects.list('refund').map(({ amount }) => amount),
    [300],
  )
})

test('two processes refunding the same payment at once refund it once', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  const { m: beside } = await opened.another()
  const { user } = await buy(opened, 'ann@example.com')
  await m.runDueJobs()
  const [payment] = (await m.users.findById(user.id))!.payments()
  const tries = [m, beside].map((membership) =>
    membership.payments.refund({ payment: payment!, amount: 300, key: 'ticket' }),
  )
  for (const refunded of await Promise.all(tries)) t.is(refunded.amount_refunded, 300)
  t.is(fake.objects.list('refund').length, 1)
  await beside.payments.refund({ payment: payment!, amount: 300, key: 'ticket' })
  t.is(fake.objects.list('refund').length, 1)
})

test('a refused request gives the reason, and the next one has a new name', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  const { user } = await buy(opened, 'ann@example.com')
  await m.runDueJobs()
  const [payment] = (await m.users.findById(user.id))!.payments()
  const undo = fake.outage({ kind: '500' })
  await t.throwsAsync(m.payments.refund({ payment: payment!, amount: 300 }))
  undo()
  t.like((await requests(opened, 'refund'))[0], { outcome: 'failed', error: 'ERR_PROVIDER_ANSWER' })
  await m.payments.refund({ payment: payment!, amount: 300 })
  const rows = await requests(opened, 'refund')
  t.deepEqual(rows.map(({ outcome }) => outcome).sort(), ['done', 'failed'])
  t.is(new Set(rows.map(({ id }) => id)).size, 2)
})

const trial = {
  'membership.providers.stripe.plans': {
    pro: { group: 'a', trial: 'once', prices: [{ id: 'price_month', trial_days: 14 }, 'price_year'] },
  },
}

test('an automatic rule’s action is in the audit log under the rule’s name', async (t) => {
  const opened = await openStripeSite(t, trial as never)
  const { m, fake } = opened
  const settle = async () => {
    for (let n = 0; n < 10; n++) {
      await fake.deliver()
      await m.runDueJobs()
      await fake.advance({ ms: 60_000 })
    }
  }
  await buy(opened, 'ann@example.com')
  await settle()
  const { user } = await buy(opened, 'ben@example.com')
  await settle()
  t.is((await m.users.findById(user.id))!.subscriptions()[0]!.status, 'canceled')
  const [noted, ...more] = await m.operator.audit.list({ member: user.id })
  t.like(noted, { by: 'rule: repeated-trial', action: 'cancel', outcome: 'done' })
  t.is(more.length, 0)
  t.like((await requests(opened, 'cancel'))[0], {
    requested_by: 'rule',
    requester: 'repeated-trial',
    outcome: 'done',
  })
})

test('a rule never ends anything that was paid for, is paused, or has a planned change', async (t) => {
  const { createChanges } = await import('../../../src/memberships/subscriptions/index.ts')
  const { createAuditLog } = await import('../../../src/memberships/audit-log/index.ts')
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.pause': { max_days: 60, access: 'closed' },
  } as never)
  const { m, fake } = opened
  const { user, id: paid } = await buy(opened, 'ann@example.com')
  await fake.deliver()
  const paused = await buyByLink(opened, { email: 'ben@example.com', price: 'price_month' })
  await fake.deliver()
  t.truthy(paused.subscription)
  const { now } = fake
  const asked: string[] = []
  const provider = {
    key: 'stripe',
    cancel: async () => {
      asked.push('cancel')
      return { changes: [], at: now().toISOString() }
    },
  }
  const auditLog = createAuditLog({ storage: m.storage, now, randomId: () => 'r' })
  const ledger = {
    standingAt: async () => 'own',
    statements: {
      subscription: m.storage.prepare('test-subscription', (db, p: { id: string }) =>
        db.selectFrom('subscriptions').select(['data', 'owner_id']).where('id', '=', p.id),
      ),
    },
  }
  const changes = createChanges({
    storage: m.storage,
    ledger: ledger as never,
    auditLog,
    now,
    randomId: () => 'x',
    providers: new Map([['stripe', provider as never]]),
    log: () => {},
  })
  const wish = {
    kind: 'cancel' as const,
    provider: 'stripe',
    account: '',
    object: paid,
    memberId: user.id,
    requestedBy: { kind: 'rule' as const, name: 'repeated-trial' as const },
    name: 'trial:x',
    reason: 'a test',
  }
  const error = await t.throwsAsync(changes.ask(wish, { subscriptionId: paid, when: 'now' }), {
    code: 'ERR_ACTION_REFUSED',
  })
  t.regex(error!.message, /money was paid/)
  t.deepEqual(asked, [])
  const [noted] = await auditLog.list({ member: user.id })
  t.like(noted, { by: 'rule: repeated-trial', outcome: 'failed', error: 'ERR_ACTION_REFUSED' })
  // A person may.
  await changes.ask(
    { ...wish, name: 'by hand', requestedBy: { kind: 'operator', name: 'Eve' } },
    { subscriptionId: paid, when: 'now' },
  )
  t.deepEqual(asked, ['cancel'])
})
