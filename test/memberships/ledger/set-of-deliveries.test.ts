import { isDeepStrictEqual } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import type { Membership } from '../../../src/site/membership.ts'
import {
  deliver,
  openInstance,
  plansOfHistories,
  settings,
  shuffled,
  stateOf,
  withoutMembers,
} from '../../support/converge.ts'
import { allDatabases, sqliteDatabases, type TestDatabase } from '../../support/databases.ts'
import { stripeCorpus } from '../../support/stripe-corpus.ts'
import { createStripeModel, histories, type ModelEvent } from '../../support/stripe-model.ts'

// Theorem (a): without access to the provider's API the state is a function of the set of deliveries.

/** One way in which the same deliveries may come. */
interface Way {
  /** Shuffles and repeats; 0 leaves the order. */
  readonly shuffle: number
  readonly instances: 1 | 2
  /** How many are under way at a time. */
  readonly together: number
  /** Kept first, then applied from the inbox. */
  readonly held: boolean
}

const ways: fc.Arbitrary<Way> = fc.record({
  shuffle: fc.integer({ min: 1 }),
  instances: fc.constantFrom(1 as const, 2 as const),
  together: fc.integer({ min: 1, max: 8 }),
  held: fc.boolean(),
})

/** Endpoints choose their events: any subset may be the set. */
const subsets = fc.oneof(
  fc.constant<readonly RegExp[]>([]),
  fc.subarray([
    /^charge\.(succeeded|failed|refunded)/,
    /^payment_intent/,
    /^invoice/,
    /^customer\.created/,
    /^customer\.updated/,
    /^checkout/,
    /^refund/,
  ]),
)

function arranged(events: readonly ModelEvent[], { shuffle }: Way): ModelEvent[] {
  return shuffle === 0 ? [...events] : shuffled(events, shuffle)
}

async function run(url: string, events: readonly ModelEvent[], way: Way, now: () => Date) {
  const instances = await Promise.all(
    Array.from({ length: way.instances }, () => openInstance(url, now, plansOfHistories)),
  )
  try {
    await (way.held
      ? releaseAll(url, events, { way, now, instances })
      : deliverAll(arranged(events, way), way, instances))
    return await stateOf(instances[0]!)
  } finally {
    await Promise.all(instances.map((m) => m.close()))
  }
}

async function inTurns<T>(
  list: readonly T[],
  together: number,
  each: (item: T, i: number) => Promise<unknown>,
) {
  for (let from = 0; from < list.length; from += together)
    await Promise.all(list.slice(from, from + together).map((item, i) => each(item, from + i)))
}

function deliverAll(events: readonly ModelEvent[], { together }: Way, instances: readonly Membership[]) {
  return inTurns(events, together, (event, i) => deliver(instances[i % instances.length]!, event))
}

/** An instance of the other mode holds everything back; then it is released in that order. */
async function releaseAll(
  url: string,
  events: readonly ModelEvent[],
  { way, now, instances }: { way: Way; now: () => Date; instances: readonly Membership[] },
) {
  const other = await openInstance(url, now, {
    ...plansOfHistories,
    'membership.providers.stripe.livemode': true,
  })
  for (const event of events) await deliver(other, event)
  await other.close()
  const ids = new Set(arranged(events, way).map((event) => event.id))
  await inTurns([...ids], way.together, (id, i) => instances[i % instances.length]!.webhooks.release(id))
}

const plainWay: Way = { shuffle: 0, instances: 1, together: 1, held: false }

type State = Awaited<ReturnType<typeof stateOf>>

async function isSame(input: {
  database: TestDatabase
  events: readonly ModelEvent[]
  way: Way
  now: () => Date
  of?: (state: State) => object
}) {
  const { database, events, way, now, of = (state) => state } = input
  const inOrder = of(await run(await database.url(), events, plainWay, now))
  const otherwise = of(await run(await database.url(), events, way, now))
  if (!isDeepStrictEqual(otherwise, inOrder)) throw new Error(difference(inOrder, otherwise))
}

function difference(a: object, b: object): string {
  const [x, y] = [rowsOf(a), rowsOf(b)]
  return [
    ...x.filter((row) => !y.includes(row)).map((row) => `- ${row}`),
    ...y.filter((row) => !x.includes(row)).map((row) => `+ ${row}`),
  ].join('\n')
}

function rowsOf(state: object): string[] {
  return Object.entries(state).flatMap(([table, rows]) =>
    (rows as object[]).map((row) => `${table} ${JSON.stringify(row)}`),
  )
}

const runsOn = { sqlite: 250, postgres: 12 }

for (const open of allDatabases) {
  const name = open.name.startsWith('sqlite') ? 'sqlite' : 'postgres'
  const only = process.env.FC_DATABASE
  if (only && only !== name) continue

  test.serial(
    `${name}: any order, duplication and split over instances of the same deliveries ends equal`,
    async (t) => {
      const database = await open()
      try {
        await fc.assert(
          fc.asyncProperty(histories, subsets, ways, async (history, left, way) => {
            const model = createStripeModel(history.shape)
            for (const action of history.actions) model.act(action)
            const events = model.events.filter((event) => !left.some((type) => type.test(event.type)))
            // Whoever has an account keeps what was bought, whatever address the provider hears of later.
            const moved = history.actions.some((action) => action.do === 'address')
            await isSame({ database, events, way, now: model.now, ...(moved ? { of: withoutMembers } : {}) })
          }),
          settings(runsOn[name]),
        )
        t.pass()
      } finally {
        await database.close()
      }
    },
  )
}

// Whoever published the recordings gave several customers one address: the first of them to buy becomes the member.
test.serial('recorded events end equal in any order, duplicated and over two instances', async (t) => {
  const events = recorded(t)
  const now = () => new Date('2026-03-01T00:00:00Z')
  if (events === null) return
  const database = await sqliteDatabases()
  try {
    await fc.assert(
      fc.asyncProperty(ways, async (way) => isSame({ database, events, way, now, of: withoutMembers })),
      settings(8),
    )
    t.pass()
  } finally {
    await database.close()
  }
})

/** The public recordings, as of one mode. */
function recorded(t: ExecutionContext): ModelEvent[] | null {
  const corpus = stripeCorpus()
  if (corpus === null) {
    t.log('skipped: the recorded webhooks are not beside this folder')
    t.pass()
    return null
  }
  return corpus.map(({ body }) => {
    const event = JSON.parse(body.toString()) as ModelEvent & { detail?: ModelEvent }
    return { ...(event.detail ?? event), livemode: false }
  })
}
