import { type Compilable, type Kysely, sql } from 'kysely'
import type { Dialect } from '../contract.ts'
import type { Tables } from '../tables.ts'

export const name = 'index-identity'

/** What makes two pages of a host the same website; whose key a list came with; what the crawler did by the hour. */
export const up = (db: Kysely<Tables>, dialect: Dialect): Compilable[] => [
  db.schema.alterTable('reports').addColumn('content_key', 'text'),
  db.schema
    .createIndex('reports_content')
    .on('reports')
    .column('content_key')
    .unique()
    .where('indexed' as never, '=', 1 as never),
  db.schema
    .createTable('crawl_hours')
    .addColumn('hour', dialect === 'sqlite' ? sql`text` : sql`text collate "C"`, (c) =>
      c.primaryKey().notNull(),
    )
    .addColumn('visited', 'integer', (c) => c.notNull())
    .addColumn('listed', 'integer', (c) => c.notNull())
    .addColumn('rejected', 'integer', (c) => c.notNull())
    .addColumn('unreachable', 'integer', (c) => c.notNull())
    .addColumn('excluded', 'integer', (c) => c.notNull())
    .addColumn('stops', 'integer', (c) => c.notNull()),
  db.schema.createIndex('reports_created').on('reports').columns(['created_at', 'id']),
  db.schema.alterTable('imports').addColumn('key_id', 'text'),
  db.schema.createIndex('imports_partner').on('imports').columns(['partner_id', 'created_at']),
]
