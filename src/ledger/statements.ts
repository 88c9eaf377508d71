import { type Expression, sql } from 'kysely'
import type { Storage } from '../storage/index.ts'

export interface Key {
  provider: string
  account: string
}
export interface FactRow {
  data: string
  at: string
  source: number
  marks: string
  tied: string | null
  prior_at: string | null
  prior_marks: string | null
  contested: number
  revision: number
}
export interface SubscriptionRow extends Key, FactRow {
  id: string
  owner_id: string
  status: string
  price_id: string | null
}
export interface MoneyFactRow extends Key, FactRow {
  kind: string
  id: string
}
export interface CustomerRow extends Key {
  customer_id: string
  guest: number
  member_id: string | null
  email: string | null
  name: string | null
  deleted: number
  purchased: number
  revision: number
}
export interface PaymentRow extends Key {
  id: string
  owner_id: string
  subscription_id: string | null
  status: string
  price_id: string | null
  data: string
  revision: number
}
export interface IntentRow {
  id: string
  price_id: string
  member_id: string | null
  status: string
}

const factColumns = [
  'data',
  'at',
  'source',
  'marks',
  'tied',
  'prior_at',
  'prior_marks',
  'contested',
  'revision',
] as const
const subscriptionColumns = [
  'provider',
  'account',
  'id',
  'owner_id',
  'status',
  'price_id',
  ...factColumns,
] as const
const customerColumns = [
  'provider',
  'account',
  'customer_id',
  'guest',
  'member_id',
  'email',
  'name',
  'deleted',
  'purchased',
  'revision',
] as const

/** Every query of the ledger, compiled once. */
export type LedgerStatements = ReturnType<typeof ledgerStatements>

export const ledgerStatements = (storage: Storage) => ({
  /** Takes a subscription's snapshot when it is the first or newer than an event's: no reading needed. */
  subscriptionNewer: storage.prepareMany<SubscriptionRow>(
    '5-subscription-newer',
    { all: subscriptionColumns, key: ['provider', 'account', 'id'] },
    (db, rows) =>
      db
        .insertInto('subscriptions')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['provider', 'account', 'id'])
            .doUpdateSet((eb) => ({
              owner_id: eb.ref('excluded.owner_id'),
              status: eb.ref('excluded.status'),
              price_id: eb.ref('excluded.price_id'),
              data: eb.ref('excluded.data'),
              at: eb.ref('excluded.at'),
              marks: eb.ref('excluded.marks'),
              tied: null,
              prior_at: eb.ref('subscriptions.at'),
              prior_marks: eb.ref('subscriptions.marks'),
              contested: 0,
              revision: eb('subscriptions.revision', '+', 1),
            }))
            .where('subscriptions.source', '=', 0)
            .whereRef('subscriptions.at', '<', sql.ref('excluded.at') as Expression<string>),
        ),
  ),
  subscription: storage.prepare<Key & { id: string }, SubscriptionRow>('subscription', (db, p) =>
    db
      .selectFrom('subscriptions')
      .select(subscriptionColumns)
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('id', '=', p.id),
  ),
  subscriptionInsert: storage.prepareMany<SubscriptionRow>(
    '5-subscription-insert',
    { all: subscriptionColumns, key: ['provider', 'account', 'id'] },
    (db, rows) =>
      db
        .insertInto('subscriptions')
        .values(rows)
        .onConflict((c) => c.columns(['provider', 'account', 'id']).doNothing()),
  ),
  subscriptionUpdate: storage.prepare<SubscriptionRow>('5-subscription-update', (db, p) =>
    db
      .updateTable('subscriptions')
      .set({
        owner_id: p.owner_id,
        status: p.status,
        price_id: p.price_id,
        data: p.data,
        at: p.at,
        source: p.source,
        marks: p.marks,
        tied: p.tied,
        prior_at: p.prior_at,
        prior_marks: p.prior_marks,
        contested: p.contested,
        revision: sql<number>`revision + 1`,
      })
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('id', '=', p.id)
      .where('revision', '=', p.revision),
  ),

  fact: storage.prepare<Key & { kind: string; id: string }, MoneyFactRow>('fact', (db, p) =>
    db
      .selectFrom('facts')
      .select(['provider', 'account', 'kind', 'id', ...factColumns])
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('kind', '=', p.kind)
      .where('id', '=', p.id),
  ),
  factInsert: storage.prepareMany<MoneyFactRow>(
    '3-fact-insert',
    {
      all: ['provider', 'account', 'kind', 'id', ...factColumns],
      key: ['provider', 'account', 'kind', 'id'],
    },
    (db, rows) =>
      db
        .insertInto('facts')
        .values(rows)
        .onConflict((c) => c.columns(['provider', 'account', 'kind', 'id']).doNothing()),
  ),
  factUpdate: storage.prepare<MoneyFactRow>('3-fact-update', (db, p) =>
    db
      .updateTable('facts')
      .set({
        data: p.data,
        at: p.at,
        source: p.source,
        marks: p.marks,
        tied: p.tied,
        prior_at: p.prior_at,
        prior_marks: p.prior_marks,
        contested: p.contested,
        revision: sql<number>`revision + 1`,
      })
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('kind', '=', p.kind)
      .where('id', '=', p.id)
      .where('revision', '=', p.revision),
  ),

  customer: storage.prepare<Key & { customer_id: string }, CustomerRow>('customer', (db, p) =>
    db
      .selectFrom('customers')
      .select(customerColumns)
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('customer_id', '=', p.customer_id),
  ),
  customerInsert: storage.prepareMany<CustomerRow>(
    '2-customer-insert',
    { all: customerColumns, key: ['provider', 'account', 'customer_id'] },
    (db, rows) =>
      db
        .insertInto('customers')
        .values(rows)
        .onConflict((c) => c.columns(['provider', 'account', 'customer_id']).doNothing()),
  ),
  customerUpdate: storage.prepare<CustomerRow>('2-customer-update', (db, p) =>
    db
      .updateTable('customers')
      .set({
        member_id: p.member_id,
        email: p.email,
        name: p.name,
        deleted: p.deleted,
        purchased: p.purchased,
        revision: sql<number>`revision + 1`,
      })
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('customer_id', '=', p.customer_id)
      .where('revision', '=', p.revision),
  ),
  memberByEmail: storage.prepare<{ email: string }, { id: string; email_verified: number }>(
    'member-by-email',
    (db, p) => db.selectFrom('members').select(['id', 'email_verified']).where('email', '=', p.email),
  ),
  memberInsert: storage.prepareMany<{
    id: string
    email: string | null
    email_verified: number
    name: string | null
    roles: string
    language: string | null
    content: string
    created_by: string | null
    created_at: string
    updated_at: string
  }>(
    '1-member-insert',
    {
      all: [
        'id',
        'email',
        'email_verified',
        'name',
        'roles',
        'language',
        'content',
        'created_by',
        'created_at',
        'updated_at',
      ],
      key: ['email'],
    },
    (db, rows) =>
      db
        .insertInto('members')
        .values(rows)
        .onConflict((c) => c.doNothing()),
  ),

  paymentOfRef: storage.prepare<Key & { ref: string }, { payment_id: string }>('payment-of-ref', (db, p) =>
    db
      .selectFrom('payment_refs')
      .select('payment_id')
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('ref', '=', p.ref),
  ),
  refsOfPayment: storage.prepare<Key & { payment_id: string }, { ref: string }>('refs-of-payment', (db, p) =>
    db
      .selectFrom('payment_refs')
      .select('ref')
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('payment_id', '=', p.payment_id),
  ),
  refInsert: storage.prepareMany<Key & { ref: string; payment_id: string }>(
    '3-ref-insert',
    { all: ['provider', 'account', 'ref', 'payment_id'], key: ['provider', 'account', 'ref'] },
    (db, rows) =>
      db
        .insertInto('payment_refs')
        .values(rows)
        .onConflict((c) => c.columns(['provider', 'account', 'ref']).doNothing()),
  ),
  refMove: storage.prepare<Key & { ref: string; from: string; payment_id: string }>('3-ref-move', (db, p) =>
    db
      .updateTable('payment_refs')
      .set({ payment_id: p.payment_id })
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('ref', '=', p.ref)
      .where('payment_id', '=', p.from),
  ),
  payment: storage.prepare<Key & { id: string }, PaymentRow>('payment', (db, p) =>
    db
      .selectFrom('payments')
      .select([
        'provider',
        'account',
        'id',
        'owner_id',
        'subscription_id',
        'status',
        'price_id',
        'data',
        'revision',
      ])
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('id', '=', p.id),
  ),
  paymentInsert: storage.prepareMany<PaymentRow>(
    '4-payment-insert',
    {
      all: [
        'provider',
        'account',
        'id',
        'owner_id',
        'subscription_id',
        'status',
        'price_id',
        'data',
        'revision',
      ],
      key: ['provider', 'account', 'id'],
    },
    (db, rows) =>
      db
        .insertInto('payments')
        .values(rows)
        .onConflict((c) => c.columns(['provider', 'account', 'id']).doNothing()),
  ),
  paymentUpdate: storage.prepare<PaymentRow>('4-payment-update', (db, p) =>
    db
      .updateTable('payments')
      .set({
        owner_id: p.owner_id,
        subscription_id: p.subscription_id,
        status: p.status,
        price_id: p.price_id,
        data: p.data,
        revision: sql<number>`revision + 1`,
      })
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('id', '=', p.id)
      .where('revision', '=', p.revision),
  ),
  paymentDelete: storage.prepare<Key & { id: string; revision: number }>('4-payment-delete', (db, p) =>
    db
      .deleteFrom('payments')
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('id', '=', p.id)
      .where('revision', '=', p.revision),
  ),

  intent: storage.prepare<{ id: string }, IntentRow>('intent', (db, p) =>
    db.selectFrom('intents').select(['id', 'price_id', 'member_id', 'status']).where('id', '=', p.id),
  ),
  intentSettle: storage.prepare<{ id: string; status: string; settled_at: string; member_id: string | null }>(
    '6-intent-settle',
    (db, p) =>
      db
        .updateTable('intents')
        .set({
          status: p.status,
          settled_at: p.settled_at,
          member_id: sql`coalesce(member_id, ${p.member_id})`,
        })
        .where('id', '=', p.id)
        .where('status', '!=', 'complete'),
  ),

  fetchInsert: storage.prepareMany<
    Key & { kind: string; id: string; due_at: string; attempts: number; wishes: number }
  >(
    '7-fetch-insert',
    {
      all: ['provider', 'account', 'kind', 'id', 'due_at', 'attempts', 'wishes'],
      key: ['provider', 'account', 'kind', 'id'],
    },
    (db, rows) =>
      db
        .insertInto('fetches')
        .values(rows)
        .onConflict((c) =>
          c.columns(['provider', 'account', 'kind', 'id']).doUpdateSet((eb) => ({
            // The later of both: its answer will cover both wishes.
            due_at: sql<string>`case when fetches.due_at < excluded.due_at then excluded.due_at else fetches.due_at end`,
            wishes: eb('fetches.wishes', '+', 1),
          })),
        ),
  ),
  fetchesDue: storage.prepare<
    { now: string },
    Key & { kind: string; id: string; due_at: string; attempts: number; wishes: number }
  >('fetches-due', (db, p) =>
    db
      .selectFrom('fetches')
      .select(['provider', 'account', 'kind', 'id', 'due_at', 'attempts', 'wishes'])
      .where('due_at', '<=', p.now)
      .orderBy('due_at')
      .limit(50),
  ),
  /** Leases a fetch: whoever moves its due time does the work. */
  fetchLease: storage.prepare<Key & { kind: string; id: string; due_at: string; until: string }>(
    '7-fetch-lease',
    (db, p) =>
      db
        .updateTable('fetches')
        .set({ due_at: p.until, attempts: sql<number>`attempts + 1` })
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('kind', '=', p.kind)
        .where('id', '=', p.id)
        .where('due_at', '=', p.due_at),
  ),
  /** Done, unless somebody wished again meanwhile. */
  fetchDone: storage.prepare<Key & { kind: string; id: string; wishes: number }>('7-fetch-done', (db, p) =>
    db
      .deleteFrom('fetches')
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('kind', '=', p.kind)
      .where('id', '=', p.id)
      .where('wishes', '=', p.wishes),
  ),
  fetchAgain: storage.prepare<Key & { kind: string; id: string; wishes: number; due_at: string }>(
    '7-fetch-later',
    (db, p) =>
      db
        .updateTable('fetches')
        .set({ due_at: p.due_at })
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('kind', '=', p.kind)
        .where('id', '=', p.id)
        .where('wishes', '!=', p.wishes),
  ),
  fetchFailed: storage.prepare<
    Key & { kind: string; id: string; until: string; due_at: string; error: string }
  >('7-fetch-failed', (db, p) =>
    db
      .updateTable('fetches')
      .set({ due_at: p.due_at, error: p.error })
      .where('provider', '=', p.provider)
      .where('account', '=', p.account)
      .where('kind', '=', p.kind)
      .where('id', '=', p.id)
      .where('due_at', '=', p.until),
  ),
})
