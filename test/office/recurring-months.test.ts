import test from 'ava'
import fc from 'fast-check'
import { toTable } from '../../src/core/dto/csv.ts'
import type { Plan, SubscriptionData } from '../../src/core/dto/index.ts'
import { openStorage, type Storage } from '../../src/core/storage/index.ts'
import { createLedger } from '../../src/memberships/ledger/index.ts'
import { monthlyOf, monthsUntil } from '../../src/office/measures.ts'
import { countRecurring } from '../../src/office/recurring-count.ts'
import { movements, type RecurringMonth, recurringColumns } from '../../src/office/recurring-months.ts'
import type { SubscriptionChange } from '../../src/providers/contract.ts'
import { neighboursOn } from '../../src/site/assembly/doors.ts'
import { allDatabases } from '../support/databases.ts'

const now = new Date('2026-07-10T12:00:00.000Z')
const months = monthsUntil(now, 6)

/** A subscription as its provider shows it at a moment. */
function snapshot(
  id: string,
  at: string,
  more: Partial<SubscriptionData> & { customer?: string } = {},
): SubscriptionChange {
  const { customer = `cus_${id}`, ...data } = more
  return {
    type: 'subscription',
    id,
    at,
    stage: 'updated',
    data: {
      id,
      customer_id: customer,
      price_id: 'price_1',
      product_id: null,
      quantity: 1,
      items: [],
      status: 'active',
      provider_status: null,
      currency: 'EUR',
      unit_amount: 900,
      interval: 'month',
      interval_count: 1,
      started_at: '2026-01-05T00:00:00.000Z',
      trial_ends_at: null,
      current_period_start: null,
      current_period_end: null,
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      ended_at: null,
      paused_at: null,
      resumes_at: null,
      metadata: {},
      ...data,
    },
  }
}

type Told = readonly [provider: string, change: SubscriptionChange]

async function opened(url: string) {
  const storage = await openStorage({ url, synchronous: 'normal', pool: 2, now: () => now })
  const tell = async (told: readonly Told[]): Promise<void> => {
    const ledger = createLedger({
      neighbours: neighboursOn(storage),
      storage,
      now: () => now,
      canFetch: () => false,
      reports: false,
      keepsMonths: true,
      randomId: () => crypto.randomUUID(),
      rules: { create: true, roles: [] },
      livemode: () => true,
    })
    for (const [i, [provider, change]] of told.entries())
      await ledger.apply([change], { provider, account: '', id: `evt_${i}`, source: 'event', at: change.at! })
  }
  return { storage, tell }
}

function counted(storage: Pick<Storage, 'read'>, wanted = months): Promise<RecurringMonth[]> {
  return countRecurring({ storage, plans: () => [], inIso: ({ amount }) => amount, now: () => now }, wanted)
}

/** The months that changed, as text: `2026-03 EUR 900: new 900`. */
function briefly(rows: readonly RecurringMonth[]): string[] {
  return rows.flatMap((row) => {
    const moved = movements.filter((kind) => row[kind] !== 0).map((kind) => `${kind} ${row[kind]}`)
    return moved.length === 0 ? [] : [`${row.month} ${row.currency} ${row.end}: ${moved.join(', ')}`]
  })
}

async function told(t: { teardown(end: () => unknown): void }, events: readonly Told[]) {
  const database = await allDatabases[0]!()
  t.teardown(database.close)
  const { storage, tell } = await opened(await database.url())
  t.teardown(() => storage.close())
  await tell(events)
  return { storage, tell, rows: await counted(storage) }
}

test('a membership begins, grows, shrinks, pauses, returns and leaves; each month adds up', async (t) => {
  const { rows } = await told(t, [
    ['stripe', snapshot('s', '2026-01-05T00:00:00.000Z')],
    ['stripe', snapshot('s', '2026-02-03T00:00:00.000Z', { unit_amount: 2500 })],
    ['stripe', snapshot('s', '2026-03-03T00:00:00.000Z', { unit_amount: 900, quantity: 2 })],
    ['stripe', snapshot('s', '2026-04-03T00:00:00.000Z', { unit_amount: 900, status: 'paused' })],
    ['stripe', snapshot('s', '2026-05-03T00:00:00.000Z', { unit_amount: 900 })],
    [
      'stripe',
      snapshot('s', '2026-06-20T00:00:00.000Z', {
        status: 'canceled',
        ended_at: '2026-06-20T00:00:00.000Z',
        canceled_at: '2026-06-20T00:00:00.000Z',
      }),
    ],
  ])
  t.deepEqual(briefly(rows), [
    '2026-01 EUR 900: new 900',
    '2026-02 EUR 2500: expansion 1600',
    '2026-03 EUR 1800: contraction -700',
    '2026-04 EUR 0: churn -1800',
    '2026-05 EUR 900: reactivation 900',
    '2026-06 EUR 0: churn -900',
  ])
  for (const row of rows)
    t.is(
      movements.reduce((sum, kind) => sum + row[kind], row.start),
      row.end,
    )
})

test('a month without an event has the terms of the month before, however long ago', async (t) => {
  const { storage, rows } = await told(t, [
    [
      'stripe',
      snapshot('s', '2025-03-01T00:00:00.000Z', {
        unit_amount: 12_000,
        interval: 'year',
        started_at: '2025-03-01T00:00:00.000Z',
      }),
    ],
    [
      'stripe',
      snapshot('s', '2026-03-01T00:00:00.000Z', {
        unit_amount: 24_000,
        interval: 'year',
        started_at: '2025-03-01T00:00:00.000Z',
      }),
    ],
  ])
  t.deepEqual(briefly(rows), ['2026-03 EUR 2000: expansion 1000'])
  t.is(rows[0]!.start, 1000, 'a yearly price is divided by twelve')
  const long = await counted(storage, monthsUntil(now, 24))
  t.deepEqual(briefly(long), ['2025-03 EUR 1000: new 1000', '2026-03 EUR 2000: expansion 1000'])
})

test('a move to another provider and a second membership of one person are neither new nor churn', async (t) => {
  const { storage, tell } = await told(t, [
    ['stripe', snapshot('a', '2026-01-05T00:00:00.000Z')],
    [
      'stripe',
      snapshot('a', '2026-03-30T00:00:00.000Z', { status: 'canceled', ended_at: '2026-03-30T00:00:00.000Z' }),
    ],
    [
      'paddle',
      snapshot('b', '2026-04-02T00:00:00.000Z', {
        unit_amount: 1000,
        started_at: '2026-04-02T00:00:00.000Z',
      }),
    ],
  ])
  const owned = (member: string) =>
    storage.read((db) => db.updateTable('customers').set({ member_id: member }).where('provider', '!=', ''))
  t.deepEqual(briefly(await counted(storage)), [
    '2026-01 EUR 900: new 900',
    '2026-03 EUR 0: churn -900',
    '2026-04 EUR 1000: new 1000',
  ])
  await owned('m_1')
  t.deepEqual(
    briefly(await counted(storage)),
    ['2026-01 EUR 900: new 900', '2026-03 EUR 0: churn -900', '2026-04 EUR 1000: reactivation 1000'],
    'merged accounts are one person in all months',
  )
  await storage.read((db) =>
    db.insertInto('switches').values({
      provider: 'stripe',
      account: '',
      id: 'a',
      to_provider: 'paddle',
      until: '2026-03-30T00:00:00.000Z',
      price_id: null,
      state: 'ending',
      round: 1,
      updated_at: '2026-03-01T00:00:00.000Z',
    }),
  )
  t.deepEqual(
    briefly(await counted(storage)),
    ['2026-01 EUR 900: new 900', '2026-04 EUR 1000: expansion 100'],
    'a switch of the site leaves no gap',
  )
  await tell([
    ['paddle', snapshot('c', '2026-05-02T00:00:00.000Z', { started_at: '2026-05-02T00:00:00.000Z' })],
  ])
  await owned('m_1')
  t.deepEqual(briefly(await counted(storage)).at(-1), '2026-05 EUR 1900: expansion 900')
})

test('trials, free and unpaid memberships count nothing; another currency is neither new nor churn', async (t) => {
  const { storage } = await told(t, [
    [
      'stripe',
      snapshot('t', '2026-01-05T00:00:00.000Z', {
        status: 'trialing',
        trial_ends_at: '2026-02-05T00:00:00.000Z',
      }),
    ],
    ['stripe', snapshot('t', '2026-02-05T00:00:00.000Z', { trial_ends_at: '2026-02-05T00:00:00.000Z' })],
    ['stripe', snapshot('t', '2026-03-05T00:00:00.000Z', { status: 'past_due' })],
    ['stripe', snapshot('t', '2026-04-05T00:00:00.000Z', { status: 'unpaid' })],
    ['stripe', snapshot('free', '2026-01-05T00:00:00.000Z', { unit_amount: 0 })],
    ['stripe', snapshot('euro', '2026-01-05T00:00:00.000Z', { customer: 'cus_x' })],
    [
      'stripe',
      snapshot('euro', '2026-05-05T00:00:00.000Z', {
        customer: 'cus_x',
        status: 'canceled',
        ended_at: '2026-05-05T00:00:00.000Z',
      }),
    ],
    [
      'stripe',
      snapshot('dollar', '2026-05-05T00:00:00.000Z', {
        customer: 'cus_x',
        currency: 'USD',
        started_at: '2026-05-05T00:00:00.000Z',
      }),
    ],
  ])
  t.deepEqual(briefly(await counted(storage)), [
    '2026-01 EUR 900: new 900',
    '2026-02 EUR 1800: new 900',
    '2026-04 EUR 900: churn -900',
    '2026-05 EUR 0: contraction -900',
    '2026-05 USD 900: expansion 900',
  ])
})

test('memberships from before their months were kept count from the beginning of their paid time', async (t) => {
  const { storage } = await told(t, [
    ['stripe', snapshot('a', '2026-06-05T00:00:00.000Z', { started_at: '2026-02-10T00:00:00.000Z' })],
    [
      'stripe',
      snapshot('b', '2026-06-05T00:00:00.000Z', {
        status: 'canceled',
        started_at: '2026-01-10T00:00:00.000Z',
        ended_at: '2026-03-10T00:00:00.000Z',
      }),
    ],
  ])
  t.deepEqual(briefly(await counted(storage)), [
    '2026-01 EUR 900: new 900',
    '2026-02 EUR 1800: new 900',
    '2026-03 EUR 900: churn -900',
  ])
})

test('rounded months add up to the cent, and the table writes major units', async (t) => {
  const yearly = { unit_amount: 1000, interval: 'year' as const }
  const { rows } = await told(t, [
    ...[1, 2, 3].map(
      (n): Told => [
        'stripe',
        snapshot(`y${n}`, `2026-0${n}-02T00:00:00.000Z`, {
          ...yearly,
          started_at: `2026-0${n}-01T00:00:00.000Z`,
        }),
      ],
    ),
  ])
  t.deepEqual(
    rows.slice(0, 3).map(({ start, new: begun, end }) => [start, begun, end]),
    [
      [0, 83, 83],
      [83, 84, 167],
      [167, 83, 250],
    ],
  )
  t.deepEqual(toTable(recurringColumns, rows)[2], [
    '2026-02',
    'EUR',
    '0.83',
    '0.84',
    '0.00',
    '0.00',
    '0.00',
    '0.00',
    '1.67',
  ])
})

function eventsOf(n: number): Told[] {
  return Array.from({ length: n }, (_, i): Told[] => {
    const at = (month: number, day: number, second = 0) =>
      `2026-0${month}-${String(day).padStart(2, '0')}T00:00:${String(second).padStart(2, '0')}.000Z`
    const [id, provider] = [`s${i}`, i % 2 === 0 ? 'stripe' : 'paddle']
    return [
      [provider, snapshot(id, at(1, 5 + i))],
      [provider, snapshot(id, at(2, 28), { unit_amount: 2500 })],
      // Two of one second, of which neither says that it is later.
      [provider, snapshot(id, at(2, 28, 9), { unit_amount: 900, quantity: 2 })],
      [provider, snapshot(id, at(2, 28, 9), { unit_amount: 900, quantity: 3 })],
      [provider, snapshot(id, at(4, 1), { unit_amount: 900, status: 'past_due' })],
      [provider, snapshot(id, at(5, 1), { unit_amount: 900, ...(i % 3 === 0 ? { status: 'unpaid' } : {}) })],
      [provider, snapshot(id, at(6, 1), { unit_amount: 900, quantity: 4 })],
    ]
  }).flat()
}

/** All orders of some events. */
function ordersOf<T>(all: readonly T[]): T[][] {
  return all.length < 2
    ? [[...all]]
    : all.flatMap((first) => ordersOf(all.filter((e) => e !== first)).map((rest) => [first, ...rest]))
}

test('a change within the millisecond of a renewal counts in its month, in each order of events', async (t) => {
  // Paddle's `updated_at` has microseconds. The renewal and the change are of one millisecond.
  const events: Told[] = [
    ['paddle', snapshot('s', '2026-02-12T12:00:00.000019Z')],
    ['paddle', snapshot('s', '2026-03-12T12:00:00.000002Z')],
    ['paddle', snapshot('s', '2026-03-12T12:00:00.000020Z', { unit_amount: 2500 })],
    ['paddle', snapshot('s', '2026-04-12T12:00:00.000002Z', { unit_amount: 2500 })],
  ]
  for (const order of ordersOf(events)) {
    const { rows } = await told(t, [...order, order[0]!])
    t.deepEqual(briefly(rows), ['2026-01 EUR 900: new 900', '2026-03 EUR 2500: expansion 1600'])
  }
})

test('a change within the second of a renewal counts in its month, in each order of events', async (t) => {
  // Stripe's events have seconds, and state what they changed.
  const changing = (from: Partial<SubscriptionData>, to: Partial<SubscriptionData>): Told => {
    const at = '2026-03-12T12:00:00.000Z'
    return ['stripe', { ...snapshot('s', at, to), before: snapshot('s', at, from).data }]
  }
  const [old, renewed] = ['2026-03-12T12:00:00.000Z', '2026-04-12T12:00:00.000Z']
  const changes: Told[][] = [
    [
      changing({ current_period_end: old }, { current_period_end: renewed }),
      changing({ current_period_end: renewed }, { current_period_end: renewed, unit_amount: 2500 }),
    ],
    [
      changing({ current_period_end: old }, { current_period_end: old, unit_amount: 2500 }),
      changing(
        { current_period_end: old, unit_amount: 2500 },
        { current_period_end: renewed, unit_amount: 2500 },
      ),
    ],
  ]
  for (const both of changes) {
    const events: Told[] = [
      ['stripe', snapshot('s', '2026-02-12T12:00:00.000Z')],
      ...both,
      ['stripe', snapshot('s', '2026-04-12T12:00:00.000Z', { unit_amount: 2500 })],
    ]
    for (const order of ordersOf(events)) {
      const { rows } = await told(t, [...order, order[0]!])
      t.deepEqual(briefly(rows), ['2026-01 EUR 900: new 900', '2026-03 EUR 2500: expansion 1600'])
    }
  }
})

for (const open of allDatabases)
  test(`${open.name}: late, repeated and shuffled events give the same months`, async (t) => {
    const database = await open()
    t.teardown(database.close)
    const all = eventsOf(3)
    const inOrder = await opened(await database.url())
    await inOrder.tell(all)
    const wanted = await counted(inOrder.storage)
    await inOrder.storage.close()
    t.true(briefly(wanted).length >= 5, briefly(wanted).join('\n'))
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(all, { minLength: all.length }),
        fc.subarray(all),
        async (shuffled, again) => {
          const { storage, tell } = await opened(await database.url())
          await tell([...shuffled.slice(0, 9), ...again, ...shuffled.slice(9)])
          const rows = await counted(storage)
          await storage.close()
          t.deepEqual(rows, wanted)
        },
      ),
      { numRuns: 5 },
    )
  })

test('a period that does not say its rhythm counts by the plan, and not at all where no plan says it', (t) => {
  const { data } = snapshot('s', '2026-01-05T00:00:00.000Z', { interval: null, unit_amount: 12_000 })
  const price = { id: 'price_1', interval: 'year', interval_count: 1, amount: 12_000, currency: 'EUR' }
  const plans = [{ id: 'pro', prices: [price] }] as unknown as readonly Plan[]
  t.is(monthlyOf(data as SubscriptionData, plans), 1000)
  t.is(monthlyOf(data as SubscriptionData, []), 0, 'a year is not twelve months’ money')
  const monthly = { ...data, interval: 'month' } as SubscriptionData
  t.is(monthlyOf(monthly, plans), 12_000, 'what the provider says counts')
})
