import { type Compilable, sql } from 'kysely'
import type { SchemaBuilder } from './migration.ts'

export const name = 'held-gifts'

/** Remembers, after an older copy was restored, which gifts and groups an operator has to look at. */
export function up(db: SchemaBuilder): Compilable[] {
  return [
    db.schema.alterTable('gifts').addColumn('held_at', 'text'),
    db.schema.alterTable('groups').addColumn('lost_at', 'text'),
  ]
}

export function indexes(db: SchemaBuilder): Compilable[] {
  return [
    db.schema
      .createIndex('gifts_held')
      .on('gifts')
      .columns(['id'])
      .where(sql<boolean>`held_at is not null and status = 'ready'`),
    db.schema
      .createIndex('groups_lost')
      .on('groups')
      .columns(['subscription_id'])
      .where(sql<boolean>`lost_at is not null`),
  ]
}
