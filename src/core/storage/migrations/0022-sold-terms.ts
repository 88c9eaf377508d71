import { type Compilable, sql } from 'kysely'
import type { SchemaBuilder } from './migration.ts'

export const name = 'sold-terms'

/** Keeps the terms of a purchase with it. Rows of before have none, until a job fills them in. */
export function up(db: SchemaBuilder): Compilable[] {
  return [
    db.schema.alterTable('subscriptions').addColumn('sold', 'text'),
    db.schema.alterTable('payments').addColumn('sold', 'text'),
  ]
}

export function indexes(db: SchemaBuilder): Compilable[] {
  return [
    db.schema
      .createIndex('subscriptions_unsold')
      .on('subscriptions')
      .columns(['provider', 'account', 'id'])
      .where(sql<boolean>`sold is null`),
    db.schema
      .createIndex('payments_unsold')
      .on('payments')
      .columns(['provider', 'account', 'id'])
      .where(sql<boolean>`sold is null and status <> 'waiting'`),
  ]
}
