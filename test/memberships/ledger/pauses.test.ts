import test from 'ava'
import fc from 'fast-check'
import { deliver, openInstance, settings, shuffled, stateOf } from '../../support/converge.ts'
import { allDatabases } from '../../support/databases.ts'
import { start, stripeEvent, subscriptionItem, subscriptionObject } from '../../support/stripe-events.ts'

/** A snapshot of a subscription at an hour: it runs, is paused, or a pause is planned for the end of its period or later. */
interface Snapshot {
  readonly hour: number
  readonly kind: 'runs' | 'paused' | 'planned' | 'planned later'
}

function dayOf(day: number) {
  return new Date((start + day * 86_400) * 1000).toISOString()
}
const items = {
  data: [subscriptionItem({ current_period_start: start, current_period_end: start + 6 * 86_400 })],
}
// As the site plans one: a trial that begins when the paid period has ended.
function plannedFor(day: number) {
  return subscriptionObject({
    items,
    status: 'trialing',
    trial_end: start + 60 * 86_400,
    metadata: { membership_paid_period: `${dayOf(0)}/${dayOf(day)}` },
  })
}
const objects = {
  runs: subscriptionObject({ items }),
  paused: subscriptionObject({ items, status: 'paused' }),
  planned: plannedFor(6),
  'planned later': plannedFor(8),
}
function eventOf({ hour, kind }: Snapshot) {
  return stripeEvent('customer.subscription.updated', objects[kind], { created: start + hour * 3600 })
}
function momentOf(hour: number) {
  return new Date((start + hour * 3600) * 1000).toISOString()
}
function now() {
  return new Date((start + 30 * 86_400) * 1000)
}

const snapshots: fc.Arbitrary<Snapshot[]> = fc.uniqueArray(
  fc.record({
    hour: fc.integer({ min: 0, max: 240 }),
    kind: fc.constantFrom<Snapshot['kind'][]>('runs', 'runs', 'paused', 'planned', 'planned later'),
  }),
  { minLength: 2, maxLength: 16, selector: ({ hour }) => hour },
)

const runsOn = { sqlite: 40, postgres: 6 }

for (const open of allDatabases) {
  const name = open.name.startsWith('sqlite') ? 'sqlite' : 'postgres'
  let database: Awaited<ReturnType<typeof open>>
  test.before(`${name} is there`, async () => {
    database = await open()
  })
  test.after.always(`${name} goes`, () => database?.close())

  const endOf = async (events: readonly ReturnType<typeof eventOf>[]) => {
    const m = await openInstance(await database.url(), now)
    try {
      for (const event of events) await deliver(m, event)
      return (await stateOf(m)).subscriptions
    } finally {
      await m.close()
    }
  }
  const pausesOf = async (said: readonly Snapshot[]) =>
    (await endOf(said.map(eventOf))).map(({ pauses }) => pauses)

  test.serial(`${name}: pauses are the same in any order and repetition of events`, async (t) => {
    await fc.assert(
      fc.asyncProperty(snapshots, fc.integer({ min: 1 }), async (said, seed) => {
        const events = said.toSorted((a, b) => a.hour - b.hour).map(eventOf)
        t.deepEqual(await endOf(shuffled(events, seed)), await endOf(events))
      }),
      settings(runsOn[name]),
    )
  })

  test.serial(`${name}: a pause that was learnt late has the same beginning and end`, async (t) => {
    const said: Snapshot[] = [
      { hour: 0, kind: 'runs' },
      { hour: 30, kind: 'paused' },
      { hour: 40, kind: 'paused' },
      { hour: 75, kind: 'runs' },
      { hour: 100, kind: 'runs' },
      { hour: 200, kind: 'runs' },
    ]
    const pauses = [`${momentOf(30)}/${momentOf(75)}`]
    t.deepEqual(await pausesOf(said), pauses)
    t.deepEqual(await pausesOf(said.toReversed()), pauses)
    t.deepEqual(await pausesOf([...said.slice(3), ...said.slice(0, 3)]), pauses)
  })

  test.serial(`${name}: a planned pause that was called off leaves nothing`, async (t) => {
    const said: Snapshot[] = [
      { hour: 0, kind: 'runs' },
      { hour: 30, kind: 'planned' },
      { hour: 60, kind: 'runs' },
    ]
    t.deepEqual(await pausesOf(said.slice(0, 2)), [`${momentOf(6 * 24)}/`])
    t.deepEqual(await pausesOf(said), [null])
    t.deepEqual(await pausesOf(said.toReversed()), [null])
  })

  test.serial(`${name}: a begun pause does not begin again, a planned one may`, async (t) => {
    const begun: Snapshot[] = [
      { hour: 0, kind: 'runs' },
      { hour: 30, kind: 'planned' },
      { hour: 6 * 24 + 1, kind: 'planned later' },
    ]
    const moved: Snapshot[] = [...begun.slice(0, 2), { hour: 60, kind: 'planned later' }]
    for (const [said, day] of [
      [begun, 6],
      [moved, 8],
    ] as const)
      for (const order of [said, said.toReversed()]) {
        const [row] = await endOf(order.map(eventOf))
        t.is(row?.pauses, `${momentOf(day * 24)}/`)
        t.is((JSON.parse(String(row?.data)) as { paused_at: string }).paused_at, momentOf(day * 24))
      }
  })

  test.serial(`${name}: a day with many events keeps its first and its last`, async (t) => {
    const said = Array.from({ length: 20 }, (_, n): Snapshot => ({ hour: 24 + n / 60, kind: 'runs' }))
    const rows = await endOf(said.map(eventOf))
    t.is(rows[0]?.pause_moments, `;${momentOf(24)},${momentOf(24 + 19 / 60)}`)
    t.deepEqual(await endOf(shuffled(said.map(eventOf), 7)), rows)
  })
}
