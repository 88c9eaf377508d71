import { randomUUID } from 'node:crypto'
import test from 'ava'
import { type Storage, UnitConflict } from '../../../src/core/storage/index.ts'
import { createLedger } from '../../../src/memberships/ledger/index.ts'
import { neighboursOn } from '../../../src/site/assembly/doors.ts'
import { deliver, openInstance, stateOf } from '../../support/converge.ts'
import { allDatabases } from '../../support/databases.ts'
import {
  chargeObject,
  checkoutObject,
  customerObject,
  intentObject,
  invoiceObject,
  month,
  start,
  stripeEvent,
  stripeProvider,
  subscriptionObject,
  toProviderEvent,
} from '../../support/stripe-events.ts'

type Event = ReturnType<typeof stripeEvent>

/** Who holds `sub_1` after these events. */
async function holderAfter(...events: readonly Event[]) {
  const m = await openInstance('sqlite::memory:', () => new Date((start + month) * 1000))
  for (const event of events) await deliver(m, event)
  const { subscriptions } = await stateOf(m)
  await m.close()
  return subscriptions[0]?.member
}

const created = stripeEvent('customer.created', customerObject())
const subscribed = stripeEvent('customer.subscription.created', subscriptionObject(), { created: start + 1 })
const left = stripeEvent('customer.deleted', customerObject(), { created: start + 60 })

test('a buyer becomes a member whether the customer or the purchase arrives first', async (t) => {
  t.is(await holderAfter(created, subscribed), 'ann@example.com')
  t.is(await holderAfter(subscribed, created), 'ann@example.com')
})

test('a deleted customer keeps purchases, whichever event comes last', async (t) => {
  t.is(await holderAfter(created, subscribed, left), 'ann@example.com')
  t.is(await holderAfter(left, subscribed, created), 'ann@example.com')
  t.is(await holderAfter(created, left, subscribed), 'ann@example.com')
})

test('a customer without purchases is no member', async (t) => {
  const m = await openInstance('sqlite::memory:', () => new Date(start * 1000))
  await deliver(m, created)
  t.is(await m.users.findByEmail('ann@example.com'), null)
  await m.close()
})

/** The owners' rows after these events. */
async function ownersAfter(...events: readonly Event[]) {
  const m = await openInstance('sqlite::memory:', () => new Date((start + month) * 1000))
  for (const event of events) await deliver(m, event)
  const { customers } = await stateOf(m)
  await m.close()
  return customers.map(({ customer_id, email, name, member }) => ({ customer_id, email, name, member }))
}

function permutations<T>(all: readonly T[]): T[][] {
  return all.length < 2
    ? [[...all]]
    : all.flatMap((item, i) => permutations(all.toSpliced(i, 1)).map((rest) => [item, ...rest]))
}

test('an address removed at the provider is removed here, whichever event comes last', async (t) => {
  const removed = stripeEvent('customer.updated', customerObject({ email: null }), { created: start + 60 })
  const expected = [{ customer_id: 'cus_1', email: null, name: 'Ann', member: null }]
  t.deepEqual(await ownersAfter(created, removed), expected)
  t.deepEqual(await ownersAfter(removed, created), expected)
})

test('the address typed at a checkout stays if the customer has none', async (t) => {
  const bare = stripeEvent('customer.created', customerObject({ email: null, name: null }))
  const paid = stripeEvent(
    'checkout.session.completed',
    checkoutObject({ customer: 'cus_1', customer_details: { email: 'typed@example.com', name: 'Typed' } }),
    { created: start + 30 },
  )
  const expected = [
    { customer_id: 'cus_1', email: 'typed@example.com', name: 'Typed', member: 'typed@example.com' },
  ]
  t.deepEqual(await ownersAfter(bare, paid), expected)
  t.deepEqual(await ownersAfter(paid, bare), expected)
})

test('a payment whose customer is known late belongs only to that customer, in each of 24 orders', async (t) => {
  const details = { email: 'ann@example.com', name: 'Ann' }
  const messages = [
    stripeEvent(
      'payment_intent.created',
      intentObject({ customer: null, status: 'requires_payment_method' }),
    ),
    stripeEvent('charge.succeeded', chargeObject({ customer: null, billing_details: details })),
    stripeEvent('payment_intent.succeeded', intentObject({ customer: null })),
    stripeEvent(
      'checkout.session.completed',
      checkoutObject({ customer: 'cus_1', customer_details: details, payment_intent: 'pi_1' }),
    ),
  ]
  for (const order of permutations(messages))
    t.deepEqual(await ownersAfter(...order), [
      { customer_id: 'cus_1', email: 'ann@example.com', name: 'Ann', member: 'ann@example.com' },
    ])
})

test('a subscription event is accepted as newest without a read when a race concerns rows that are read anyway', async (t) => {
  const m = await openInstance('sqlite::memory:', () => new Date((start + month) * 1000))
  await deliver(m, created)
  await deliver(m, subscribed)
  const read: string[] = []
  let overtaken = 0
  const storage: Storage = {
    ...m.storage,
    all: (statement, params) => {
      read.push(statement.name)
      return m.storage.all(statement, params)
    },
    commit: async (unit) => {
      // Another process writes the customer between our look and our write.
      if (overtaken > 0) {
        overtaken--
        throw new UnitConflict('customer-update')
      }
      return m.storage.commit(unit)
    },
  }
  const ledger = createLedger({
    neighbours: neighboursOn(storage),
    storage,
    rules: { create: true, roles: ['member'] },
    now: () => new Date((start + month) * 1000),
    randomId: randomUUID,
    canFetch: () => false,
    livemode: () => true,
    reports: false,
  })
  const apply = (event: Event) => {
    const { occurred_at: at } = toProviderEvent(event)
    const origin = { provider: 'stripe', account: '', id: String(event.id), source: 'event' as const, at }
    return ledger.apply(stripeProvider().changes(toProviderEvent(event)), origin)
  }
  overtaken = 8
  await apply(stripeEvent('customer.updated', customerObject({ name: 'Anna' }), { created: start + 2 }))
  t.is(overtaken, 0)
  read.length = 0
  await apply(
    stripeEvent('customer.subscription.updated', subscriptionObject({ cancel_at_period_end: true }), {
      created: start + 3,
    }),
  )
  t.false(read.includes('subscription'), read.join())
  await m.close()
})

for (const open of allDatabases)
  test(`a member who proves an address while its purchase is processed owns it: ${open.name}`, async (t) => {
    const database = await open()
    const m = await openInstance(await database.url(), () => new Date((start + month) * 1000))
    t.teardown(async () => {
      await m.close()
      await database.close()
    })
    const ann = await m.users.create({ email: 'ann@example.com' })
    // Another process, which has looked at the address before the link in the mail was opened.
    let isLate = true
    const storage: Storage = {
      ...m.storage,
      all: async (statement, params) => {
        const rows = await m.storage.all(statement, params)
        if (isLate && statement.name === 'member-by-email') {
          isLate = false
          await m.users.verify(ann.id)
        }
        return rows
      },
    }
    const other = createLedger({
      neighbours: neighboursOn(storage),
      storage,
      now: () => new Date((start + month) * 1000),
      randomId: () => 'member',
      rules: { create: true, roles: ['member'] },
      canFetch: () => false,
      reports: false,
    })
    await deliver(m, created)
    const event = toProviderEvent(subscribed)
    const origin = {
      provider: 'stripe',
      account: '',
      id: 'evt_late',
      source: 'event' as const,
      at: event.occurred_at,
    }
    await other.apply(stripeProvider().changes(event), origin)

    t.false(isLate)
    t.is((await m.users.findById(ann.id))?.subscriptions().length, 1)
  })

for (const open of allDatabases)
  test(`the newest buyer is found among a hundred payments by one read of one row, in a unit of one payment or of all: ${open.name}`, async (t) => {
    const database = await open()
    const m = await openInstance(await database.url(), () => new Date((start + month) * 1000))
    t.teardown(async () => {
      await m.close()
      await database.close()
    })
    let rows = 0
    const storage: Storage = {
      ...m.storage,
      all: async (statement, params) => {
        const found = await m.storage.all(statement, params)
        if (statement.name.startsWith('owner')) rows += found.length
        return found
      },
    }
    const ledger = createLedger({
      neighbours: neighboursOn(storage),
      storage,
      rules: { create: true, roles: ['member'] },
      now: () => new Date((start + month) * 1000),
      randomId: randomUUID,
      canFetch: () => false,
      livemode: () => true,
      reports: false,
    })
    const payment = (customer: string, n: number, email = `typed${n}@example.com`, later = 0) => {
      const id = `${customer}_${n}`
      const invoice = invoiceObject({
        id: `in_${id}`,
        customer,
        customer_email: email,
        lines: { object: 'list', data: [] },
        status_transitions: { paid_at: start + n },
      })
      return toProviderEvent(
        stripeEvent('invoice.paid', invoice, { id: `evt_${id}_${email}`, created: start + n + later }),
      )
    }
    const apply = async (...events: readonly ReturnType<typeof toProviderEvent>[]) => {
      const changes = events.flatMap((event) => stripeProvider().changes(event))
      const { id, occurred_at: at } = events[0]!
      await ledger.apply(changes, { provider: 'stripe', account: '', id: id ?? '', source: 'event', at })
    }
    const person = async (customer: string) => {
      const { customers } = await stateOf(m)
      return customers.find(({ customer_id }) => customer_id === customer)?.email
    }
    // The middle one was typed last.
    const all = (customer: string) =>
      Array.from({ length: 100 }, (_, i) => payment(customer, i === 50 ? 200 : i))
    for (const event of all('cus_each')) await apply(event)
    t.is(rows, 100)
    t.is(await person('cus_each'), 'typed200@example.com')
    await apply(...all('cus_all'))
    t.is(await person('cus_all'), 'typed200@example.com')
    // What two of them said before no longer counts.
    await apply(payment('cus_all', 200, 'a@example.com', 60), payment('cus_all', 99, 'b@example.com', 60))
    t.is(await person('cus_all'), 'a@example.com')
  })
