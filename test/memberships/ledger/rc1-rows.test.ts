import { readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { type Storage, step } from '../../../src/core/storage/index.ts'
import { createMembership, type Membership } from '../../../src/index.ts'
import { cases } from '../../providers/cases.ts'
import { allDatabases } from '../../support/databases.ts'
import { webhookSecret } from '../../support/stripe-site.ts'
import { ledgerTables } from './rc1-rows.ts'

// During a deploy an older process writes beside this version, and both get the same messages.

interface Recorded {
  readonly messages: readonly object[]
  readonly rows: Readonly<Record<(typeof ledgerTables)[number], readonly object[]>>
}
function read(name: string) {
  return JSON.parse(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8'))
}
const recorded = read('rc1-ledger.json') as Record<string, Recorded>
// Ends that PayPal tells before what was paid is over, which that version read otherwise.
const ends = read('rc1-paypal-ends.json') as Recorded
const now = new Date('2026-03-20T12:00:00Z')

const stripe = {
  secret: webhookSecret,
  sign: undefined,
  settings: { accepts: 'everything', plans: {}, webhook: webhookSecret },
}

async function openOn(t: ExecutionContext, key: string, url: string): Promise<Membership> {
  const item = cases.find(({ definition }) => definition.key === key)
  const settings =
    item === undefined
      ? stripe.settings
      : { webhook: item.secret, plans: item.plans ?? {}, accepts: 'everything', ...item.options }
  const m = await createMembership({
    ...{ install: false, root: false, log: () => {}, now: () => now },
    'membership.compare.automatic': false,
    'membership.database.url': url,
    'membership.provider.handler': key as 'stripe',
    [`membership.providers.${key}`]: settings,
  })
  t.teardown(() => m.close())
  return m
}

async function deliver(m: Membership, key: string, message: object): Promise<string> {
  const body = Buffer.from(JSON.stringify(message))
  const item = cases.find(({ definition }) => definition.key === key)
  const headers = item?.sign?.(body, item.secret, now) ?? m.webhooks.sign(key, body)
  return m.webhooks.receive(key, { body, headers })
}

function insert(storage: Storage, table: (typeof ledgerTables)[number], row: object) {
  const columns = Object.keys(row)
  const statement = storage.prepare<Record<string, unknown>>(`test-${table}`, (db, p) =>
    db
      .insertInto(table as 'members')
      .values(Object.fromEntries(columns.map((column) => [column, p[column]])) as never),
  )
  return storage.commit([step(statement, row as Record<string, unknown>)])
}

async function ledgerOf(m: Membership) {
  const facts = await m.storage.read((db) =>
    db.selectFrom('facts').select(['kind', 'id', 'state', 'tied', 'contested']).orderBy('kind').orderBy('id'),
  )
  const subscriptions = await m.storage.read((db) =>
    db.selectFrom('subscriptions').select(['id', 'status', 'tied', 'contested']).orderBy('id'),
  )
  const payments = await m.storage.read((db) =>
    db.selectFrom('payments').select(['id', 'status', 'price_id', 'paid_at']).orderBy('id'),
  )
  const fetches = await m.storage.read((db) => db.selectFrom('fetches').select(['kind', 'id']))
  return { facts, payments, fetches, subscriptions }
}

for (const database of allDatabases)
  for (const [title, key, stored] of [
    ...Object.entries(recorded).map(([key, stored]) => [key, key, stored] as const),
    ['paypal, ends', 'paypal', ends] as const,
  ])
    test(`${database.name}: ${title}: the messages that an older version stored are the same messages`, async (t) => {
      const { messages, rows } = stored
      const opened = await database()
      t.teardown(opened.close)
      const m = await openOn(t, key, await opened.url())
      for (const table of ledgerTables) for (const row of rows[table]) await insert(m.storage, table, row)
      const before = await ledgerOf(m)
      t.true(before.facts.length + before.subscriptions.length > 3)
      for (const message of messages)
        t.true(['processed', 'ignored'].includes(await deliver(m, key, message)))
      const after = await ledgerOf(m)
      t.deepEqual(after.fetches, [])
      // The end of what was paid is read from the same message now.
      const withoutStatus = ({ subscriptions, ...rest }: typeof before) => ({
        ...rest,
        subscriptions: subscriptions.map(({ status: _, ...row }) => row),
      })
      if (stored === ends) t.deepEqual(withoutStatus(after), withoutStatus(before))
      else t.deepEqual(after, before)
    })
