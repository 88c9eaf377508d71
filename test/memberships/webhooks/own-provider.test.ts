import { createHash } from 'node:crypto'
import test from 'ava'
import fc from 'fast-check'
import { z } from 'zod'
import { defineProvider, MembershipError, type MembershipOptions, type Provider } from '../../../src/index.ts'
import { fineMoment, normalMoment } from '../../../src/memberships/verification/normal.ts'
import type { Change, Ref, SubscriptionChange } from '../../../src/providers/contract.ts'
import { allDatabases } from '../../support/databases.ts'
import { openHost } from '../../support/host.ts'
import { own } from '../../support/own-providers.ts'

/** A provider whose messages are a list of customers, without ids of their own; `verify` is the test's. */
function listed(verify: Provider['verify'], isAway: () => boolean = () => false) {
  return defineProvider({
    key: 'listed',
    options: z.strictObject({}).prefault({}),
    create: () => ({
      key: 'listed',
      verify,
      keeps: ['listed-sequence'],
      read: ({ body, headers }) =>
        (JSON.parse(body.toString()) as { email: string }[]).map((object) => ({
          id: null,
          type: `customer ${String(headers['listed-sequence'])}`,
          occurred_at: '2026-03-01T12:00:00.000Z',
          livemode: null,
          object_id: object.email,
          object: { ...object, sequence: headers['listed-sequence'] },
        })),
      changes: ({ object }) => {
        const { email, sequence } = (object ?? {}) as { email?: string; sequence?: string }
        if (isAway()) throw new Error('not now')
        if (email === undefined) return []
        const data = { id: email, email, name: `${email} ${sequence}`, deleted: false, livemode: true }
        return [{ type: 'customer', id: email, stage: 'updated', data }]
      },
    }),
  })
}

async function open(
  t: Parameters<typeof openHost>[0],
  verify: Provider['verify'],
  limit = 1000,
  isAway = () => false,
) {
  const { m, site, log } = await openHost(t, {
    customProviders: [listed(verify, isAway)],
    ...own({ 'membership.providers.listed.webhook': 'a secret' }),
    'membership.ratelimit.limit': limit,
  })
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${site}/membership/webhooks/listed`, { method: 'POST', body: JSON.stringify(body), headers })
  return { m, send, log }
}

test('a signature may be verified asynchronously', async (t) => {
  const { m, send } = await open(t, async ({ headers }, [secret]) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (headers['listed-signature'] === secret?.secret) return 'main'
    throw new MembershipError('ERR_WEBHOOK_SIGNATURE', 'No.')
  })
  t.is((await send([{ email: 'ann@example.com' }], { 'listed-signature': 'wrong' })).status, 403)
  t.is((await m.webhooks.list()).length, 0)
  t.is((await send([{ email: 'ann@example.com' }], { 'listed-signature': 'a secret' })).status, 200)
  t.deepEqual(
    (await m.webhooks.list()).map(({ account }) => account),
    ['main'],
  )
})

test('an unverifiable delivery is requested again, and counts against nobody', async (t) => {
  let isAway = true
  const { m, send } = await open(
    t,
    async () => {
      if (isAway) throw new TypeError('fetch failed: certificates.example')
      return 'main'
    },
    2,
  )
  for (let n = 0; n < 5; n++) {
    const answer = await send([{ email: 'ann@example.com' }])
    t.is(answer.status, 503)
    t.true(Number(answer.headers.get('retry-after')) > 0)
    const problem = await answer.text()
    t.true(problem.includes('ERR_WEBHOOK_UNVERIFIED'), problem)
    t.false(problem.includes('certificates.example'), problem)
  }
  t.is((await m.webhooks.list()).length, 0)
  isAway = false
  t.is((await send([{ email: 'ann@example.com' }])).status, 200)
})

test('a body occupies its space while its signature is verified, and releases it', async (t) => {
  const waiting: (() => void)[] = []
  let isSlow = true
  const { send } = await open(t, async () => {
    if (isSlow) await new Promise<void>((next) => waiting.push(next))
    return 'main'
  })
  // A quarter of 32 MiB is one sender's share: as much as eight of the largest bodies.
  const large = [{ email: 'ann@example.com', padding: 'x'.repeat(1_048_576 - 60) }]
  const held = Array.from({ length: 8 }, () => send(large))
  while (waiting.length < 8) await new Promise((next) => setTimeout(next, 5))
  const refused = await send(large)
  t.is(refused.status, 503)
  t.true((await refused.text()).includes('ERR_BUSY'))
  isSlow = false
  t.is((await send([{ email: 'ben@example.com' }])).status, 200, 'what is left suffices for a small one')
  for (const next of waiting) next()
  t.deepEqual([...new Set((await Promise.all(held)).map(({ status }) => status))], [200])
  t.is((await send(large)).status, 200)
})

test('two events without an id in one delivery are two, and a repeated delivery is recognised', async (t) => {
  const { m, send } = await open(t, () => 'main')
  const both = [{ email: 'ann@example.com' }, { email: 'ben@example.com' }]
  t.is((await send(both)).status, 200)
  t.is(await (await send(both)).text(), '{"status":"duplicate"}')
  const events = await m.webhooks.list()
  t.deepEqual(events.map(({ object_id }) => object_id).sort(), ['ann@example.com', 'ben@example.com'])
  const hash = createHash('sha256').update(JSON.stringify(both)).digest('hex')
  t.deepEqual(events.map(({ event_id }) => event_id).sort(), [hash, `${hash}:1`])
})

test('a header that reading needs is stored with the body, so that a replay reads the same', async (t) => {
  let isAway = true
  const { m, send } = await open(
    t,
    () => 'main',
    1000,
    () => isAway,
  )
  const headers = { 'listed-sequence': '7', authorization: 'Bearer secret' }
  t.is((await send([{ email: 'ann@example.com' }], headers)).status, 202)
  const [{ seq } = { seq: 0 }] = await m.webhooks.list()
  const stored = await m.webhooks.get(String(seq))
  t.is(stored.headers, '{"listed-sequence":"7"}', 'and no other')
  isAway = false
  t.true(await m.webhooks.replay(String(seq)))
  const customers = await m.storage.read((db) => db.selectFrom('customers').select('name'))
  t.deepEqual(customers, [{ name: 'ann@example.com 7' }])
})

test('a moment without an offset is UTC on every machine', (t) => {
  const { TZ } = process.env
  try {
    for (const zone of ['America/New_York', 'Asia/Kolkata', 'UTC']) {
      process.env.TZ = zone
      for (const text of ['2026-03-01T12:00:36', '2026-03-01 12:00:36.000', '2026-03-01T13:00:36+0100'])
        t.is(normalMoment(text), '2026-03-01T12:00:36.000Z', `${text} in ${zone}`)
      t.is(normalMoment('2026-03-01'), '2026-03-01T00:00:00.000Z', zone)
    }
  } finally {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  }
  t.is(normalMoment('soon'), null)
})

/** A provider whose messages are what the core takes, as they stand. */
function plain(fetch?: Provider['fetch']) {
  return defineProvider({
    key: 'plain',
    options: z.strictObject({}).prefault({}),
    create: () => ({
      key: 'plain',
      verify: () => '',
      read: ({ body }) => {
        const { id, at, livemode = null, changes } = JSON.parse(body.toString())
        return [{ id, type: 'said', occurred_at: at, livemode, object_id: null, object: changes }]
      },
      changes: ({ object }) => object as Change[],
      ...(fetch ? { fetch } : {}),
    }),
  })
}

async function openPlain(t: Parameters<typeof openHost>[0], more: MembershipOptions = {}) {
  const { m, site } = await openHost(t, {
    customProviders: [plain()],
    ...own({ 'membership.providers.plain.webhook': 'a secret' }),
    ...more,
  })
  let n = 0
  const say = async (at: string, changes: Change[], livemode?: boolean) => {
    const body = JSON.stringify({ id: `m${++n}`, at, livemode, changes })
    const answer = await fetch(`${site}/membership/webhooks/plain`, { method: 'POST', body })
    return (await answer.json()) as { status: string }
  }
  const held = async () => {
    const user = await m.users.findByEmail('ann@example.com')
    return user?.subscriptions()[0] ?? null
  }
  return { m, say, held }
}

function subscription(more: Partial<SubscriptionChange['data']> = {}): SubscriptionChange {
  return {
    type: 'subscription',
    id: 's_1',
    stage: 'updated',
    contact: { email: 'ann@example.com', name: 'Ann' },
    data: {
      id: 's_1',
      customer_id: 'c_1',
      price_id: 'p_1',
      product_id: null,
      quantity: 1,
      items: [],
      status: 'active',
      provider_status: null,
      currency: 'EUR',
      unit_amount: 900,
      interval: 'month',
      interval_count: 1,
      started_at: '2026-03-01T12:00:00+01:00',
      trial_ends_at: null,
      current_period_start: '2026-03-01T12:00Z',
      current_period_end: '2099-04-01T12:00:00.5Z',
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      ended_at: null,
      paused_at: null,
      resumes_at: null,
      metadata: {},
      ...more,
    },
  }
}

for (const [name, order] of [
  ['in their order', [0, 1]],
  ['the other way round', [1, 0]],
] as const)
  test(`the later of two events wins, whatever the precision of their moments, ${name}`, async (t) => {
    const { say, held } = await openPlain(t)
    const ended = { status: 'canceled', ended_at: '2026-03-01T12:00:36.95Z' } as const
    const told = [
      ['2026-03-01T12:00:36.9Z', subscription()],
      ['2026-03-01T13:00:36.95+01:00', subscription(ended)],
    ] as const
    for (const n of order) t.is((await say(told[n][0], [told[n][1]])).status, 'processed')
    const own = (await held())!
    t.is(own.status, 'canceled')
    t.is(own.ended_at, '2026-03-01T12:00:36.950Z')
    t.is(own.started_at, '2026-03-01T11:00:00.000Z')
    t.is(own.current_period_end, '2099-04-01T12:00:00.500Z')
    t.is(own.updated_at, '2026-03-01T12:00:36.950Z')
  })

for (const openDatabases of allDatabases)
  test(`${openDatabases.name}: two events of one millisecond are ordered by nanoseconds, and shown in milliseconds`, async (t) => {
    const database = await openDatabases()
    t.teardown(database.close)
    const { m, say } = await openPlain(t, { 'membership.database.url': await database.url() })
    const widths = ['36.95Z', '36.950000001Z', '36.950028+00:00', '36.950028001Z', '36.951Z']
    for (let later = 1; later < widths.length; later++)
      for (const order of [0, 1]) {
        const id = `s_${later}_${order}`
        const told = [
          [widths[later - 1]!, subscription({ id })],
          [widths[later]!, subscription({ id, status: 'canceled' })],
        ] as const
        for (const n of order === 0 ? [0, 1] : [1, 0])
          await say(`2026-03-01T12:00:${told[n]![0]}`, [{ ...told[n]![1], id }])
      }
    const user = await m.users.findByEmail('ann@example.com')
    const own = user?.subscriptions() ?? []
    t.is(own.length, 8)
    for (const { id, status, updated_at } of own) {
      t.is(status, 'canceled', id)
      t.regex(updated_at, /^2026-03-01T12:00:36\.95[01]Z$/)
    }
    const [event] = await m.webhooks.list()
    t.is(event?.occurred_at, '2026-03-01T12:00:36.950Z')
    t.is((await m.webhooks.get(String(event?.seq))).occurred_at, '2026-03-01T12:00:36.950Z')
    // Both widths stand in the database, and those of milliseconds as they always did.
    const rows = await m.storage.read((db) => db.selectFrom('subscriptions').select('at').orderBy('at'))
    t.deepEqual(
      [...new Set(rows.map(({ at }) => at.slice(20)))],
      ['950Z000001', '950Z028000', '950Z028001', '951Z'],
    )
  })

test('stored moments sort as text as they do in time, whatever their precision', (t) => {
  const digits = fc.stringMatching(/^(?:\.\d{1,9})?$/)
  const nanoseconds = (fraction: string) => Number(fraction.slice(1).padEnd(9, '0'))
  fc.assert(
    fc.property(digits, digits, (a, b) => {
      const [x, y] = [a, b].map((fraction) => fineMoment(`2026-03-01T12:00:36${fraction}Z`)!) as [
        string,
        string,
      ]
      t.is(Math.sign(nanoseconds(a) - nanoseconds(b)), x < y ? -1 : x > y ? 1 : 0, `${x} ${y}`)
      t.is(fineMoment(x), x)
    }),
  )
  t.is(fineMoment('soon'), null)
})

test('the payer may be part of the subscription if nothing else reports customers', async (t) => {
  const { m, say, held } = await openPlain(t)
  await say('2026-03-01T12:00:00Z', [subscription()])
  t.is((await held())?.price_id, 'p_1')
  t.is((await m.users.findByEmail('ann@example.com'))?.name, 'Ann')
})

test('an event without a mode has the configured one; one of the other mode is held', async (t) => {
  for (const livemode of [true, false]) {
    const { say, held } = await openPlain(t, own({ 'membership.providers.plain.livemode': livemode }))
    t.is((await say('2026-03-01T12:00:00Z', [subscription()], !livemode)).status, 'held')
    t.is(await held(), null)
    t.is((await say('2026-03-01T12:00:00Z', [subscription()])).status, 'processed')
    t.is((await held())?.livemode, livemode)
  }
})

test('objects found below another object are fetched there', async (t) => {
  const asked: Ref[] = []
  const { m, say } = await openPlain(t, {
    customProviders: [
      plain(async (ref) => {
        asked.push(ref)
        return null
      }),
    ],
  })
  await say('2026-03-01T12:00:00Z', [
    { type: 'touch', ref: { kind: 'subscription', id: 's_9', parent: 'c_9' } },
    { type: 'touch', ref: { kind: 'customer', id: 'c_9' } },
  ])
  await m.runDueJobs()
  t.deepEqual(
    asked.sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    [
      { kind: 'customer', id: 'c_9' },
      { kind: 'subscription', id: 's_9', parent: 'c_9' },
    ],
  )
})
