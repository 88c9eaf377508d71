import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'leaving'

/** Applied events that left: as much of them as it takes to know them again. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => {
  const time = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`
  return [
    db.schema
      .createTable('past_events')
      .addColumn('provider', 'text', (c) => c.notNull())
      .addColumn('account', 'text', (c) => c.notNull())
      .addColumn('event_id', 'text', (c) => c.notNull())
      .addColumn('body_hash', 'text', (c) => c.notNull())
      .addColumn('received_at', time, (c) => c.notNull())
      .addPrimaryKeyConstraint('past_events_key', ['provider', 'account', 'event_id'] as never),
  ]
}

/** By which old rows are found. */
export const indexes = (db: Kysely<Tables>): Compilable[] => [
  db.schema.createIndex('sessions_expiry').on('sessions').column('expires_at'),
  db.schema.createIndex('intents_over').on('intents').columns(['status', 'expires_at']),
  // Taking an event in does not touch it: its body is there then.
  db.schema
    .createIndex('events_over')
    .on('events')
    .columns(['received_at', 'seq'])
    .where('body' as never, 'is', null)
    .where('status' as never, 'in', ['processed', 'ignored']),
]
