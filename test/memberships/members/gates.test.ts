import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import Koa from 'koa'
import { createMembership, type MembershipOptions, membership } from '../../../src/index.ts'
import { createClock, signed, viewFrom } from '../../../src/testkit/index.ts'
import { freshDatabase } from '../../support/databases.ts'
import { secret } from '../../support/host.ts'
import {
  chargeObject,
  customerObject,
  disputeObject,
  invoiceObject,
  refundObject,
  start,
  stripeEvent,
  subscriptionItem,
  subscriptionObject,
} from '../../support/stripe-events.ts'

async function open(t: ExecutionContext, options: MembershipOptions = {}) {
  const m = await createMembership({
    ...(await freshDatabase()),
    'membership.providers.stripe.webhook': secret,
    install: false,
    root: false,
    log: () => {},
    ...options,
  })
  t.teardown(() => m.close())
  const send = (type: string, object: Record<string, unknown>, created = start) =>
    m.webhooks.receive(
      'stripe',
      signed('stripe', stripeEvent(type, object, { created }), {
        secret,
        now: options.now?.() ?? new Date(),
      }),
    )
  return { m, send, ann: async () => (await m.users.findByEmail('ann@example.com'))! }
}

function itemsOf(from: number) {
  return {
    data: [subscriptionItem({ current_period_start: from, current_period_end: from + 31 * 86_400 })],
  }
}

test('a trial opens a gate, and explain says why and until when', (t) => {
  const { allows, user } = viewFrom({
    user: {
      subscriptions: [
        { id: 'sub_9', price_id: 'price_1', status: 'trialing', trial_ends_at: '2999-02-01T00:00:00.000Z' },
      ],
    },
  })
  t.true(allows('price_1'))
  t.deepEqual(user()?.explain('price_1'), {
    open: true,
    gate: 'price_1',
    reason: 'trial',
    by: 'sub_9',
    until: '2999-02-01T00:00:00.000Z',
    ground: 'trial',
    payment: null,
  })
  t.is(user()?.explain('price_2').reason, 'none')
})

test('a plan is opened by any of its prices, retired ones included', (t) => {
  const price = (id: string, retired: boolean) => ({
    id,
    plan: 'pro',
    provider: 'stripe',
    type: 'recurring' as const,
    currency: null,
    amount: null,
    interval: null,
    interval_count: null,
    trial_days: null,
    trial_amount: null,
    label: null,
    lookup_key: null,
    retired,
  })
  const plans = [
    {
      id: 'pro',
      provider: 'stripe',
      name: 'Pro',
      description: null,
      lines: [],
      features: [],
      prices: [price('new', false), price('old', true)],
    },
  ]
  t.true(viewFrom({ plans, user: { subscriptions: [{ price_id: 'old' }] } }).allows('pro'))
  t.false(viewFrom({ plans, user: { subscriptions: [{ price_id: 'other' }] } }).allows('pro'))
})

test('a subscription cancelled for a moment is open until then and closed afterwards', (t) => {
  const clock = createClock('2026-01-10T00:00:00Z')
  const user = {
    subscriptions: [
      { price_id: 'price_1', cancel_at_period_end: true, current_period_end: '2026-01-11T00:00:00.000Z' },
    ],
  }
  t.true(viewFrom({ user, now: clock.now }).allows('price_1'))
  clock.advance({ days: 2 })
  t.false(viewFrom({ user, now: clock.now }).allows('price_1'))
})

test('a failed renewal keeps access for the configured time', async (t) => {
  const clock = createClock(new Date((start + 86_400) * 1000))
  const { send, ann, m } = await open(t, { 'membership.gates.past_due': '3d', now: clock.now })
  await m.webhooks.receive(
    'stripe',
    signed('stripe', stripeEvent('customer.created', customerObject()), { secret, now: clock.now() }),
  )
  await send('customer.subscription.created', subscriptionObject({ status: 'past_due' }))
  t.is((await ann()).explain('price_gold').reason, 'past_due')
  clock.advance({ days: 3 })
  t.false((await ann()).hasGate('price_gold'))
})

test('access after a failed renewal lasts 21 days from the first failure, and a later period does not move it', async (t) => {
  const at = (days: number) => start + days * 86_400
  const clock = createClock(new Date(at(40) * 1000))
  const { send, ann } = await open(t, { now: clock.now })
  const failed = subscriptionObject({ status: 'past_due', items: itemsOf(at(31)) })
  const later = subscriptionObject({ status: 'past_due', items: itemsOf(at(38)) })
  await send('customer.created', customerObject())
  await send('invoice.paid', invoiceObject())
  await send('customer.subscription.created', subscriptionObject())
  // Out of order: the moment is that of the first failure all the same.
  await send('customer.subscription.updated', later, at(38))
  await send('customer.subscription.updated', failed, at(31))
  const { reason, until } = (await ann()).explain('price_gold')
  t.deepEqual([reason, until], ['past_due', new Date(at(52) * 1000).toISOString()])
  t.is((await ann()).subscriptions()[0]?.past_due_since, new Date(at(31) * 1000).toISOString())
  clock.advance({ days: 12 })
  t.false((await ann()).hasGate('price_gold'))

  await send('customer.subscription.updated', subscriptionObject({ items: itemsOf(at(52)) }), at(52))
  t.is((await ann()).subscriptions()[0]?.past_due_since, null)
  t.true((await ann()).hasGate('price_gold'))
  await send('customer.subscription.updated', subscriptionObject({ status: 'past_due' }), at(53))
  t.is((await ann()).explain('price_gold').until, new Date(at(74) * 1000).toISOString(), 'counted anew')
})

test('a failed renewal keeps nothing after the provider gave up, without any payment, or after a refund', (t) => {
  const renewal = {
    id: 'sub_1',
    price_id: 'price_1',
    status: 'past_due' as const,
    interval: 'month' as const,
    interval_count: 1,
    started_at: '2026-01-01T00:00:00.000Z',
    past_due_since: '2026-03-01T00:00:00.000Z',
  }
  const now = () => new Date('2026-03-05T00:00:00Z')
  const allows = (fields: object, payments: object[] = []) =>
    viewFrom({ user: { subscriptions: [{ ...renewal, ...fields }], payments }, now }).allows('price_1')
  const paid = { subscription_id: 'sub_1', amount: 900, status: 'paid' }
  t.true(allows({}))
  t.false(allows({ status: 'unpaid' }))
  t.false(allows({ status: 'canceled' }))
  t.false(allows({ cancel_at: '2026-03-03T00:00:00.000Z' }))
  t.true(allows({}, [paid]))
  t.false(allows({}, [paid, { ...paid, status: 'disputed' }]))
  const trial = { started_at: '2026-02-15T00:00:00.000Z', trial_ends_at: '2026-03-01T00:00:00.000Z' }
  t.false(allows(trial))
  t.false(allows(trial, [{ ...paid, amount: 0 }]), 'the trial’s own invoice is no payment')
  t.true(allows(trial, [paid]))
  t.true(allows({ ...trial, past_due_since: '2026-03-31T00:00:00.000Z' }), 'a later charge than the first')
})

test('a price that was changed within a period opens when it is paid: not as a draft, while the bank works, or in the grace period', (t) => {
  const cheap = {
    id: 'pi_1',
    subscription_id: 'sub_1',
    price_id: 'price_pro',
    amount: 900,
    status: 'paid' as const,
  }
  const dear = { ...cheap, id: 'pi_2', price_id: 'price_team', amount: 2500, status: 'pending' as const }
  const base = { id: 'sub_1', price_id: 'price_team', unit_amount: 2500, interval: 'month' as const }
  const active = { ...base, status: 'active' as const }
  const failed = { ...base, status: 'past_due' as const, past_due_since: '2026-01-01T00:00:00.000Z' }
  const now = () => new Date('2026-01-02T00:00:00Z')
  const opens = (subscription: object, ...payments: object[]) =>
    viewFrom({ user: { subscriptions: [subscription], payments }, now }).allows('price_team')
  t.false(opens(active, cheap, dear), 'a scheduled change whose invoice is a draft or with the bank')
  t.false(opens(active, { ...cheap, amount: 0 }, dear), 'the same after a trial of the cheaper one')
  t.false(opens(failed, cheap), 'grace is for what was paid before')
  t.true(opens(active, cheap, { ...dear, status: 'paid' }))
  t.true(opens(failed, { ...cheap, price_id: 'price_team', amount: 2500 }))
  t.false(opens(active, { ...cheap, amount: 9000 }, dear), 'whatever both cost')
  t.false(opens(failed, { ...cheap, amount: 9000 }))
  t.true(opens(active, dear), 'where nothing is known of earlier payments, nothing is said against it')
})

test('while a changed price is being paid, the earlier paid price stays open until that is settled', (t) => {
  const paid = {
    id: 'pi_1',
    subscription_id: 'sub_1',
    price_id: 'price_pro',
    amount: 900,
    status: 'paid' as const,
    paid_at: '2026-01-01T00:00:00.000Z',
  }
  const due = { ...paid, id: 'pi_2', price_id: 'price_team', amount: 1600, status: 'pending', paid_at: null }
  const changed = { id: 'sub_1', price_id: 'price_team', unit_amount: 2500, interval: 'month' as const }
  const open = (subscription: object, ...payments: object[]) => {
    const view = viewFrom({
      user: { subscriptions: [{ ...changed, status: 'active', ...subscription }], payments },
      now: () => new Date('2026-01-02T00:00:00Z'),
    })
    return ['price_pro', 'price_team'].filter((gate) => view.allows(gate as never))
  }
  const settled = { ...due, status: 'paid', paid_at: '2026-01-02T00:00:00.000Z' }
  t.deepEqual(open({}, paid, due), ['price_pro'])
  t.deepEqual(open({}, paid, settled), ['price_team'])
  t.deepEqual(open({}, { ...paid, status: 'refunded' }, due), [], 'the money went back')
  t.deepEqual(open({}, { ...paid, status: 'disputed' }, due), ['price_pro'], 'until the dispute is lost')
  t.deepEqual(open({}, { ...paid, status: 'disputed', dispute: 'lost' }, due), [])
  t.deepEqual(open({}, { ...paid, amount: 0, trial: true }, due), [], 'a trial was never paid')
  t.deepEqual(open({ status: 'canceled', ended_at: '2026-01-01T12:00:00.000Z' }, paid, due), [])
  t.deepEqual(open({ status: 'unpaid' }, paid, due), [])
})

test('an earlier paid price closes when its money was refunded', (t) => {
  const grant = { gate: 'price_team', source: 'paid', expires_at: '2026-02-01T00:00:00.000Z' }
  const payment = { subscription_id: 'sub_1', price_id: 'price_team', amount: 2500 }
  const opens = (status: 'paid' | 'partially_refunded' | 'refunded' | 'disputed', source = 'paid') =>
    viewFrom({
      user: { grants: [{ ...grant, source }], payments: [{ ...payment, status }] },
      now: () => new Date('2026-01-02T00:00:00Z'),
    }).allows('price_team')
  t.deepEqual(
    [opens('paid'), opens('partially_refunded'), opens('refunded'), opens('disputed')],
    [true, true, false, false],
  )
  t.true(opens('refunded', 'gift'), 'what was given by hand stays')
})

test('a payment opens its gate; a refund in full and a dispute close it; a failed refund and a won dispute open it', async (t) => {
  const { send, ann } = await open(t)
  const charge = (refunded: number) =>
    chargeObject({
      metadata: { price_id: 'price_book' },
      amount_refunded: refunded,
      refunded: refunded === 4900,
    })
  await send('customer.created', customerObject())
  await send('charge.succeeded', charge(0))
  t.is((await ann()).explain('price_book').reason, 'payment')

  await send('charge.refunded', charge(1000), start + 1)
  t.true((await ann()).hasGate('price_book'), 'a part given back closes nothing')
  await send('refund.created', refundObject(), start + 2)
  t.false((await ann()).hasGate('price_book'))
  await send('refund.failed', refundObject({ status: 'failed' }), start + 3)
  t.true((await ann()).hasGate('price_book'))

  await send('charge.dispute.created', disputeObject(), start + 4)
  t.false((await ann()).hasGate('price_book'))
  await send('charge.dispute.closed', disputeObject({ status: 'won' }), start + 5)
  t.true((await ann()).hasGate('price_book'))
})

test('subscriptionForPrice finds what opens the price now, or what is being paid first; its history is a list', (t) => {
  const now = () => new Date('2026-03-05T00:00:00Z')
  const found = (subscription: object, payments: object[] = []) => {
    const view = viewFrom({
      user: { subscriptions: [{ price_id: 'price_1', ...subscription }], payments },
      now,
    })
    const [ofUser, ofProvider] = [view.user()!, view.provider()].map(
      (asked) => asked.subscriptionForPrice('price_1' as never)?.status ?? null,
    )
    t.is(ofUser, ofProvider)
    t.is(view.user()!.subscriptions({ price: 'price_1' as never }).length, 1, 'its history is complete')
    t.is(view.user()!.subscriptions({ price: 'price_2' as never }).length, 0)
    return ofUser
  }
  const over = { status: 'canceled', ended_at: '2024-01-01T00:00:00.000Z' }
  t.is(found({ status: 'active' }), 'active')
  t.is(found({ status: 'trialing', trial_ends_at: '2026-03-06T00:00:00.000Z' }), 'trialing')
  t.is(found({ status: 'past_due', past_due_since: '2026-03-04T00:00:00.000Z' }), 'past_due', 'in its grace')
  t.is(found({ status: 'past_due', past_due_since: '2026-01-01T00:00:00.000Z' }), null, 'the grace is over')
  t.is(found({ status: 'incomplete' }), 'incomplete', 'its first payment is pending')
  for (const fields of [over, { status: 'unpaid' }, { status: 'paused' }, { status: 'expired' }])
    t.is(found(fields), null, fields.status)
  t.is(found({ cancel_at: '2026-03-04T00:00:00.000Z' }), null, 'its announced end has passed')
  t.is(found({ cancel_at: '2026-03-06T00:00:00.000Z' }), 'active')
})

test('a renewal’s payment opens nothing by itself', (t) => {
  t.false(
    viewFrom({ user: { payments: [{ price_id: 'price_1', subscription_id: 'sub_1' }] } }).allows('price_1'),
  )
})

test('a manual grant opens until it ends or is revoked', async (t) => {
  const clock = createClock()
  const { m } = await open(t, { now: clock.now })
  const { id } = await m.users.create({ email: 'gil@example.com' })
  const grant = await m.users.grant({
    memberId: id,
    gate: 'price_1',
    expiresAt: new Date('2026-01-03T00:00:00Z'),
  })
  t.is((await m.users.findById(id))?.explain('price_1').reason, 'grant')
  clock.advance({ days: 3 })
  t.false((await m.users.findById(id))?.hasGate('price_1'))
  const forever = await m.users.grant({ memberId: id, gate: 'price_1' })
  t.true((await m.users.findById(id))?.hasGate('price_1'))
  await m.users.revoke(forever)
  t.false((await m.users.findById(id))?.hasGate('price_1'))
  t.is(typeof grant, 'string')
})

test('the middleware admits members, refuses others, and keeps both out of shared caches', async (t) => {
  const { m } = await open(t, {
    identify: ({ kind, request }) =>
      kind === 'koa' && request.get('x-user') ? { email: request.get('x-user') } : null,
  })
  const member = await m.users.create({ email: 'gil@example.com', verified: true })
  await m.users.grant({ memberId: member.id, gate: 'price_1' })
  const app = new Koa()
  app.use(m.koa())
  app.use(m.gate(['price_1', 'price_2']))
  app.use((ctx) => {
    ctx.set('Cache-Control', 'public, max-age=600')
    ctx.body = 'secret'
  })
  const server = app.listen(0)
  t.teardown(() => server.close())
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  const inside = await fetch(site, { headers: { 'x-user': 'gil@example.com' } })
  t.deepEqual(
    [inside.status, await inside.text(), inside.headers.get('cache-control')],
    [200, 'secret', 'private, no-store'],
  )
  const outside = await fetch(site)
  t.is(outside.status, 403)
  t.is(outside.headers.get('cache-control'), 'private, no-store')
  const text = await outside.text()
  t.is((JSON.parse(text) as { code: string }).code, 'ERR_GATED')
  t.notRegex(text, /secret/)
})

test('two instances in one process do not see each other', async (t) => {
  const item = await open(t)
  const two = await open(t)
  const user = await item.m.users.create({ email: 'ann@example.com' })
  t.is(await two.m.users.findByEmail('ann@example.com'), null)
  item.m.runAs(user, () => {
    t.is(membership(), item.m)
    t.throws(() => two.m.user(), { code: 'ERR_NO_VIEW' })
    two.m.runAs(null, () => {
      t.is(membership(), two.m)
      t.is(two.m.user(), null)
      t.is(item.m.user()?.email, 'ann@example.com')
    })
  })
})

test.serial('equal options return the same default, others are refused until it is closed', async (t) => {
  const options = { 'membership.database.url': 'sqlite::memory:', root: false as const, log: () => {} }
  const first = await createMembership(options)
  t.is(await createMembership({ ...options }), first)
  await t.throwsAsync(createMembership({ ...options, 'membership.ratelimit.limit': 5 }), {
    code: 'ERR_INSTALLED',
    message: /membership\.ratelimit\.limit/,
  })
  // As a bundler does that loads a module twice.
  const identify = () => ({ email: 'ann@example.com' })
  const transport = async () => {}
  await first.close()
  const withLogin = await createMembership({ ...options, identify, mails: { transport } })
  const again = { identify: () => ({ email: 'ann@example.com' }), mails: { transport: async () => {} } }
  t.is(await createMembership({ ...options, ...again }), withLogin)
  // A minifier names the variables of each copy anew.
  const log = (e: unknown) => void String(e)
  const logAgain = (t: unknown) => void String(t)
  await withLogin.close()
  const minified = await createMembership({ ...options, log })
  t.is(await createMembership({ ...options, log: logAgain }), minified)
  await minified.close()
  await createMembership({ ...options, identify, mails: { transport } })
  const other = { identify: () => ({ email: 'bob@example.com' }), mails: { transport } }
  await t.throwsAsync(createMembership({ ...options, ...other }), {
    code: 'ERR_INSTALLED',
    message: /identify/,
  })
  const otherMails = { identify, mails: { transport: async () => void 'elsewhere' } }
  await t.throwsAsync(createMembership({ ...options, ...otherMails }), {
    code: 'ERR_INSTALLED',
    message: /mails/,
  })
  const environment = process.env.NODE_ENV
  process.env.NODE_ENV = 'development'
  try {
    const replaced = await createMembership({ ...options, ...other })
    t.not(replaced, withLogin)
    await replaced.close()
  } finally {
    if (environment === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = environment
  }
  const second = await createMembership({ ...options, 'membership.ratelimit.limit': 5 })
  t.is(membership(), second)
  await second.close()
})

test('waiting purchases go to the member who proves the address', async (t) => {
  const { m, send, ann } = await open(t)
  const first = await m.users.create({ email: 'ann@example.com' })
  await send('customer.created', customerObject())
  await send('customer.subscription.created', subscriptionObject())
  t.false((await ann()).hasGate('price_gold'), 'nobody confirmed this address yet')
  await m.users.verify(first.id)
  t.true((await ann()).hasGate('price_gold'))
})

test('members.create: false creates no members', async (t) => {
  const { m, send } = await open(t, { 'membership.members.create': false })
  await send('customer.created', customerObject())
  await send('customer.subscription.created', subscriptionObject())
  t.is(await m.users.findByEmail('ann@example.com'), null)
})
