import { isDeepStrictEqual } from 'node:util'
import {
  addCustomer,
  cancelSubscription,
  changeSubscription,
  type FakeServer,
} from '../../../src/fakes/engine/index.ts'
import { createMembership, type Membership, type MembershipOptions } from '../../../src/index.ts'
import { atNewest } from '../../support/databases.ts'
import { holdings } from '../../support/holdings.ts'
import { type Chance, createChance } from '../chance.ts'
import type { Seller } from '../sellers.ts'
import { openShop, settingsOf } from '../year-site.ts'
import { priceOf, stock, type Word } from './account.ts'
import { buyByLink, hasItems, payByHand, startByHand } from './cases.ts'
import { start } from './year.ts'

/** At which provider, and in how many ways its deliveries come. */
export interface OrdersOptions {
  readonly seller: Seller
  readonly seed: string
  readonly ways: number
  /** Makes a fresh, empty database. */
  database(): Promise<string>
}

/** One way in which the same deliveries come. */
interface Way {
  /** Indexes of deliveries in the order in which they arrive; some arrive several times. */
  readonly order: readonly number[]
  /** How many deliveries arrive at once. */
  readonly together: number
  /** Before which delivery the plan is there, and the provider’s catalogue can be read. */
  readonly planAt: number
  readonly readAt: number
  /** Before which deliveries the jobs run. */
  readonly jobsAt: ReadonlySet<number>
}

/** All deliveries of a small account that sells for several shops. Each arrival is signed anew. */
interface Recorded {
  readonly seller: Seller
  readonly fake: FakeServer
  readonly deliveries: readonly Delivery[]
}

interface Delivery {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Any order, repetition and split of the same deliveries, the catalogue read before, between or after them, and the plan
 * added before or after: each leaves the same rows. Returns what differs.
 */
export async function playShopOrders(options: OrdersOptions): Promise<readonly string[]> {
  const { seller, seed, ways, database } = options
  const recorded = await record(options)
  const broken: string[] = []
  try {
    const { length } = recorded.deliveries
    const straight = await endOf(recorded, straightWay(length), await atNewest(await database()))
    for (let n = 0; n < ways; n++) {
      const chance = createChance(`${seed} ${n}`, `orders at ${seller.key}`)
      const way = n === 0 ? subscriptionsLast(recorded) : drawWay(chance, length)
      const end = await endOf(recorded, way, await atNewest(await database()))
      if (isDeepStrictEqual(end, straight)) continue
      broken.push(`${seller.key}: any order: way ${n} of seed ${seed}: ${differenceOf(straight, end)}`)
    }
    return broken
  } finally {
    await recorded.fake.close()
  }
}

const site = 'http://site.test'

/** Lets a small account sell for a month, and records every delivery. */
async function record({ seller, seed }: OrdersOptions): Promise<Recorded> {
  const deliveries: Delivery[] = []
  const keep = async (request: Request): Promise<Response> => {
    const body = Buffer.from(await request.arrayBuffer())
    deliveries.push({ body, headers: Object.fromEntries(request.headers) })
    return new Response(null, { status: 200 })
  }
  const fake = await openShop(seller, { seed, start, site, fetch: keep })
  stock(fake, seller)
  await sellAll(seller, fake)
  await fake.deliver({ settle: true })
  return { seller, fake, deliveries }
}

/** This site's buyer, one of another shop, a customer of both, things bought once, and a charge without a price. */
async function sellAll(seller: Seller, fake: FakeServer): Promise<void> {
  const bought = (email: string, ...purchases: readonly (readonly Word[])[]) =>
    fake.act((world) => {
      const { id: customer } = addCustomer(world, { email })
      return purchases.map((words) => buyByLink(world, { seller, customer, words }))
    })
  await bought('ours@example.com', ['month'])
  await bought('both@example.com', ['team'], ['club'])
  await bought('book@example.com', ['book'])
  const [club] = await bought('club@example.com', ['club'])
  await fake.advance({ ms: 5000 })
  await bought('shirt@example.com', ['shirt'])
  if (hasItems(seller)) await bought('mixed@example.com', ['month', 'club'])
  // Each month’s invoice is for the other shop’s item alone.
  if (seller.key === 'stripe')
    await fake.act((world) => {
      const { id: customer } = addCustomer(world, { email: 'intervals@example.com' })
      startByHand(world, { seller, customer, words: ['year', 'club'] })
    })
  let grows: string | null = null
  if (seller.key === 'stripe')
    await fake.act((world) => {
      const { id: customer } = addCustomer(world, { email: 'grows@example.com' })
      grows = startByHand(world, { seller, customer, words: ['month'] })
    })
  if (seller.key === 'stripe')
    await fake.act((world) => {
      const email = 'by-hand@example.com'
      payByHand(world, addCustomer(world, { email }).id, email)
    })
  await fake.advance({ days: 10 })
  // The other shop’s item joins later, and is billed at once: the payment for it alone may be known before the item.
  const growing = grows
  if (growing !== null)
    await fake.act((world) => {
      const items = [{ price: world.store.get('price', priceOf(seller, 'club')), quantity: 1 }]
      changeSubscription(world, world.store.get('subscription', growing), { items, prorates: 'now' })
    })
  const refund = (email: string) => {
    const customer = fake.books.list('customer').find((each) => each.email === email)?.id
    const charge = fake.books.list('charge').find((each) => each.customer === customer)
    if (charge !== undefined) fake.refund(charge.id)
  }
  refund('shirt@example.com')
  await fake.advance({ ms: 5000 })
  refund('book@example.com')
  await fake.advance({ days: 24 })
  await fake.act((world) => cancelSubscription(world, world.store.get('subscription', club!)))
  await fake.advance({ ms: 5_400_000 })
}

function straightWay(length: number): Way {
  return {
    order: Array.from({ length }, (_, n) => n),
    together: 1,
    planAt: 0,
    readAt: 0,
    jobsAt: new Set(),
  }
}

// Every message about a subscription, whatever the provider calls its kind.
const aboutSubscription =
  /"(?:type|event_type|eventType)":\s*"[^"]*subscription\.|"event_name":\s*"subscription_(?!payment)/i

/** All payments come before what they pay for, and then the subscriptions as they happened. */
function subscriptionsLast({ deliveries }: Recorded): Way {
  const isLate = (n: number) => aboutSubscription.test(deliveries[n]!.body.toString())
  const all = [...deliveries.keys()]
  const order = [...all.filter((n) => !isLate(n)), ...all.filter(isLate)]
  return { order, together: 1, planAt: 0, readAt: 0, jobsAt: new Set() }
}

function drawWay(chance: Chance, length: number): Way {
  const order = Array.from({ length }, (_, n) => n).flatMap((n) => {
    const places = [chance.number(0, 1_000_000), ...(chance.one(0.2) ? [chance.number(0, 1_000_000)] : [])]
    return places.map((place) => ({ n, place }))
  })
  order.sort((a, b) => a.place - b.place)
  const last = order.length
  const anywhere = () => chance.of([0, chance.number(1, last - 1), last])
  return {
    order: order.map(({ n }) => n),
    together: chance.of([1, 1, 4]),
    planAt: anywhere(),
    readAt: anywhere(),
    jobsAt: new Set(Array.from({ length: chance.number(0, 4) }, () => chance.number(0, last))),
  }
}

/** What is stored once the deliveries came in this way, over two processes. */
async function endOf(recorded: Recorded, way: Way, database: string) {
  const { seller, fake, deliveries } = recorded
  const begin = (isSold: boolean) =>
    Promise.all([0, 1].map(() => createMembership(settingsWith(recorded, { database, isSold }))))
  let endOutage: (() => void) | null = way.readAt === 0 ? null : fake.outage({ kind: '503' })
  let processes = await begin(way.planAt === 0)
  const close = () => Promise.all(processes.map((m) => m.close()))
  const read = async (): Promise<void> => {
    endOutage?.()
    endOutage = null
    await processes[0]!.operator.catalogue.refresh(seller.key)
  }
  try {
    for (let at = 0; at <= way.order.length; at += way.together) {
      const isNow = (moment: number): boolean => moment >= at && moment < at + way.together
      if (isNow(way.planAt) && way.planAt > 0) {
        await close()
        processes = await begin(true)
      }
      if (isNow(way.readAt)) await read()
      if ([...way.jobsAt].some(isNow)) await processes[at % 2]!.runDueJobs()
      const arriving = way.order.slice(at, at + way.together)
      await Promise.all(
        arriving.map((n, i) => {
          const { webhooks } = processes[(at + i) % 2]!
          const { body, headers } = deliveries[n]!
          // Only PayPal can sign as PayPal does, and the age of its signature counts nowhere.
          const signed = seller.key === 'paypal' ? headers : webhooks.sign(seller.key, body)
          return webhooks.receive(seller.key, { body, headers: signed })
        }),
      )
    }
    await settle(fake, processes)
    return await stored(processes[0]!)
  } finally {
    endOutage?.()
    await close()
  }
}

/** Lets both processes work until nothing waits to be asked or tried again, and a change of the offer is known to both. */
async function settle(fake: FakeServer, processes: readonly Membership[]): Promise<void> {
  const [first] = processes
  for (let round = 0; ; round++) {
    await fake.advance({ ms: round === 0 ? 5000 : round === 3 ? 1_600_000 : round * 30_000 })
    for (const m of processes) await m.runDueJobs()
    const [asked] = await first!.storage.read((db) => db.selectFrom('fetches').select('id').limit(1))
    const [kept] = await first!.storage.read((db) =>
      db.selectFrom('events').select('seq').where('next_try_at', 'is not', null).limit(1),
    )
    if (round >= 12 || (round > 4 && asked === undefined && kept === undefined)) return
  }
}

interface SettingsOptions {
  readonly database: string
  /** True once the plan that opens `pro` is configured. */
  readonly isSold: boolean
}

function settingsWith({ seller, fake }: Recorded, { database, isSold }: SettingsOptions) {
  const own = settingsOf({ seller, fake })
  const { book } = own.plans
  return {
    'membership.database.url': database,
    'membership.database.synchronous': 'normal',
    'membership.url': site,
    'membership.provider.handler': seller.key,
    [`membership.providers.${seller.key}`]: { ...own, plans: isSold ? own.plans : { book } },
    'membership.secret': 'a secret of the simulation, long enough',
    'membership.compare.automatic': false,
    install: false,
    root: false,
    now: fake.now,
    log: () => {},
    mails: { transport: async () => {} },
  } as MembershipOptions
}

/** Every row that tells of a purchase or of a person, without what counts writes or names the way it came. */
async function stored(m: Membership) {
  const others = await m.storage.read((db) =>
    db
      .selectFrom('other_subscriptions')
      .select(['id', 'owner_id', 'status', 'price_id', 'data', 'items', 'ending', 'seen'])
      .orderBy('id'),
  )
  const members = await m.storage.read((db) =>
    db.selectFrom('members').select(['email', 'email_verified', 'name', 'roles']).orderBy('email'),
  )
  const users = await Promise.all(
    members.map(async ({ email }) => {
      const user = email === null ? null : await m.users.findByEmail(email)
      return [email, ['pro', 'team', 'book'].filter((gate) => user?.hasGate(gate as never))]
    }),
  )
  const shown = others.map(({ data, ...row }) => {
    const { updated_at: _, ...rest } = JSON.parse(data)
    return { ...row, data: rest }
  })
  return { ...(await holdings(m)), others: shown, members, users }
}

/** The fields in which rows differ, by table and row. */
function differenceOf(straight: object, other: object): string {
  const [a, b] = [fieldsOf(straight), fieldsOf(other)]
  return [...new Set([...a.keys(), ...b.keys()])]
    .filter((path) => a.get(path) !== b.get(path))
    .slice(0, 12)
    .map((path) => `\n${path}: ${a.get(path)} and ${b.get(path)}`)
    .join('')
}

function fieldsOf(of: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof of !== 'object' || of === null) return into.set(path, String(of))
  for (const [key, value] of Object.entries(of)) {
    const { id = null, customer_id = null } = (value ?? {}) as { id?: string; customer_id?: string }
    fieldsOf(value, `${path} ${Array.isArray(of) ? (id ?? customer_id ?? key) : key}`, into)
  }
  return into
}
