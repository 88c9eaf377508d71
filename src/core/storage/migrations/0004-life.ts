import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'life'

/** What a member's whole life needs: one open checkout at a time, magic links, prices, what is still to be told. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const time = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  const table = (tableName: string) => db.schema.createTable(tableName)
  const index = (indexName: string) => db.schema.createIndex(indexName)
  return [
    db.schema.alterTable('intents').addColumn('claim', 'text'),
    db.schema.alterTable('intents').addColumn('request', 'text'),
    index('intents_claim')
      .on('intents')
      .column('claim')
      .unique()
      .where('status' as never, '=', 'open')
      .where('claim' as never, 'is not', null),
    table('login_links')
      .addColumn('id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('email', 'text', (c) => c.notNull())
      .addColumn('member_id', 'text')
      .addColumn('redirect', 'text', (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull())
      .addColumn('expires_at', time, (c) => c.notNull())
      .addColumn('used_at', time),
    index('login_links_expiry').on('login_links').column('expires_at'),
    table('catalogue')
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('price_id', 'text', (c) => c.notNull())
      .addColumn('data', 'text', (c) => c.notNull())
      .addColumn('refreshed_at', time, (c) => c.notNull())
      .addPrimaryKeyConstraint('catalogue_key', ['provider', 'price_id'] as never),
    table('tell')
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('account', 'text', (c) => c.notNull())
      .addColumn('owner_id', 'text', (c) => c.notNull())
      .addColumn('wishes', 'integer', (c) => c.notNull())
      .addColumn('due_at', time, (c) => c.notNull())
      .addPrimaryKeyConstraint('tell_key', ['provider', 'account', 'owner_id'] as never),
    index('tell_due').on('tell').column('due_at'),
    table('told')
      .addColumn('member_id', 'text', (c) => c.primaryKey().notNull())
      .addColumn('data', 'text', (c) => c.notNull())
      .addColumn('revision', 'integer', (c) => c.notNull()),
    table('outbox')
      .addColumn('seq', dialect === 'sqlite' ? 'integer' : sql`bigint`, (c) =>
        dialect === 'sqlite' ? c.primaryKey().autoIncrement() : c.primaryKey().generatedAlwaysAsIdentity(),
      )
      .addColumn('id', 'text', (c) => c.notNull().unique())
      .addColumn('lane', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('payload', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('created_at', time, (c) => c.notNull())
      .addColumn('due_at', time, (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('error', 'text'),
    index('outbox_lane')
      .on('outbox')
      .columns(['lane', 'seq'])
      .where('status' as never, '=', 'waiting'),
    index('outbox_due')
      .on('outbox')
      .column('due_at')
      .where('status' as never, '=', 'waiting'),
  ]
}
