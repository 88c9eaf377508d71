import { type Compilable, sql } from 'kysely'
import type { MigrationDialect, SchemaBuilder } from './migration.ts'

export const name = 'gifts'

/** Gifts: ordered, bought or made by hand, and the time that they open. */
export function up(db: SchemaBuilder, dialect: MigrationDialect): Compilable[] {
  const ordered = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema.alterTable('grants').addColumn('waits', 'integer', (c) => c.notNull().defaultTo(0)),
    db.schema
      .createTable('gifts')
      .addColumn('id', ordered, (c) => c.primaryKey().notNull())
      .addColumn('status', ordered, (c) => c.notNull())
      .addColumn('plan', ordered, (c) => c.notNull())
      .addColumn('months', 'integer', (c) => c.notNull())
      .addColumn('code_hash', ordered)
      .addColumn('intent_id', ordered)
      .addColumn('provider', ordered)
      .addColumn('account', ordered)
      .addColumn('payment_id', ordered)
      .addColumn('price_id', ordered)
      .addColumn('buyer_id', ordered)
      .addColumn('to_email', ordered)
      .addColumn('message', ordered)
      .addColumn('language', ordered)
      .addColumn('batch', ordered)
      .addColumn('label', ordered)
      .addColumn('created_at', ordered, (c) => c.notNull())
      .addColumn('expires_at', ordered)
      .addColumn('send_at', ordered)
      .addColumn('sent_at', ordered)
      .addColumn('sendings', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('redeemed_at', ordered)
      .addColumn('member_id', ordered)
      .addColumn('grant_id', ordered)
      .addColumn('left_seconds', 'integer')
      .addColumn('put_off', 'text')
      .addColumn('look_at', ordered)
      .addColumn('closed_at', ordered)
      .addColumn('closed_for', ordered)
      .addColumn('revision', 'integer', (c) => c.notNull().defaultTo(0)),
    db.schema.createIndex('gifts_code').unique().on('gifts').column('code_hash'),
    db.schema.createIndex('gifts_intent').unique().on('gifts').column('intent_id'),
    db.schema
      .createIndex('gifts_payment')
      .unique()
      .on('gifts')
      .columns(['provider', 'account', 'payment_id']),
    db.schema.createIndex('gifts_buyer').on('gifts').column('buyer_id'),
    db.schema.createIndex('gifts_member').on('gifts').column('member_id'),
    db.schema.createIndex('gifts_over').on('gifts').columns(['status', 'created_at']),
    db.schema.createIndex('gifts_batch').on('gifts').columns(['batch', 'id']),
    db.schema
      .createIndex('gifts_look')
      .on('gifts')
      .column('look_at')
      .where(sql<boolean>`look_at is not null`),
  ]
}
