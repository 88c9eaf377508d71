import test from 'ava'
import type { Tables } from '../../../src/core/storage/index.ts'
import { postgresDatabases, sqliteDatabases, type TestDatabase } from '../../support/databases.ts'
import {
  ago,
  chargeFact,
  customer,
  event,
  findings,
  intent,
  look,
  openDatabase,
  payment,
  subscription,
  wish,
} from './support.ts'

const databases: TestDatabase[] = []
test.before(async () => {
  databases.push(await sqliteDatabases(), await postgresDatabases())
})
test.after.always(async () => {
  for (const database of databases) await database.close()
})

type Rows = [table: keyof Tables, row: never][]
function many(count: number, make: () => never, table: keyof Tables): Rows {
  return Array.from({ length: count }, () => [table, make()])
}

/** What is there, which finding it makes (null: none), and words that it holds. */
const cases: [title: string, rows: Rows, name: string, status: string | null, words?: RegExp][] = [
  ['no event', [], 'last-delivery', 'warning', /No event of stripe/],
  ['an event today', [['events', event()]], 'last-delivery', null],
  [
    'the last event 8 days ago',
    [['events', event({ received_at: ago(8 * 1440) })]],
    'last-delivery',
    'warning',
    /8 days ago/,
  ],
  ['nothing failed', many(10, event, 'events'), 'failure-rate', null],
  [
    '1 of 20 failed today',
    [...many(19, event, 'events'), ['events', event({ status: 'failed' })]],
    'failure-rate',
    'warning',
    /1 of 20 events failed in 24 hours, 1 of 20 in 7 days/,
  ],
  [
    '5 of 10 failed today',
    [...many(5, event, 'events'), ...many(5, () => event({ status: 'dead' }), 'events')],
    'failure-rate',
    'problem',
  ],
  [
    'failures of 3 days ago',
    [['events', event({ status: 'failed', received_at: ago(3 * 1440) })], ...many(3, event, 'events')],
    'failure-rate',
    'warning',
    /0 of 3 events failed in 24 hours, 1 of 4 in 7 days/,
  ],
  [
    'failures of 8 days ago',
    [
      ['events', event({ status: 'failed', received_at: ago(8 * 1440) })],
      ['events', event()],
    ],
    'failure-rate',
    null,
  ],
  [
    'a failed event',
    [['events', event({ status: 'failed', reason: 'poisoned' })]],
    'events-failed',
    'warning',
    /1 event of stripe failed.*poisoned/,
  ],
  ['a dead event', [['events', event({ status: 'dead' })]], 'events-dead', 'problem', /gave up/],
  ['a held event', [['events', event({ status: 'held' })]], 'events-held', 'warning', /held back/],
  ['processed events', [['events', event()]], 'events-dead', null],
  [
    'received before it happened',
    [['events', event({ occurred_at: ago(8) })]],
    'clock-events',
    'warning',
    /120 s|2 min/,
  ],
  ['received late', [['events', event({ occurred_at: ago(900) })]], 'clock-events', null],
  [
    'a contested subscription',
    [['subscriptions', subscription({ contested: 1, id: 'sub_c' })]],
    'contested',
    'warning',
    /subscription sub_c/,
  ],
  [
    'a contested charge',
    [['facts', chargeFact({ contested: 1, id: 'ch_c' })]],
    'contested',
    'warning',
    /payment ch_c/,
  ],
  [
    'facts that agree',
    [
      ['facts', chargeFact()],
      ['subscriptions', subscription()],
    ],
    'contested',
    null,
  ],
  [
    'a payment without a price',
    [['payments', payment({ price_id: null, id: 'pi_n' })]],
    'unpriced',
    'warning',
    /1 payment.*pi_n/,
  ],
  [
    'a payment of which nobody says for ten minutes what it is for',
    [['payments', payment({ id: 'pi_u', unknown_since: ago(10) })]],
    'unassigned',
    'problem',
    /1 payment.*pi_u/,
  ],
  [
    'one of which nobody says it for nine',
    [['payments', payment({ unknown_since: ago(9) })]],
    'unassigned',
    null,
  ],
  [
    'a renewal without a price',
    [['payments', payment({ price_id: null, subscription_id: 'sub_1' })]],
    'unpriced',
    null,
  ],
  [
    'an unpaid one without a price',
    [['payments', payment({ price_id: null, status: 'failed' })]],
    'unpriced',
    null,
  ],
  [
    'a subscription of whose items only the first are known',
    [['subscriptions', subscription({ id: 'sub_cut', items: '{"shown":[],"whole":null}' })]],
    'items',
    'warning',
    /1 subscription.*sub_cut/,
  ],
  [
    'a subscription whose items were asked for',
    [['subscriptions', subscription({ items: '{"shown":[],"whole":{"at":"2026-01-01","items":[]}}' })]],
    'items',
    null,
  ],
  [
    'a purchase without an owner',
    [['customers', customer({ member_id: null, customer_id: 'cus_w' })]],
    'ownerless',
    'warning',
    /1 purchase waits.*cus_w/,
  ],
  [
    'a customer who bought nothing',
    [['customers', customer({ member_id: null, purchased: 0 })]],
    'ownerless',
    null,
  ],
  ['a purchase with an owner', [['customers', customer()]], 'ownerless', null],
  [
    'the same plan twice',
    [
      ['customers', customer()],
      ['subscriptions', subscription({ id: 'sub_a' })],
      ['subscriptions', subscription({ id: 'sub_b', status: 'past_due' })],
    ],
    'paying-twice',
    'problem',
    /1 member pays twice.*sub_a and sub_b/,
  ],
  [
    'two plans of a group',
    [
      ['customers', customer()],
      ['subscriptions', subscription({ id: 'sub_a' })],
      ['subscriptions', subscription({ id: 'sub_b', price_id: 'price_plus' })],
    ],
    'paying-twice',
    'problem',
    /sub_a and sub_b/,
  ],
  [
    'the same plan through two customers',
    [
      ['customers', customer()],
      ['customers', customer({ customer_id: 'cus_2' })],
      ['subscriptions', subscription({ id: 'sub_a' })],
      ['subscriptions', subscription({ id: 'sub_b', owner_id: 'cus_2' })],
    ],
    'paying-twice',
    'problem',
    /sub_a and sub_b/,
  ],
  [
    'two customers of one member',
    [
      ['customers', customer()],
      ['customers', customer({ customer_id: 'cus_2' })],
      ['customers', customer({ customer_id: 'cus_3', member_id: 'mem_2' })],
    ],
    'several-customers',
    'warning',
    /1 member is several customers.*mem_1 \(cus_1, cus_2\)/,
  ],
  [
    'a purchase without a customer, a deleted customer, and one at another account',
    [
      ['customers', customer()],
      ['customers', customer({ customer_id: 'pi_1', guest: 1 })],
      ['customers', customer({ customer_id: 'cus_2', deleted: 1 })],
      ['customers', customer({ customer_id: 'cus_3', account: 'us' })],
    ],
    'several-customers',
    null,
  ],
  [
    'a customer nobody knows, twice',
    [
      ['subscriptions', subscription({ id: 'sub_a' })],
      ['subscriptions', subscription({ id: 'sub_b' })],
    ],
    'paying-twice',
    'problem',
  ],
  [
    'one ended',
    [
      ['customers', customer()],
      ['subscriptions', subscription()],
      ['subscriptions', subscription({ status: 'canceled' })],
      ['subscriptions', subscription({ status: 'incomplete' })],
    ],
    'paying-twice',
    null,
  ],
  [
    'another plan',
    [
      ['customers', customer()],
      ['subscriptions', subscription()],
      ['subscriptions', subscription({ price_id: 'price_other' })],
    ],
    'paying-twice',
    null,
  ],
  [
    'two people',
    [
      ['customers', customer()],
      ['customers', customer({ customer_id: 'cus_2', member_id: 'mem_2' })],
      ['subscriptions', subscription()],
      ['subscriptions', subscription({ owner_id: 'cus_2' })],
    ],
    'paying-twice',
    null,
  ],
  [
    'five checkouts without an answer',
    many(5, intent, 'intents'),
    'checkouts-open',
    'problem',
    /webhooks seem not to arrive/,
  ],
  [
    'four of five without an answer',
    [...many(4, intent, 'intents'), ['intents', intent({ status: 'complete' })]],
    'checkouts-open',
    null,
  ],
  [
    'checkouts of this hour',
    many(5, () => intent({ created_at: ago(30) }), 'intents'),
    'checkouts-open',
    null,
  ],
  ['old checkouts', many(5, () => intent({ created_at: ago(8 * 1440) }), 'intents'), 'checkouts-open', null],
  [
    'a checkout that never began',
    [['intents', intent({ checkout_id: null })]],
    'checkouts-stranded',
    'warning',
    /never reached stripe/,
  ],
  ['a checkout that began', [['intents', intent()]], 'checkouts-stranded', null],
  [
    'an object that cannot be asked for',
    [['fetches', wish({ id: 'ch_f' })]],
    'fetches',
    'warning',
    /payment ch_f/,
  ],
  ['a first failure', [['fetches', wish({ attempts: 1 })]], 'fetches', null],
]

for (const name of ['sqlite', 'postgres'] as const)
  for (const [title, rows, finding, status, words] of cases)
    test.serial(`${name}: ${title}: ${finding} ${status ?? 'is fine'}`, async (t) => {
      const storage = await openDatabase(t, databases.find((database) => database.name === name)!)
      for (const [table, row] of rows) await storage.read((db) => db.insertInto(table).values(row))
      const all = findings(await look({}, { storage }), finding)
      t.deepEqual(
        all.map((check) => check.status),
        status === null ? [] : [status as never],
      )
      if (words) t.regex(all[0]?.what ?? '', words)
      t.true(all.every(({ fix }) => fix !== null && fix !== ''))
    })

test.serial('a dead and a held event are named with the command that helps', async (t) => {
  const storage = await openDatabase(t, databases[0]!)
  await storage.read((db) =>
    db.insertInto('events').values([event(), event({ status: 'dead' }), event({ status: 'held' })]),
  )
  const checks = await look({}, { storage })
  t.regex(findings(checks, 'events-dead')[0]?.fix ?? '', /membership webhooks replay 2$/)
  t.regex(findings(checks, 'events-held')[0]?.fix ?? '', /membership webhooks release 3$/)
})

test.serial('each endpoint is checked by itself', async (t) => {
  const storage = await openDatabase(t, databases[0]!)
  await storage.read((db) =>
    db
      .insertInto('events')
      .values([
        event({ account: 'eu' }),
        event({ account: 'us', status: 'failed' }),
        event({ account: 'us', received_at: ago(9 * 1440) }),
      ]),
  )
  const checks = await look({}, { storage })
  t.deepEqual(
    findings(checks, 'failure-rate').map(({ what }) => what),
    ['From stripe (us), 1 of 1 event failed in 24 hours, 1 of 1 in 7 days.'],
  )
})
