import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import fc from 'fast-check'
import type { Shop } from '../../../src/core/access/index.ts'
import { openStorage, step } from '../../../src/core/storage/index.ts'
import { createForgetting, createLedger } from '../../../src/memberships/ledger/index.ts'
import { createReconsidering } from '../../../src/memberships/sync/reconsidering.ts'
import type { Change, MoneyFact, SubscriptionSnapshot } from '../../../src/providers/contract.ts'
import { neighboursOn } from '../../../src/site/assembly/doors.ts'
import { settings } from '../../support/converge.ts'

// One account of a provider that sells for several shops. Expectations come from the rule, not from the rows.

const begin = Date.parse('2026-03-01T00:00:00.000Z')
function at(seconds: number): string {
  return new Date(begin + seconds * 1000).toISOString()
}

function shop(more: Partial<Shop> = {}): Shop {
  return {
    accepts: 'plans',
    prices: new Set(['price_pro', 'price_book']),
    products: new Set(['price_pro', 'price_book', 'prod_pro']),
    listed: new Map([
      ['price_pro', 'prod_pro'],
      ['price_book', 'prod_book'],
      ['price_app', 'prod_app'],
      ['price_shirt', 'prod_shirt'],
    ]),
    isOpen: false,
    ...more,
  }
}
/** Before its catalogue was read: a name may be a look-up key. */
const unread = shop({ products: new Set(['price_pro', 'price_book']), listed: new Map(), isOpen: true })
/** Before the plans had the price. */
const without = shop({ prices: new Set(['price_book']), products: new Set(['price_book']) })

function subscription(id: string, price_id: string, more: Partial<SubscriptionSnapshot> = {}): Change {
  return {
    type: 'subscription',
    id,
    stage: 'updated',
    data: {
      id,
      customer_id: `cus_${id}`,
      price_id,
      product_id: price_id.replace('price', 'prod'),
      quantity: 1,
      items: [
        {
          id: `si_${id}`,
          price_id,
          product_id: price_id.replace('price', 'prod'),
          quantity: 1,
          current_period_start: at(0),
          current_period_end: at(30 * 86_400),
        },
      ],
      status: 'active',
      provider_status: 'active',
      currency: 'EUR',
      unit_amount: 900,
      interval: 'month',
      interval_count: 1,
      started_at: at(0),
      trial_ends_at: null,
      current_period_start: at(0),
      current_period_end: at(30 * 86_400),
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
      ended_at: null,
      paused_at: null,
      resumes_at: null,
      scheduled_change: null,
      livemode: false,
      metadata: {},
      ...more,
    } as SubscriptionSnapshot,
  }
}
function money(kind: 'payment' | 'checkout' | 'refund', id: string, data: Partial<MoneyFact>): Change {
  return {
    type: 'money',
    kind,
    id,
    stage: 'updated',
    data: { id, refs: [], state: 'paid', amount: 900, currency: 'EUR', ...data },
  }
}
function customer(id: string): Change {
  return {
    type: 'customer',
    id,
    stage: 'updated',
    data: { id, email: `${id}@example.com`, name: id, deleted: false },
  }
}

/** An event: its second, and its changes. */
type Event = readonly [second: number, changes: readonly Change[]]

const events: readonly Event[] = [
  [1, [customer('cus_pro')]],
  [2, [subscription('pro', 'price_pro')]],
  [3, [money('payment', 'in_pro', { subscription_id: 'pro', customer_id: 'cus_pro' })]],
  // The charge names nothing but its invoice.
  [4, [money('payment', 'ch_pro', { refs: [{ kind: 'payment', id: 'in_pro' }], customer_id: 'cus_pro' })]],
  [5, [customer('cus_app')]],
  [6, [subscription('app', 'price_app')]],
  [7, [money('payment', 'in_app', { subscription_id: 'app', customer_id: 'cus_app' })]],
  [8, [money('refund', 're_app', { refs: [{ kind: 'payment', id: 'in_app' }], state: 'succeeded' })]],
  // It began with our price, and the dashboard moved it to another.
  [9, [customer('cus_moved')]],
  [10, [subscription('moved', 'price_pro')]],
  [11, [subscription('moved', 'price_app')]],
  [12, [money('payment', 'in_moved', { subscription_id: 'moved', customer_id: 'cus_moved' })]],
  // Bought once: a book of ours, a shirt of theirs, and a coffee that nobody explains.
  [
    13,
    [
      money('checkout', 'cs_book', {
        price_id: 'price_book',
        email: 'book@example.com',
        purpose: 'one_time',
      }),
    ],
  ],
  [14, [money('payment', 'pi_book', { refs: [{ kind: 'checkout', id: 'cs_book' }] })]],
  [
    15,
    [
      money('checkout', 'cs_shirt', {
        price_id: 'price_shirt',
        email: 'shirt@example.com',
        purpose: 'one_time',
      }),
    ],
  ],
  [
    16,
    [
      money('payment', 'pi_shirt', {
        refs: [{ kind: 'checkout', id: 'cs_shirt' }],
        email: 'shirt@example.com',
      }),
    ],
  ],
  [17, [money('payment', 'pi_coffee', { email: 'coffee@example.com' })]],
]

/** The changes that a provider answers when it is asked for an object. */
type Answers = (kind: string, id: string) => readonly Change[]

async function open(first: Shop, answers: Answers | null = null) {
  let passed = 3_600_000
  const now = () => new Date(begin + passed)
  const storage = await openStorage({ url: 'sqlite::memory:', synchronous: 'normal', pool: 1, now })
  let sold = first
  let made = 0
  const make = () =>
    createLedger({
      neighbours: neighboursOn(storage),
      storage,
      now,
      shopOf: () => sold,
      canFetch: () => answers !== null,
      reports: true,
      rules: { create: true, roles: ['member'] },
      randomId: () => `member_${++made}`,
    })
  const [ledger, other] = [make(), make()]
  const reconsidering = createReconsidering({ storage, ledger, now, shopOf: () => sold, providers: ['acme'] })
  const forgetting = createForgetting({
    storage,
    ledger,
    now,
    providers: ['acme'],
    events: neighboursOn(storage).events,
  })
  /** Asks the provider for what the ledger needs. */
  const ask = async () => {
    for (let round = 0; round < 3; round++)
      for (const fetch of await storage.read((db) => db.selectFrom('fetches').selectAll())) {
        const { kind, id } = fetch
        await storage.commit([step(ledger.statements.fetchDone, fetch)])
        const at = new Date(begin + ++passed).toISOString()
        const origin = {
          provider: 'acme',
          account: '',
          source: 'fetch' as const,
          id: `fetch:${kind}:${id}`,
          at,
        }
        await ledger.apply(answers?.(kind, id) ?? [], origin)
      }
  }
  /** Every text that is stored, of every table that names people. */
  const stored = async (): Promise<string> => {
    const rows = await Promise.all(
      (['customers', 'facts', 'payments', 'other_subscriptions', 'other_people'] as const).map((table) =>
        storage.read((db) => db.selectFrom(table).selectAll()),
      ),
    )
    return JSON.stringify(rows)
  }
  const told = async () =>
    (await storage.read((db) => db.selectFrom('notify_queue').select('owner_id').orderBy('owner_id'))).map(
      ({ owner_id }) => owner_id,
    )
  return {
    storage,
    ledger,
    told,
    ask,
    stored,
    /** As an earlier version left it. */
    unnote: storage.prepare<Record<never, never>>('test-unnote', (db) => db.deleteFrom('other_people')),
    forget: () => forgetting.runDue(),
    pass: (days: number): void => {
      passed += days * 86_400_000
    },
    close: () => storage.close(),
    /** Delivers one event, to either process. */
    tell: ([second, changes]: Event, process = 0) =>
      (process === 0 ? ledger : other).apply(changes, {
        provider: 'acme',
        account: '',
        source: 'event' as const,
        id: `evt_${second}`,
        at: at(second),
      }),
    sell: async (next: Shop) => {
      sold = next
      await reconsidering.runDue()
    },
    /** Delivers to a process that knows another offer. */
    tellWith: async (view: Shop, event: Event) => {
      const current = sold
      sold = view
      await ledger.apply(event[1], {
        provider: 'acme',
        account: '',
        source: 'event' as const,
        id: `evt_${event[0]}`,
        at: at(event[0]),
      })
      sold = current
    },
    reconsider: () => reconsidering.runDue(),
    /** Another offer, before anybody asked again about what waits. */
    change: (next: Shop): void => {
      sold = next
    },
    state: async () => {
      const owned = await storage.read((db) =>
        db
          .selectFrom('customers as c')
          .innerJoin('members as m', 'm.id', 'c.member_id')
          .select(['c.customer_id', 'm.email'])
          .orderBy('c.customer_id'),
      )
      const members = await storage.read((db) => db.selectFrom('members').select('email').orderBy('email'))
      const payments = await storage.read((db) => db.selectFrom('payments').selectAll().orderBy('id'))
      const subscriptions = await storage.read((db) =>
        db.selectFrom('subscriptions').selectAll().orderBy('id'),
      )
      const others = await storage.read((db) =>
        db.selectFrom('other_subscriptions').selectAll().orderBy('id'),
      )
      return {
        owned,
        members: members.map(({ email }) => email),
        payments: payments.map(({ revision: _, ...row }) => row),
        subscriptions: subscriptions.map(({ revision: _, ...row }) => row),
        others: others.map(({ revision: _, ...row }) => row),
      }
    },
  }
}

test('only what the plans name makes members; the rest waits where nothing reads it', async (t) => {
  const site = await open(shop())
  for (const event of events) await site.tell(event)
  const state = await site.state()
  t.deepEqual(state.members, ['book@example.com', 'cus_moved@example.com', 'cus_pro@example.com'])
  t.deepEqual(
    state.subscriptions.map(({ id }) => id),
    ['moved', 'pro'],
  )
  t.deepEqual(
    state.others.map(({ id }) => id),
    ['app'],
  )
  t.deepEqual(
    state.payments.map(({ id, status }) => [id, status]),
    [
      ['ch_pro', 'paid'],
      ['in_app', 'waiting'],
      ['in_moved', 'paid'],
      ['pi_book', 'paid'],
      ['pi_coffee', 'waiting'],
      ['pi_shirt', 'waiting'],
    ],
  )
  await site.close()
})

test('of another shop’s purchase, the buyer’s name and address and the shop’s notes are not kept', async (t) => {
  const site = await open(shop())
  await site.tell([1, [subscription('app', 'price_app', { metadata: { note: 'for Bob' } })]])
  await site.tell([
    2,
    [
      money('checkout', 'cs_1', {
        price_id: 'price_shirt',
        email: 'bob@example.com',
        name: 'Bob',
        metadata: { to: 'Bob' },
      }),
    ],
  ])
  const rows = [
    ...(await site.storage.read((db) => db.selectFrom('other_subscriptions').select(['data', 'seen']))),
    ...(await site.storage.read((db) => db.selectFrom('facts').select('data'))),
    ...(await site.storage.read((db) => db.selectFrom('payments').selectAll())),
  ]
  t.is(rows.length, 3)
  t.notRegex(JSON.stringify(rows), /bob/i)
  t.regex(JSON.stringify(rows), /price_shirt/)
  await site.close()
})

test('what shows only its first items is not known yet, nor is what belongs to it', async (t) => {
  const site = await open(shop())
  const kept = async () =>
    (await site.storage.read((db) => db.selectFrom('facts').select(['id', 'data'])))
      .filter(({ data }) => data.includes('@'))
      .map(({ id }) => id)
      .sort()
  const app = { price_id: 'price_app', product_id: 'prod_app', quantity: 1 }
  const bill = (id: string, more: object = {}) =>
    money('payment', id, {
      subscription_id: 'big',
      customer_id: 'cus_big',
      email: 'big@example.com',
      items: [app],
      ...more,
    })
  await site.tell([1, [subscription('big', 'price_app', { cut: true })]])
  await site.tell([2, [bill('in_big')]])
  await site.tell([3, [money('checkout', 'cs_big', { email: 'big@example.com', items: [app], cut: true })]])
  t.deepEqual(await kept(), ['cs_big', 'in_big'])

  // Once all is shown, nothing of it is this site's.
  await site.tell([4, [subscription('big', 'price_app')]])
  await site.tell([5, [money('checkout', 'cs_big', { email: 'big@example.com', items: [app] })]])
  await site.tell([6, [bill('in_big', { cut: true })]])
  t.deepEqual(await kept(), [])
  await site.close()
})

const shirt = money('checkout', 'cs_shirt', {
  price_id: 'price_shirt',
  email: 'shirt@example.com',
  name: 'Ann',
  purpose: 'one_time',
})
/** The account, when it is asked. */
const account: Answers = (kind, id) => {
  if (kind === 'customer') return [customer(id)]
  return kind === 'checkout' && id === 'cs_shirt' ? [shirt] : []
}
const withAll = shop({
  prices: new Set(['price_pro', 'price_book', 'price_app', 'price_shirt']),
  products: new Set(['prod_pro', 'prod_book', 'prod_app', 'prod_shirt']),
})

test('who bought from other shops alone is forgotten, whichever message comes first', async (t) => {
  for (const order of [
    [5, 6],
    [6, 5],
  ]) {
    const site = await open(shop())
    for (const second of order) await site.tell(events[second - 1]!)
    await site.forget()
    t.notRegex(await site.stored(), /cus_app@/, String(order))
    t.regex(await site.stored(), /cus_app/)
    // A later message brings the address once more.
    await site.tell([30, [customer('cus_app')]])
    await site.forget()
    t.notRegex(await site.stored(), /cus_app@/)
    await site.close()
  }
})

test('while nothing is known of a person’s purchases, the name and address stay for a week', async (t) => {
  const site = await open(shop())
  await site.tell([1, [customer('cus_new')]])
  await site.tell([2, [money('payment', 'pi_coffee', { email: 'coffee@example.com', name: 'Bob' })]])
  site.pass(6)
  await site.forget()
  t.regex(await site.stored(), /cus_new@/)
  t.regex(await site.stored(), /coffee@/)
  site.pass(1)
  await site.forget()
  t.notRegex(await site.stored(), /@example/)
  t.regex(await site.stored(), /pi_coffee/)
  await site.close()
})

test('a purchase that becomes another shop’s while its buyer is looked at is not overlooked', async (t) => {
  const site = await open(shop())
  await site.tell([5, [customer('cus_app')]])
  let isFirst = true
  const ledger: typeof site.ledger = {
    ...site.ledger,
    standingOf: async (person) => {
      const standing = await site.ledger.standingOf(person)
      if (isFirst) await site.tell([6, [subscription('app', 'price_app')]], 1)
      isFirst = false
      return standing
    },
  }
  const now = () => new Date(at(3600))
  await createForgetting({
    storage: site.storage,
    ledger,
    now,
    providers: ['acme'],
    events: neighboursOn(site.storage).events,
  }).runDue()
  t.notRegex(await site.stored(), /cus_app@/)
  await site.close()
})

test('people whom an earlier version stored are looked at once as well', async (t) => {
  const site = await open(shop())
  await site.tell([1, [customer('cus_app'), customer('cus_new')]])
  await site.tell([2, [subscription('app', 'price_app')]])
  await site.tell([3, [money('payment', 'pi_coffee', { email: 'coffee@example.com' })]])
  await site.storage.commit([step(site.unnote, {})])
  await site.forget()
  t.notRegex(await site.stored(), /cus_app@/)
  t.regex(await site.stored(), /cus_new@.*coffee@/)
  site.pass(7)
  await site.forget()
  t.notRegex(await site.stored(), /@example/)
  await site.close()
})

test('whoever bought here as well is not forgotten', async (t) => {
  const site = await open(shop())
  await site.tell([1, [customer('cus_both')]])
  await site.tell([2, [subscription('app', 'price_app', { customer_id: 'cus_both' })]])
  await site.tell([3, [subscription('pro', 'price_pro', { customer_id: 'cus_both' })]])
  site.pass(8)
  await site.forget()
  t.deepEqual((await site.state()).members, ['cus_both@example.com'])
  t.regex(await site.stored(), /"email":"cus_both@/)
  await site.close()
})

test('a purchase that becomes this site’s asks the provider for its forgotten buyer', async (t) => {
  const site = await open(shop(), account)
  for (const second of [5, 6, 15, 16]) await site.tell(events[second - 1]!)
  await site.forget()
  t.notRegex(await site.stored(), /@example/)
  await site.sell(withAll)
  await site.ask()
  t.deepEqual((await site.state()).members, ['cus_app@example.com', 'shirt@example.com'])
  await site.close()
})

test('a payment that becomes this site’s asks for the link and the notes that were dropped with its buyer', async (t) => {
  const renewal = money('payment', 'in_app', {
    subscription_id: 'app',
    customer_id: 'cus_app',
    metadata: { note: 'hello' },
    invoice_url: 'https://acme.test/in_app',
  })
  const site = await open(shop(), (kind, id) => (id === 'in_app' ? [renewal] : account(kind, id)))
  for (const second of [5, 6]) await site.tell(events[second - 1]!)
  await site.tell([7, [renewal]])
  t.notRegex(await site.stored(), /hello|https/)
  await site.sell(withAll)
  await site.ask()
  const { payments } = await site.state()
  t.like(JSON.parse(payments.find(({ id }) => id === 'in_app')!.data), {
    metadata: { note: 'hello' },
    invoice_url: 'https://acme.test/in_app',
  })
  await site.close()
})

test('what a process of the former plans stored after the change is asked about once more', async (t) => {
  const site = await open(without)
  await site.sell(shop())
  await site.tellWith(without, [1, [customer('cus_pro')]])
  await site.tellWith(without, [2, [subscription('pro', 'price_pro')]])
  await site.reconsider()
  t.deepEqual((await site.state()).members, [])
  site.pass(1 / 48)
  await site.reconsider()
  t.deepEqual((await site.state()).members, ['cus_pro@example.com'])
  site.pass(1)
  t.is(await site.reconsider(), 0)
  await site.close()
})

test('without an API key, a forgotten buyer is known with the next message that names them', async (t) => {
  const site = await open(shop())
  for (const second of [5, 6]) await site.tell(events[second - 1]!)
  await site.forget()
  await site.sell(withAll)
  t.deepEqual((await site.state()).members, [])
  await site.tell([40, [customer('cus_app')]])
  t.deepEqual((await site.state()).members, ['cus_app@example.com'])
  await site.close()
})

test('of another shop’s purchase, two contents of one moment name nobody either', async (t) => {
  const site = await open(shop())
  const sold = (name: string) =>
    money('checkout', 'cs_1', {
      price_id: 'price_shirt',
      email: `${name}@example.com`,
      name,
      place: 'california' as const,
    })
  await site.tell([2, [sold('bob')]])
  await site.tell([2, [sold('bill')]])
  t.notRegex(await site.stored(), /example|california/)
  await site.close()
})

const ways = fc.record({
  order: fc.shuffledSubarray([...events.keys()], { minLength: events.length, maxLength: events.length }),
  repeats: fc.array(fc.nat(events.length - 1), { maxLength: 6 }),
  processes: fc.infiniteStream(fc.constantFrom(0, 1)),
  first: fc.constantFrom(shop(), unread, without),
  readAfter: fc.nat(events.length),
  forgetAfter: fc.nat(events.length),
})

test('a payment for the other shop’s items waits, also while its subscription is taken in', async (t) => {
  const items = ['price_pro', 'price_app'].map((price_id) => ({
    id: `si_${price_id}`,
    price_id,
    product_id: price_id.replace('price', 'prod'),
    quantity: 1,
    current_period_start: at(0),
    current_period_end: at(30 * 86_400),
  }))
  const mixed = subscription('mixed', 'price_pro', { items })
  const paid = money('payment', 'in_mixed', {
    subscription_id: 'mixed',
    customer_id: 'cus_mixed',
    price_id: 'price_app',
  })
  for (const isMeanwhile of [false, true]) {
    const site = await open(without)
    await site.tell([1, [customer('cus_mixed')]])
    await site.tell([1, [subscription('book', 'price_book', { customer_id: 'cus_mixed' })]])
    await site.tell([1, [mixed]])
    site.change(shop())
    const { storage } = site
    const commit = storage.commit.bind(storage)
    if (isMeanwhile)
      storage.commit = async (unit) => {
        storage.commit = commit
        await site.reconsider()
        return commit(unit)
      }
    await site.tell([2, [paid]], 1)
    if (!isMeanwhile) await site.reconsider()
    const { payments, subscriptions } = await site.state()
    t.deepEqual(
      subscriptions.map(({ id }) => id),
      ['book', 'mixed'],
    )
    t.deepEqual(
      payments.map(({ id, status }) => [id, status]),
      [['in_mixed', 'waiting']],
      `meanwhile: ${isMeanwhile}`,
    )
    await site.close()
  }
})

test('a payment that counted is given back when its subscription turns out to have another shop’s items', async (t) => {
  const item = (price_id: string) => ({
    id: `si_${price_id}`,
    price_id,
    product_id: price_id.replace('price', 'prod'),
    quantity: 1,
    current_period_start: at(0),
    current_period_end: at(30 * 86_400),
  })
  const site = await open(shop())
  const state = async () => (await site.state()).payments.map(({ id, status }) => [id, status])
  await site.tell([1, [customer('cus_grows')]])
  await site.tell([2, [subscription('grows', 'price_pro')]])
  const paid = { subscription_id: 'grows', customer_id: 'cus_grows' }
  await site.tell([3, [money('payment', 'in_own', { ...paid, price_id: 'price_pro' })]])
  // The message about the item that joined comes after that about its payment.
  await site.tell([5, [money('payment', 'in_app', { ...paid, price_id: 'price_app' })]])
  t.deepEqual(await state(), [
    ['in_app', 'paid'],
    ['in_own', 'paid'],
  ])
  const items = ['price_pro', 'price_app'].map(item)
  await site.tell([4, [subscription('grows', 'price_pro', { items })]])
  t.deepEqual(await state(), [
    ['in_app', 'waiting'],
    ['in_own', 'paid'],
  ])
  await site.close()
})

// What is this site's is known by its name, by a look-up key, or only by its product.
for (const own of ['price_pro', 'price_key', 'price_other'])
  test(`a payment for the other shop’s item waits while the catalogue is not read, beside ${own}`, async (t) => {
    const items = [own, 'price_app'].map((price_id) => ({
      id: `si_${price_id}`,
      price_id,
      product_id: null,
      quantity: 1,
      current_period_start: at(0),
      current_period_end: at(30 * 86_400),
    }))
    const listed = new Map(shop().listed).set('price_key', 'prod_pro').set('price_other', 'prod_pro')
    const read = shop({ listed, prices: new Set([...shop().prices, 'price_key']) })
    const notRead = shop({ products: new Set(), listed: new Map(), isOpen: own === 'price_key' })
    const mixed = subscription('mixed', own, { items, product_id: null } as never)
    const paid = (price_id: string) =>
      money('payment', `in_${price_id}`, { subscription_id: 'mixed', customer_id: 'cus_mixed', price_id })
    // Another process has read the catalogue already.
    const site = await open(read)
    await site.tell([1, [mixed]])
    site.change(notRead)
    for (const price of [own, 'price_app']) await site.tell([2, [paid(price)]], 1)
    const before = (await site.state()).payments.map(({ id, status }) => [id, status])
    t.deepEqual(before[0], ['in_price_app', 'waiting'])
    await site.sell(read)
    t.deepEqual(
      (await site.state()).payments.map(({ id, status }) => [id, status]),
      [
        ['in_price_app', 'waiting'],
        [`in_${own}`, 'paid'],
      ],
    )
    await site.close()
  })

test('any order, repetition and split, with the plans and the catalogue before, between or after, ends equal', async (t) => {
  const straight = await open(shop())
  for (const event of events) await straight.tell(event)
  const expected = await straight.state()
  await straight.close()
  await fc.assert(
    fc.asyncProperty(ways, async ({ order, repeats, processes, first, readAfter, forgetAfter }) => {
      const site = await open(first, account)
      const list = [...order, ...repeats]
      for (const [n, index] of list.entries()) {
        if (n === readAfter) await site.sell(shop())
        if (n === forgetAfter) await site.forget()
        await site.tell(events[index]!, processes.next().value)
      }
      await site.sell(shop())
      await site.ask()
      const state = await site.state()
      await site.close()
      if (!isDeepStrictEqual(state, expected))
        throw new Error(`${JSON.stringify(state, null, 1)}\n\nexpected\n${JSON.stringify(expected, null, 1)}`)
    }),
    settings(60),
  )
  t.pass()
})

test('a purchase that was accepted stays, whatever the plans say later', async (t) => {
  const site = await open(shop())
  for (const event of events.slice(0, 4)) await site.tell(event)
  await site.sell(without)
  await site.tell([20, [subscription('pro', 'price_pro', { status: 'canceled', ended_at: at(20) })]])
  const { subscriptions } = await site.state()
  t.deepEqual(
    subscriptions.map(({ id, status }) => [id, status]),
    [['pro', 'canceled']],
  )
  await site.close()
})

test('a plan that is added later takes in what waited, and says so to its owner', async (t) => {
  const site = await open(without)
  for (const event of events.slice(0, 4)) await site.tell(event)
  t.deepEqual((await site.state()).members, [])
  await site.sell(shop())
  const { members, payments } = await site.state()
  t.deepEqual(members, ['cus_pro@example.com'])
  t.deepEqual(
    payments.map(({ id, status, owner_id }) => [id, status, owner_id]),
    [['ch_pro', 'paid', 'cus_pro']],
  )
  t.true((await site.told()).includes('cus_pro'))
  await site.close()
})
