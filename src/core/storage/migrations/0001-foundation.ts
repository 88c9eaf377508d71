import { type Compilable, type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'foundation'

/** The tables of members, their purchases and the inbox. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const blob = dialect === 'sqlite' ? sql`blob` : sql`bytea`
  // Byte order, so that comparing ISO times as text is comparing times whatever the database's locale.
  const time = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  const table = (tableName: string) => db.schema.createTable(tableName)
  const index = (indexName: string) => db.schema.createIndex(indexName)

  const factColumns = <T extends string, C extends string>(builder: CreateTableBuilder<T, C>) =>
    builder
      .addColumn('data', 'text', (c) => c.notNull())
      .addColumn('at', time, (c) => c.notNull())
      .addColumn('source', 'integer', (c) => c.notNull())
      .addColumn('marks', 'text', (c) => c.notNull())
      .addColumn('tied', 'text')
      .addColumn('prior_at', time)
      .addColumn('prior_marks', 'text')
      .addColumn('contested', 'integer', (c) => c.notNull())
      .addColumn('revision', 'integer', (c) => c.notNull())

  return [
    table('members')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('email', 'text', (c) => c.unique())
      .addColumn('email_verified', 'integer', (c) => c.notNull())
      .addColumn('name', 'text')
      .addColumn('roles', 'text', (c) => c.notNull())
      .addColumn('language', 'text')
      .addColumn('content', 'text', (c) => c.notNull())
      .addColumn('created_by', 'text')
      .addColumn('created_at', time, (c) => c.notNull())
      .addColumn('updated_at', time, (c) => c.notNull()),
    table('sessions')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('member_id', 'text', (c) => c.notNull())
      .addColumn('verified', 'integer', (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull())
      .addColumn('expires_at', time, (c) => c.notNull())
      .addColumn('revoked_at', time),
    index('sessions_member').on('sessions').column('member_id'),
    table('customers')
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('account', 'text', (c) => c.notNull())
      .addColumn('customer_id', 'text', (c) => c.notNull())
      .addColumn('guest', 'integer', (c) => c.notNull())
      .addColumn('member_id', 'text')
      .addColumn('email', 'text')
      .addColumn('name', 'text')
      .addColumn('deleted', 'integer', (c) => c.notNull())
      .addColumn('purchased', 'integer', (c) => c.notNull())
      .addColumn('revision', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('customers_key', ['provider', 'account', 'customer_id'] as never),
    index('customers_member')
      .on('customers')
      .column('member_id')
      .where('member_id' as never, 'is not', null),
    index('customers_waiting')
      .on('customers')
      .column('email')
      .where('member_id' as never, 'is', null),
    factColumns(
      table('subscriptions')
        .addColumn('provider', 'text', (c) => c.notNull())
        .addColumn('account', 'text', (c) => c.notNull())
        .addColumn('id', 'text', (c) => c.notNull())
        .addColumn('owner_id', 'text', (c) => c.notNull())
        .addColumn('status', 'text', (c) => c.notNull())
        .addColumn('price_id', 'text'),
    ).addPrimaryKeyConstraint('subscriptions_key', ['provider', 'account', 'id'] as never),
    index('subscriptions_owner').on('subscriptions').columns(['provider', 'account', 'owner_id']),
    index('subscriptions_contested')
      .on('subscriptions')
      .column('at')
      .where('contested' as never, '=', 1),
    factColumns(
      table('facts')
        .addColumn('provider', 'text', (c) => c.notNull())
        .addColumn('account', 'text', (c) => c.notNull())
        .addColumn('kind', 'text', (c) => c.notNull())
        .addColumn('id', 'text', (c) => c.notNull()),
    ).addPrimaryKeyConstraint('facts_key', ['provider', 'account', 'kind', 'id'] as never),
    index('facts_contested')
      .on('facts')
      .column('at')
      .where('contested' as never, '=', 1),
    table('payment_refs')
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('account', 'text', (c) => c.notNull())
      .addColumn('ref', 'text', (c) => c.notNull())
      .addColumn('payment_id', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('payment_refs_key', ['provider', 'account', 'ref'] as never),
    index('payment_refs_payment').on('payment_refs').columns(['provider', 'account', 'payment_id']),
    table('payments')
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('account', 'text', (c) => c.notNull())
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('owner_id', 'text', (c) => c.notNull())
      .addColumn('subscription_id', 'text')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('price_id', 'text')
      .addColumn('data', 'text', (c) => c.notNull())
      .addColumn('revision', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('payments_key', ['provider', 'account', 'id'] as never),
    index('payments_owner').on('payments').columns(['provider', 'account', 'owner_id']),
    table('grants')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('member_id', 'text', (c) => c.notNull())
      .addColumn('gate', 'text', (c) => c.notNull())
      .addColumn('source', 'text', (c) => c.notNull())
      .addColumn('reason', 'text')
      .addColumn('starts_at', time)
      .addColumn('expires_at', time)
      .addColumn('created_at', time, (c) => c.notNull())
      .addColumn('revoked_at', time),
    index('grants_member').on('grants').column('member_id'),
    table('intents')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('mode', 'text', (c) => c.notNull())
      .addColumn('plan', 'text', (c) => c.notNull())
      .addColumn('price_id', 'text', (c) => c.notNull())
      .addColumn('quantity', 'integer', (c) => c.notNull())
      .addColumn('member_id', 'text')
      .addColumn('checkout_id', 'text')
      .addColumn('checkout_url', 'text')
      .addColumn('redirect', 'text', (c) => c.notNull())
      .addColumn('browser', 'text')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull())
      .addColumn('expires_at', time, (c) => c.notNull())
      .addColumn('settled_at', time),
    table('events')
      .addColumn('seq', dialect === 'sqlite' ? 'integer' : sql`bigint`, (c) =>
        dialect === 'sqlite' ? c.primaryKey().autoIncrement() : c.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('account', 'text', (c) => c.notNull())
      .addColumn('event_id', 'text', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('object_id', 'text')
      .addColumn('occurred_at', time, (c) => c.notNull())
      .addColumn('received_at', time, (c) => c.notNull())
      .addColumn('livemode', 'integer')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('reason', 'text')
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('next_try_at', time)
      .addColumn('body_hash', 'text', (c) => c.notNull())
      .addColumn('body', blob),
    index('events_key').on('events').columns(['provider', 'account', 'event_id']).unique(),
    index('events_due')
      .on('events')
      .column('next_try_at')
      .where('status' as never, '=', 'failed'),
    index('events_visible')
      .on('events')
      .columns(['status', 'seq'])
      .where('status' as never, 'in', ['failed', 'dead', 'held']),
    table('fetches')
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('account', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('due_at', time, (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('wishes', 'integer', (c) => c.notNull())
      .addColumn('error', 'text')
      .addPrimaryKeyConstraint('fetches_key', ['provider', 'account', 'kind', 'id'] as never),
    index('fetches_due').on('fetches').column('due_at'),
    table('documents')
      .addColumn('space', 'text', (c) => c.notNull())
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('value', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('documents_key', ['space', 'key'] as never),
  ]
}
